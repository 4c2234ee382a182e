//! Known facts about Life, the same bit by bit on any number of images.

use coarray::prelude::*;
use coarray::testing::same_on;
use life::block::Block;
use life::decomposition::Decomposition;
use life::rle::Pattern;
use life::serial::SerialTorus;
use life::torus::Torus;
use proptest::prelude::*;

const COUNTS: [usize; 6] = [1, 2, 3, 4, 7, 8];

/// A pattern that grows in the middle of a torus for some generations.
struct Experiment {
    pattern: Pattern,
    rows: usize,
    columns: usize,
    generations: u64,
}

impl Experiment {
    fn new(text: &str, rows: usize, columns: usize, generations: u64) -> Self {
        Self {
            pattern: Pattern::parse(text).unwrap(),
            rows,
            columns,
            generations,
        }
    }

    /// All cells at the end, one bit each, in rows of whole words; nothing on images other than 0.
    fn on_images(&self) -> Vec<u64> {
        let decomposition = Decomposition::new(self.rows, self.columns, num_images()).unwrap();
        let mut torus = Torus::new(decomposition);
        torus.place(&self.pattern);
        for _ in 0..self.generations {
            torus.step();
        }
        let population = torus.population();
        let cells = torus.look(|alive| self.pack(alive)).unwrap_or_default();
        if this_image() == 0 {
            assert_eq!(population, count(&cells));
        }
        cells
    }

    /// The same on one block that is its own neighbour.
    fn on_one_block(&self) -> Vec<u64> {
        let mut block = Block::new(self.rows, self.columns);
        let (top, left) = self.corner();
        for (row, column) in self.pattern.alive() {
            block.set(top + row, left + column, true);
        }
        let mut next = block.clone();
        for _ in 0..self.generations {
            block.wrap();
            block.step_into(&mut next);
            std::mem::swap(&mut block, &mut next);
        }
        self.pack(&|row, column| block.get(row, column))
    }

    /// The same cell by cell.
    fn by_the_rules(&self) -> Vec<u64> {
        let mut torus = SerialTorus::new(self.rows, self.columns);
        let (top, left) = self.corner();
        for (row, column) in self.pattern.alive() {
            torus.set(top + row, left + column, true);
        }
        for _ in 0..self.generations {
            torus.step();
        }
        self.pack(&|row, column| torus.get(row, column))
    }

    fn corner(&self) -> (usize, usize) {
        (
            (self.rows - self.pattern.height) / 2,
            (self.columns - self.pattern.width) / 2,
        )
    }

    fn pack(&self, alive: &dyn Fn(usize, usize) -> bool) -> Vec<u64> {
        let words = self.columns.div_ceil(64);
        let word = |row: usize, word: usize| {
            let columns = 64 * word..(64 * word + 64).min(self.columns);
            columns.fold(0, |bits, column| {
                bits | u64::from(alive(row, column)) << (column % 64)
            })
        };
        (0..self.rows * words)
            .map(|index| word(index / words, index % words))
            .collect()
    }
}

fn count(cells: &[u64]) -> u64 {
    cells.iter().map(|word| u64::from(word.count_ones())).sum()
}

#[test]
fn the_r_pentomino_settles_to_116_cells() {
    let experiment = Experiment::new(include_str!("../patterns/rpentomino.rle"), 2048, 2048, 1103);
    let cells = same_on(COUNTS, || experiment.on_images());
    assert_eq!(count(&cells), 116);
    assert!(cells == experiment.on_one_block());
}

#[test]
fn the_acorn_grows_to_633_cells() {
    let experiment = Experiment::new(include_str!("../patterns/acorn.rle"), 4096, 4096, 5206);
    let cells = same_on([4], || experiment.on_images());
    assert_eq!(count(&cells), 633);
}

#[test]
fn a_glider_comes_home_around_an_uneven_torus() {
    // It moves one cell down and right every 4 generations, so home is lcm(37, 23) such moves away.
    let glider =
        |generations| Experiment::new(include_str!("../patterns/glider.rle"), 23, 37, generations);
    let cells = same_on(COUNTS, || glider(4 * 37 * 23).on_images());
    assert!(cells == glider(0).by_the_rules());
    assert_eq!(count(&cells), 5);
}

#[test]
fn the_gosper_gun_repeats_after_30_generations_and_gains_a_glider() {
    let gun = |generations| {
        Experiment::new(
            include_str!("../patterns/gosperglidergun.rle"),
            300,
            401,
            generations,
        )
    };
    let populations: Vec<u64> = (0..5u64)
        .map(|period| {
            let experiment = gun(60 + 30 * period);
            let cells = same_on(COUNTS, || experiment.on_images());
            assert!(cells == experiment.on_one_block());
            count(&cells)
        })
        .collect();
    assert!(
        populations.windows(2).all(|pair| pair[1] == pair[0] + 5),
        "{populations:?}"
    );

    let gun_itself = |cells: &[u64]| -> Vec<u64> { cells[..7 * 150].to_vec() };
    let (early, late) = (gun(60).on_one_block(), gun(90).on_one_block());
    assert!(gun_itself(&early) == gun_itself(&late));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_soup_on_any_torus_obeys_the_rules_on_any_number_of_images(
        (rows, columns, soup) in (1usize..50, 1usize..150).prop_flat_map(|(rows, columns)| {
            (Just(rows), Just(columns), prop::collection::vec(any::<bool>(), rows * columns))
        }),
        generations in 0u64..12,
    ) {
        let pattern = Pattern::from_fn(rows, columns, |row, column| soup[row * columns + column]);
        let experiment = Experiment { pattern, rows, columns, generations };
        let counts = COUNTS.into_iter().filter(|&images| Decomposition::new(rows, columns, images).is_ok());
        let cells = same_on(counts, || experiment.on_images());
        prop_assert!(cells == experiment.by_the_rules());
    }
}
