use super::*;
use crate::lattice::{STEPS, number};
use crate::random::{Purpose, Random};
use coarray::grid::{Blocks, ImageGrid};
use coarray::ndarray::Array3;

const SHAPE: [usize; 3] = [5, 6, 7];
const GRAINS: u32 = 40;

/// Any grain at any cell.
fn grain_at(cell: [usize; 3]) -> u32 {
    let drawn = Random::new(9).below(GRAINS, Purpose::Growth, number(cell, SHAPE), 0);
    drawn as u32 + 1
}

/// The cell beside another, if there is one.
fn beside_cell(cell: [usize; 3], step: [isize; 3], periodic: bool) -> Option<[usize; 3]> {
    let mut beside = [0; 3];
    for axis in 0..3 {
        let (index, cells) = (cell[axis] as isize + step[axis], SHAPE[axis] as isize);
        if !periodic && !(0..cells).contains(&index) {
            return None;
        }
        beside[axis] = index.rem_euclid(cells) as usize;
    }
    Some(beside)
}

/// Contacts, and the neighbours of other grains of each cell, by the definitions.
fn expected(periodic: bool) -> (Contacts, Array3<u8>) {
    let mut contacts = Contacts::new();
    let mut counts = Array3::zeros(SHAPE);
    for ((z, y, x), count) in counts.indexed_iter_mut() {
        let grain = grain_at([z, y, x]);
        for step in STEPS {
            let other = beside_cell([z, y, x], step, periodic).map(grain_at);
            let Some(other) = other.filter(|&other| other != grain) else {
                continue;
            };
            *count += 1;
            // Each face is seen from both of its sides.
            if step.map(isize::abs).iter().sum::<isize>() == 1 && grain < other {
                *contacts.entry((grain, other)).or_default() += 1;
            }
        }
    }
    (contacts, counts)
}

#[test]
fn contacts_and_boundaries_are_those_of_the_definitions() {
    for periodic in [false, true] {
        let (contacts_expected, boundaries_expected) = expected(periodic);
        for images in [1, 2, 3, 8] {
            let found = coarray::run(images, || {
                let grid = ImageGrid::balanced_for(SHAPE).unwrap();
                let blocks = Blocks::new(SHAPE, grid.with_periodic([periodic; 3])).unwrap();
                let mut grains = HaloArray::filled(&blocks, 1, LIQUID).unwrap();
                let own = blocks.own_range();
                for ((z, y, x), grain) in grains.interior_mut().indexed_iter_mut() {
                    *grain = grain_at([own[0].start + z, own[1].start + y, own[2].start + x]);
                }
                grains.exchange();
                let boundaries = boundaries(&grains).unwrap().gather_global(0);
                (contacts(&grains), boundaries)
            });
            let (contacts, boundaries) = &found[0];
            assert_eq!(contacts, &contacts_expected, "{images} images");
            assert_eq!(boundaries.as_ref(), Some(&boundaries_expected));
            assert!(found[1..].iter().all(|(contacts, _)| contacts.is_empty()));
        }
    }
}

#[test]
fn volumes_count_all_cells() {
    let mut expected = vec![0; GRAINS as usize];
    for ((z, y, x), ()) in Array3::<()>::default(SHAPE).indexed_iter() {
        expected[grain_at([z, y, x]) as usize - 1] += 1;
    }
    for images in [1, 3, 4] {
        let found = coarray::run(images, || {
            let grid = ImageGrid::balanced_for(SHAPE).unwrap();
            let blocks = Blocks::new(SHAPE, grid).unwrap();
            volumes(&HaloArray::from_fn(&blocks, 1, grain_at).unwrap(), GRAINS)
        });
        assert_eq!(found, vec![expected.clone(); images]);
    }
}
