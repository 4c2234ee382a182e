//! Lists of indices in an array that all images have together, against loops over one vector.

use coarray::asynchronous::async_scope;
use coarray::grid::{Blocks, ImageGrid};
use coarray::places::{Access, Division, Global};
use coarray::prelude::*;
use coarray_proptests::{Kind, Sample, Setting, Wide, config, mix, panic_of};
use proptest::prelude::*;
use proptest::sample::Index;

/// Who does what with which items: the images take turns.
type List = (u8, Vec<Index>, u64);

fn value<T: Sample>(seed: u64, index: usize) -> T {
    T::sample(mix(seed, index as u64))
}

/// Does to `model`, a vector of all items, what it does to the array. Image 0 does the lists.
fn act<T, D>(global: &Global<&Open<'_, [T]>, D>, model: &mut [T], lists: &[List])
where
    T: Sample + PartialEq,
    D: Division,
{
    assert_eq!(
        (global.len(), global.is_empty()),
        (model.len(), model.is_empty())
    );
    for (action, picks, seed) in lists {
        let indices: Vec<usize> = match model.len() {
            0 => Vec::new(),
            items => picks.iter().map(|pick| pick.index(items)).collect(),
        };
        let values: Vec<T> = (0..indices.len()).map(|at| value(*seed, at)).collect();
        if action % 4 < 2 {
            let mut seen = values.clone();
            match action % 4 {
                0 => global.gather_from(&indices, &mut seen),
                _ => async_scope(|scope| {
                    drop(global.gather_from_async(&indices, &mut seen, scope));
                }),
            }
            assert!(seen.iter().eq(indices.iter().map(|&index| &model[index])));
            continue;
        }
        match action % 4 {
            2 => global.scatter_to(&indices, &values),
            _ => drop(global.scatter_to_async(&indices, &values)),
        }
        for (&index, value) in indices.iter().zip(values) {
            model[index] = value;
        }
    }
    for (index, value) in model.iter().enumerate() {
        assert!(global.at(index).get() == *value);
    }
}

/// Gets every item of a published array, backwards.
fn read<'a, T: Sample + PartialEq, A: Access, X: Parts<Part = &'a Coref<[T], A>>>(
    global: &Global<X, impl Division>,
    model: &[T],
) {
    let indices: Vec<usize> = (0..model.len()).rev().collect();
    let mut seen = model.to_vec();
    global.gather_from(&indices, &mut seen);
    assert!(seen.iter().eq(model.iter().rev()));
}

fn run<T: Sample + PartialEq>(setting: Setting, length: usize, cells: [usize; 2], lists: &[List]) {
    setting.run(|| {
        let images = num_images();
        let mut x =
            Coarray::<[T]>::from_fn(length, |index| value(0, length * this_image() + index));
        let mut model: Vec<T> = (0..length * images).map(|index| value(0, index)).collect();
        {
            let x = x.open();
            for image in 0..images {
                if image == this_image() {
                    act(&x.global(), &mut model, lists);
                }
                sync_all();
                // What that image did is known to all.
                model = (0..images).flat_map(|image| x.at(image).to_vec()).collect();
                // Before the next one writes.
                sync_all();
            }
        }
        read(&x.publish().global(), &model);

        let blocks = ImageGrid::<2>::balanced_for(cells);
        let Ok(blocks) = blocks.and_then(|grid| Blocks::new(cells, grid)) else {
            return;
        };
        let cell = |[i, j]: [usize; 2]| value(1, i * cells[1] + j);
        let largest: usize = blocks.block_shape(0).iter().product();
        let [rows, columns] = blocks.own_range();
        let mine: Vec<T> = rows
            .flat_map(|i| columns.clone().map(move |j| [i, j]))
            .map(cell)
            .collect();
        let mut x = Coarray::<[T]>::from_fn(largest + length % 3, |index| {
            mine.get(index).copied().unwrap_or(value(9, index))
        });
        let mut model: Vec<T> = (0..blocks.cells()).map(|index| value(1, index)).collect();
        read(&x.publish().in_blocks(&blocks), &model);
        let x = x.open();
        if this_image() + 1 == images {
            act(&x.in_blocks(&blocks), &mut model, lists);
        }
    });
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn lists_of_global_indices_do_to_all_parts_what_loops_do_to_one_vector(
        setting in Setting::anywhere(),
        kind in 0u8..4,
        length in 0usize..400,
        cells in [1usize..12, 1usize..12],
        lists in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<Index>(), 0..200), any::<u64>()), 1..5),
    ) {
        match kind {
            0 => run::<u64>(setting, length, cells, &lists),
            1 => run::<Kind>(setting, length, cells, &lists),
            2 => run::<char>(setting, length, cells, &lists),
            _ => run::<Wide>(setting, length, cells, &lists),
        }
    }
}

#[test]
fn a_global_index_out_of_bounds_names_itself_its_position_and_how_many_items_there_are() {
    Setting::everywhere().for_each(|setting| {
        setting.run(|| {
            let items = 5 * num_images();
            let mut x = Coarray::<[u8]>::from_fn(5, |_| 7);
            {
                let x = x.open();
                let global = x.global();
                let mut seen = [0; 3];
                let text = panic_of(|| global.gather_from(&[0, items - 1, items], &mut seen));
                let words = format!(
                    "index {items} at position 2 of a list is out of bounds of the {items} items"
                );
                assert!(text.contains(&words), "{text}");
                let text = panic_of(|| global.scatter_to(&[0, usize::MAX, items], &[1, 2, 3]));
                assert!(text.contains("at position 1 of a list"), "{text}");
                let text = panic_of(|| global.scatter_to_async(&[0], &[1, 2]).wait());
                assert!(
                    text.contains("a list of 1 indices does not fit 2 values"),
                    "{text}"
                );
                let text = panic_of(|| global.at(items).get());
                assert!(
                    text.contains(&format!("index {items} is out of bounds")),
                    "{text}"
                );
                let mut one = [0];
                async_scope(|scope| {
                    let text =
                        panic_of(|| drop(global.gather_from_async(&[items], &mut one, scope)));
                    assert!(text.contains("at position 0 of a list"), "{text}");
                });
                global.gather_from(&[0], &mut one);
                assert_eq!(one, [7]);
                assert_eq!(seen, [0; 3]);
            }
            assert_eq!(x[..], [7; 5]); // nothing was stored
        });
    });
}

#[test]
fn blocks_that_do_not_fit_the_coarray_are_refused() {
    Setting::of(4).run(|| {
        let of_all = Blocks::new([9, 2], ImageGrid::new([2, 2]).unwrap()).unwrap();
        let x = Coarray::<[Coatomic<u32>]>::from_fn(4, |_| Coatomic::new(0));
        let text = panic_of(|| x.in_blocks(&of_all).at(0).load());
        assert!(
            text.contains("blocks of up to 5 cells do not fit a coarray of 4"),
            "{text}"
        );
        Team::form(this_image() as u64 % 2).change(|| {
            let x = Coarray::<[Coatomic<u32>]>::from_fn(5, |_| Coatomic::new(0));
            let text = panic_of(|| x.in_blocks(&of_all).at(0).load());
            assert!(text.contains("made in another team"), "{text}");
        });
    });
}
