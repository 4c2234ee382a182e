//! Posts between nodes: each image has the same room for them, in which collectives of all kinds and lengths follow each other.

use coarray::Launch;
use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;
use coarray_proptests::config;
use proptest::prelude::*;

/// A collective operation in which images post.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Broadcast,
    Sum,
    SumTo,
    Gather,
    Allgather,
    Scatter,
    Alltoall,
    Scan,
}

const KINDS: [Kind; 8] = {
    use Kind::{Allgather, Alltoall, Broadcast, Gather, Scan, Scatter, Sum, SumTo};
    [
        Broadcast, Sum, SumTo, Gather, Allgather, Scatter, Alltoall, Scan,
    ]
};

/// What image `from` has for image `to` in the operation with this number.
fn value(number: usize, from: usize, to: usize) -> u64 {
    (number * 10_000 + from * 100 + to) as u64
}

fn same_from_each(number: usize, length: usize, images: usize) -> Vec<u64> {
    (0..images)
        .flat_map(|from| vec![value(number, from, 0); length])
        .collect()
}

/// Calls the operation with this number, and checks what this image gets.
fn carry_out(number: usize, kind: Kind, length: usize, root: usize) {
    let (me, images) = (this_image(), num_images());
    let by = Collective::new().algorithm(Algorithm::Eager);
    let mut values = vec![value(number, me, 0); length];
    let sum_of = |count: usize| (0..count).map(|from| value(number, from, 0)).sum::<u64>();
    match kind {
        Kind::Broadcast => {
            by.co_broadcast(&mut values[..], root);
            assert_eq!(values, vec![value(number, root, 0); length]);
        }
        Kind::Sum => {
            by.co_sum(&mut values[..]);
            assert_eq!(values, vec![sum_of(images); length]);
        }
        Kind::SumTo => {
            by.co_sum_to(&mut values[..], root);
            assert!(me != root || values == vec![sum_of(images); length]);
        }
        Kind::Gather => {
            let mut gathered = vec![0; if me == root { length * images } else { 0 }];
            by.co_gather(&values[..], &mut gathered, root);
            assert!(me != root || gathered == same_from_each(number, length, images));
        }
        Kind::Allgather => {
            let mut gathered = vec![0; length * images];
            by.co_allgather(&values[..], &mut gathered);
            assert_eq!(gathered, same_from_each(number, length, images));
        }
        Kind::Scatter => {
            let parts = (0..images).flat_map(|to| vec![value(number, root, to); length]);
            let parts: Vec<u64> = parts.filter(|_| me == root).collect();
            by.co_scatter(&parts, &mut values[..], root);
            assert_eq!(values, vec![value(number, root, me); length]);
        }
        Kind::Alltoall => {
            let all = |value: &dyn Fn(usize) -> u64| -> Vec<u64> {
                (0..images)
                    .flat_map(|other| vec![value(other); length])
                    .collect()
            };
            let mut received = vec![0; length * images];
            by.co_alltoall(&all(&|to| value(number, me, to)), &mut received);
            assert_eq!(received, all(&|from| value(number, from, me)));
        }
        Kind::Scan => {
            by.co_scan(&mut values[..], |a, b| a + b);
            assert_eq!(values, vec![sum_of(me + 1); length]);
        }
    }
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    fn collectives_of_all_lengths_follow_each_other(
        images in 2..=8_usize,
        operations in prop::collection::vec(
            (prop::sample::select(&KINDS[..]), 0..40_usize, any::<prop::sample::Index>()),
            1..300,
        ),
    ) {
        let launch = Launch::new(images).simulated_nodes(images).heap(1 << 20);
        let outcome = launch.run(|| {
            for (number, &(kind, length, root)) in operations.iter().enumerate() {
                carry_out(number, kind, length, root.index(num_images()));
            }
        });
        prop_assert!(outcome.is_ok(), "{outcome:?}");
    }
}
