use super::*;
use crate::random::Random;
use coarray::grid::ImageGrid;
use coarray::ndarray::Array3;

const SHAPE: [usize; 3] = [19, 17, 23];

const BRITTLE: Load = Load {
    stress: [0.0, 0.0, 1.0],
    threshold: 0.0,
    penalty: 0.0,
};

/// The grain whose nucleus is nearest to a cell: the lowest number of equals.
fn grain_of(cell: [usize; 3], nuclei: &Nuclei) -> u32 {
    let square = |grain: &u32| {
        let nucleus = place(nuclei.cell(*grain), SHAPE);
        let along = |axis: usize| cell[axis].abs_diff(nucleus[axis]).pow(2);
        along(0) + along(1) + along(2)
    };
    (1..=nuclei.count()).min_by_key(square).unwrap()
}

/// The steps in which all cells broke, how the crack ended, and the planes: the same on any number of images.
fn crack(seed: u64, cells_per_grain: u64, load: Load) -> (Array3<u32>, Outcome, Cleavage) {
    let mut results = Vec::new();
    for images in [1, 2, 5, 8] {
        let of_images = coarray::run(images, move || {
            let random = Random::new(seed);
            let cells = SHAPE.iter().product::<usize>() as u64;
            let nuclei = Nuclei::new(random, cells, cells_per_grain);
            let grid = ImageGrid::balanced_for(SHAPE).unwrap();
            let blocks = Blocks::new(SHAPE, grid).unwrap();
            let grains = HaloArray::from_fn(&blocks, 1, |cell| grain_of(cell, &nuclei)).unwrap();
            let orientations = Orientations::random(random, nuclei.count());
            let mut cleavage = Cleavage::new(&orientations, nuclei.count(), load);
            let (broken, outcome) = propagate(&grains, &nuclei, &mut cleavage).unwrap();
            (broken.gather_global(0), outcome, cleavage)
        });
        let outcomes: Vec<Outcome> = of_images.iter().map(|result| result.1).collect();
        assert_eq!(outcomes, vec![outcomes[0]; images]);
        let (broken, outcome, cleavage) = of_images.into_iter().next().unwrap();
        results.push((broken.unwrap(), outcome, cleavage));
    }
    let first = results.swap_remove(0);
    for (broken, outcome, cleavage) in results {
        assert!(broken == first.0);
        assert_eq!(outcome, first.1);
        assert_eq!(cleavage.entries, first.2.entries);
    }
    first
}

#[test]
fn in_a_single_grain_the_crack_is_all_of_one_cleavage_plane() {
    for seed in 0..6 {
        let (broken, outcome, cleavage) = crack(seed, u64::MAX, BRITTLE);
        let nuclei = Nuclei::new(Random::new(seed), broken.len() as u64, u64::MAX);
        let lattice = Orientations::random(Random::new(seed), 1).of(1);
        let normal = cleavage.normal(1);
        // It is a face of the cube in the lattice, and none is more open.
        let in_lattice = lattice.turn(normal).map(f64::abs);
        let mut sorted = in_lattice;
        sorted.sort_unstable_by(f64::total_cmp);
        assert!(sorted[1] < 1e-12 && (sorted[2] - 1.0).abs() < 1e-12);
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let other = lattice.inverse().turn(axis);
            assert!(dot(normal, BRITTLE.stress).abs() >= dot(other, BRITTLE.stress).abs() - 1e-12);
        }
        let start = centre(place(nuclei.cell(1), SHAPE));
        let half = normal.into_iter().map(f64::abs).fold(0.0, f64::max) / 2.0;
        let mut cells = 0;
        for ((z, y, x), &step) in broken.indexed_iter() {
            let cell = centre([z, y, x]);
            let from_start = [0, 1, 2].map(|axis| cell[axis] - start[axis]);
            let away = dot(normal, from_start);
            assert_eq!(step > 0, away.abs() <= half, "cell {cell:?}, seed {seed}");
            if step > 0 {
                cells += 1;
                // Each step leads to a neighbour, so the distance from the start bounds the step from below.
                let least = from_start.into_iter().map(f64::abs).fold(0.0, f64::max);
                assert!(f64::from(step) > least);
            }
        }
        assert_eq!((outcome.cells, outcome.grains), (cells, 1));
        assert_eq!(outcome.steps, *broken.iter().max().unwrap());
    }
}

#[test]
fn in_many_grains_it_stays_on_a_plane_of_each() {
    let load = Load {
        threshold: 0.5,
        penalty: 0.2,
        ..BRITTLE
    };
    let (broken, outcome, cleavage) = crack(3, 150, load);
    assert!(outcome.grains > 5, "{outcome:?}");
    let nuclei = Nuclei::new(Random::new(3), broken.len() as u64, 150);
    let mut cells = 0;
    for ((z, y, x), &step) in broken.indexed_iter() {
        if step == 0 {
            continue;
        }
        cells += 1;
        let grain = grain_of([z, y, x], &nuclei);
        assert!(cleavage.is_on_plane(grain, [z, y, x]));
        assert!(cleavage.share(grain) >= load.threshold);
        // Something beside it broke in the step before.
        let cause = STEPS.iter().any(|&direction| {
            let beside = crate::lattice::beside([z, y, x], direction);
            broken.get(beside) == Some(&(step - 1))
        });
        assert!(cause || step == 1);
    }
    assert_eq!(cells, outcome.cells);
    assert_eq!(cleavage.entries.len(), outcome.grains);
}

#[test]
fn tough_grains_and_costly_boundaries_hold() {
    let tough = Load {
        threshold: 1.0,
        ..BRITTLE
    };
    let (_, outcome, _) = crack(4, 150, tough);
    let start_only = Outcome {
        cells: 1,
        grains: 1,
        steps: 1,
    };
    assert_eq!(outcome, start_only);
    let costly = Load {
        penalty: 1e9,
        ..BRITTLE
    };
    let (_, outcome, _) = crack(4, 150, costly);
    assert_eq!(outcome.grains, 1);
    assert!(outcome.cells > 1);
}
