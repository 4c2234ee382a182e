//! Scans and reductions of values in coarrays of all, some or no images, which pass through buffers in several pieces or are combined in place.

use coarray::Coarray;
use coarray::collectives::{Algorithm, Collective, co_exscan, co_scan};
use coarray::this_image;
use coarray_proptests::{Sample, Setting, bits, config};
use proptest::prelude::*;

use crate::values::{Digits, input};

/// Numbers of elements: few, about as many as fit a piece or a buffer, and several of them.
fn lengths() -> impl Strategy<Value = usize> {
    let around = |bytes: usize| {
        (bytes / size_of::<Digits>()).saturating_sub(2)..bytes / size_of::<Digits>() + 3
    };
    prop_oneof![
        1 => 0usize..20,
        2 => around(1 << 19),
        1 => around(1 << 16),
        1 => 0usize..20_000,
        3 => 20_000usize..50_000,
    ]
}

/// What image `image` has before the operations.
fn values(seed: u64, image: usize, length: usize) -> Vec<Digits> {
    (0..length)
        .map(|index| Digits::sample(input(seed, image, index)))
        .collect()
}

/// The first element, if any, of which the bits differ.
fn difference(one: &[Digits], other: &[Digits]) -> Option<usize> {
    assert_eq!(one.len(), other.len());
    (0..one.len()).find(|&index| bits(&one[index]) != bits(&other[index]))
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn scans_and_reductions_join_in_order_wherever_values_lie(
        setting in Setting::anywhere(),
        length in lengths(),
        in_coarrays: u8,
        root: prop::sample::Index,
        seed: u64,
    ) {
        let (images, root) = (setting.images, root.index(setting.images));
        let inputs: Vec<_> = (0..images).map(|image| values(seed, image, length)).collect();
        let initial = Digits::sample(seed);
        let joined = |images: &[Vec<Digits>], index: usize| {
            images.iter().map(|values| values[index]).reduce(Digits::then)
        };
        setting.run_in(4 << 20, || {
            let me = this_image();
            let (mut private, mut lent) = (vec![initial; length], Coarray::<[Digits]>::from_fn(length, |_| initial));
            let mine = match in_coarrays >> (me % 8) & 1 {
                0 => &mut private[..],
                _ => &mut lent[..],
            };
            // One after the other: the values may be changed as soon as an operation is over.
            mine.copy_from_slice(&inputs[me]);
            co_scan(mine, Digits::then);
            let expected: Vec<_> = (0..length).filter_map(|index| joined(&inputs[..=me], index)).collect();
            assert_eq!(difference(mine, &expected), None, "a scan on image {me}");

            mine.copy_from_slice(&inputs[me]);
            co_exscan(mine, initial, Digits::then);
            let after = |index| joined(&inputs[..me], index).map_or(initial, |all| initial.then(all));
            let expected: Vec<_> = (0..length).map(after).collect();
            assert_eq!(difference(mine, &expected), None, "an exclusive scan on image {me}");

            let all: Vec<_> = (0..length).filter_map(|index| joined(&inputs, index)).collect();
            for algorithm in [None, Some(Algorithm::InPlace)] {
                let by = algorithm.map_or_else(Collective::new, |one| Collective::new().algorithm(one));
                mine.copy_from_slice(&inputs[me]);
                by.co_reduce_to(mine, root, Digits::then);
                let expected = if me == root { &all } else { &inputs[me] };
                assert_eq!(difference(mine, expected), None, "to {root} on image {me}, {algorithm:?}");

                mine.copy_from_slice(&inputs[me]);
                by.co_reduce(mine, Digits::then);
                assert_eq!(difference(mine, &all), None, "on image {me}, {algorithm:?}");
            }
        });
    }
}
