use proptest::prelude::*;

use super::{Block, Corner};
use crate::serial::SerialTorus;

/// Column counts at which the interior, the halo or both reach a word border.
const BORDERS: [usize; 11] = [62, 63, 64, 65, 66, 126, 127, 128, 129, 130, 1];

/// A shape and a seed, from which all cells and all bits without a meaning are drawn.
fn shapes() -> impl Strategy<Value = (usize, usize, u64)> {
    let columns = prop_oneof![1..=140usize, prop::sample::select(&BORDERS)];
    (1..=70usize, columns, any::<u64>())
}

/// Pseudo-random words (the splitmix64 sequence).
fn words(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// A block of random bits: interior, halo and the bits without a meaning.
fn noise(rows: usize, columns: usize, seed: u64) -> Block {
    let mut block = Block::new(rows, columns);
    block.words.fill_with(words(seed));
    block
}

fn cells(block: &Block) -> Vec<Vec<bool>> {
    (0..block.rows())
        .map(|row| {
            (0..block.columns())
                .map(|column| block.get(row, column))
                .collect()
        })
        .collect()
}

fn packed(block: &Block, column: usize) -> Vec<u64> {
    let mut packed = vec![u64::MAX; block.column_words()];
    block.pack_column(column, &mut packed);
    packed
}

proptest! {
    #[test]
    fn a_wrapped_block_agrees_with_the_serial_torus((rows, columns, seed) in shapes()) {
        let mut block = noise(rows, columns, seed);
        let mut next = noise(rows, columns, !seed);
        let mut torus = SerialTorus::new(rows, columns);
        for row in 0..rows {
            for column in 0..columns {
                torus.set(row, column, block.get(row, column));
            }
        }
        for generation in 0..8 {
            prop_assert_eq!(block.population(), torus.population(), "generation {}", generation);
            block.wrap();
            block.step_into(&mut next);
            std::mem::swap(&mut block, &mut next);
            torus.step();
            for row in 0..rows {
                for column in 0..columns {
                    prop_assert_eq!(
                        block.get(row, column), torus.get(row, column),
                        "generation {}, row {}, column {}", generation + 1, row, column
                    );
                }
            }
        }
    }

    #[test]
    fn halos_set_one_by_one_are_those_of_a_torus((rows, columns, seed) in shapes()) {
        let mut wrapped = noise(rows, columns, seed);
        let own = wrapped.clone();
        wrapped.wrap();

        let mut block = own.clone();
        let (south, east) = (rows - 1, columns - 1);
        block.set_corner(Corner::NorthWest, own.get(south, east));
        block.set_corner(Corner::NorthEast, own.get(south, 0));
        block.set_corner(Corner::SouthWest, own.get(0, east));
        block.set_corner(Corner::SouthEast, own.get(0, 0));
        block.set_north_halo(own.row(south));
        block.set_south_halo(own.row(0));
        block.set_west_halo(&packed(&own, east));
        block.set_east_halo(&packed(&own, 0));

        for row in 0..rows + 2 {
            for column in 0..columns + 2 {
                prop_assert_eq!(
                    block.bit(row, column), wrapped.bit(row, column),
                    "row {}, column {}, halo counted", row, column
                );
            }
        }
    }

    #[test]
    fn halos_hold_the_neighbours_cells_and_nothing_else((rows, columns, seed) in shapes()) {
        let neighbour = noise(rows, columns, !seed);
        let before = noise(rows, columns, seed);
        let mut block = before.clone();
        block.set_north_halo(neighbour.row(rows - 1));
        block.set_south_halo(neighbour.row(0));
        block.set_west_halo(&packed(&neighbour, columns - 1));
        block.set_east_halo(&packed(&neighbour, 0));

        for column in 0..columns {
            prop_assert_eq!(block.bit(0, column + 1), neighbour.get(rows - 1, column));
            prop_assert_eq!(block.bit(rows + 1, column + 1), neighbour.get(0, column));
        }
        for row in 0..rows {
            prop_assert_eq!(block.bit(row + 1, 0), neighbour.get(row, columns - 1));
            prop_assert_eq!(block.bit(row + 1, columns + 1), neighbour.get(row, 0));
        }
        for (row, column) in [(0, 0), (0, columns + 1), (rows + 1, 0), (rows + 1, columns + 1)] {
            prop_assert_eq!(block.bit(row, column), before.bit(row, column));
        }
        prop_assert_eq!(cells(&block), cells(&before));
    }

    #[test]
    fn a_packed_column_holds_its_cells_and_zeros((rows, columns, seed) in shapes()) {
        let block = noise(rows, columns, seed);
        let column = seed as usize % columns;
        let packed = packed(&block, column);
        for bit in 0..64 * packed.len() {
            let expected = bit < rows && block.get(bit, column);
            prop_assert_eq!((packed[bit / 64] >> (bit % 64)) & 1 == 1, expected);
        }
    }

    #[test]
    fn a_row_has_column_c_at_bit_c_plus_1((rows, columns, seed) in shapes()) {
        let block = noise(rows, columns, seed);
        let row = seed as usize % rows;
        let words = block.row(row);
        prop_assert_eq!(words.len(), block.row_words());
        for column in 0..columns {
            let bit = column + 1;
            prop_assert_eq!((words[bit / 64] >> (bit % 64)) & 1 == 1, block.get(row, column));
        }
    }

    #[test]
    fn setting_a_cell_changes_that_cell_only((rows, columns, seed) in shapes(), alive: bool) {
        let before = noise(rows, columns, seed);
        let (row, column) = (seed as usize % rows, seed as usize % columns);
        let mut expected = cells(&before);
        expected[row][column] = alive;
        let mut block = before;
        block.set(row, column, alive);
        prop_assert_eq!(cells(&block), expected);
    }
}

#[test]
fn a_new_block_is_dead_and_stays_so() {
    let block = Block::new(3, 62);
    let mut next = noise(3, 62, 1);
    block.step_into(&mut next);
    assert_eq!((block.population(), next.population()), (0, 0));
    assert_eq!(
        (block.words_per_row(), Block::new(3, 63).words_per_row()),
        (1, 2)
    );
}

#[test]
#[should_panic(expected = "the next generation has the shape of this one")]
fn a_step_into_another_shape_is_refused() {
    Block::new(3, 4).step_into(&mut Block::new(4, 3));
}

#[test]
#[should_panic(expected = "cell (0, 4) of a block of 3 x 4 cells")]
fn the_halo_is_no_cell() {
    Block::new(3, 4).get(0, 4);
}

#[test]
#[should_panic(expected = "words of a packed column")]
fn a_column_of_another_height_is_refused() {
    Block::new(65, 4).set_west_halo(&[0]);
}
