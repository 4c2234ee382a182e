//! Exchanges of halos do to every cell of every image what the sequential model says, and to no other.

mod case;
mod codimensions;
mod counts;
mod delays;
mod empty;
mod errors;
mod grids;
mod leaks;
mod model;
mod waits;

use case::{Case, Round, Way};
use coarray::grid::{Blocks, HaloArray, exchange_many};
use coarray::ndarray::{Dim, Dimension};
use coarray::this_image;
use coarray_proptests::{Kind, Particle, Sample, Wide, bits, config, mix};
use model::Origin;
use proptest::prelude::*;

/// What a cell of the whole array holds in a round.
fn value<T: Sample, const D: usize>(seed: u64, round: usize, global: [usize; D]) -> T {
    let seed = mix(seed, round as u64);
    T::sample(global.iter().fold(seed, |seed, &at| mix(seed, at as u64)))
}

/// What a cell of an image's part holds before a round, by its number there.
fn sentinel<T: Sample>(seed: u64, round: usize, cell: usize) -> T {
    let image = this_image() as u64 + 1000;
    T::sample(mix(mix(seed, image), (round * 100_000 + cell) as u64))
}

fn exchange<T: Sample, const D: usize>(array: &mut HaloArray<T, D>, round: &Round<D>)
where
    Dim<[usize; D]>: Dimension,
{
    match round.way {
        Way::AtOnce => array.exchange_with(&round.exchange()),
        Way::StartAndFinish => {
            let before = array.interior().to_owned();
            let exchanging = array.exchange_start_with(&round.exchange());
            let during: Vec<T> = exchanging.interior().iter().copied().collect();
            exchanging.finish();
            let before: Vec<T> = before.iter().copied().collect();
            assert_eq!(bits(&during[..]), bits(&before[..]));
        }
        Way::Drop => drop(array.exchange_start_with(&round.exchange())),
        Way::Leak => std::mem::forget(array.exchange_start_with(&round.exchange())),
        Way::Several => {
            let blocks = array.blocks().clone();
            let mut other = HaloArray::filled(&blocks, 0, 1u16).unwrap();
            exchange_many(&mut [&mut other, array]);
        }
    }
}

impl<const D: usize> Case<D>
where
    Dim<[usize; D]>: Dimension,
{
    fn run<T: Sample>(&self) {
        self.setting.run(|| {
            let blocks = Blocks::new(self.shape, self.grid()).unwrap();
            let mut array = HaloArray::filled(&blocks, self.halo, T::sample(0)).unwrap();
            for (number, round) in self.rounds.iter().enumerate() {
                let origins = self.origins(this_image(), round);
                let value = |global| value::<T, D>(self.seed, number, global);
                let sentinel = |cell| sentinel::<T>(self.seed, number, cell);
                let mut local = array.local_mut();
                assert_eq!(local.len(), origins.len());
                for (cell, (place, origin)) in local.iter_mut().zip(&origins).enumerate() {
                    *place = match *origin {
                        Origin::Own(global) => value(global),
                        _ => sentinel(cell),
                    };
                }
                exchange(&mut array, round);
                let expected = origins
                    .iter()
                    .enumerate()
                    .map(|(cell, origin)| match *origin {
                        Origin::Own(global) | Origin::Copy(global) => value(global),
                        Origin::Untouched => sentinel(cell),
                    });
                let expected: Vec<T> = expected.collect();
                let found: Vec<T> = array.local().iter().copied().collect();
                assert_eq!(bits(array.local_slice()), bits(&found[..]));
                let local = array.local();
                let mut axes = local
                    .strides()
                    .iter()
                    .zip(array.strides())
                    .zip(local.shape());
                // `ndarray` may say anything of axes with one cell.
                assert!(
                    axes.all(|((&theirs, ours), &cells)| cells == 1 || theirs == ours as isize)
                );
                assert_eq!(
                    bits(&found[..]),
                    bits(&expected[..]),
                    "round {number} on image {}: {round:?}",
                    this_image()
                );
            }
        });
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn exchanges_in_one_dimension_fill_halos_as_the_model_does(case in Case::<1>::any()) {
        case.run::<u8>();
        case.run::<Particle>();
    }

    #[test]
    fn exchanges_in_two_dimensions_fill_halos_as_the_model_does(case in Case::<2>::any()) {
        case.run::<f64>();
        case.run::<bool>();
    }

    #[test]
    fn exchanges_in_three_dimensions_fill_halos_as_the_model_does(case in Case::<3>::any()) {
        case.run::<u16>();
        case.run::<Wide>();
    }

    #[test]
    fn exchanges_in_four_dimensions_fill_halos_as_the_model_does(case in Case::<4>::any()) {
        case.run::<u32>();
        case.run::<Kind>();
    }

    #[test]
    fn arrays_begin_as_if_exchanged(case in Case::<3>::any()) {
        case.setting.run(|| {
            let blocks = Blocks::new(case.shape, case.grid()).unwrap();
            let value = |global| value::<u64, 3>(case.seed, 0, global);
            let mut array = HaloArray::from_fn(&blocks, case.halo, value).unwrap();
            let born = array.local().to_owned();
            array.exchange();
            assert_eq!(born, array.local());
        });
    }
}
