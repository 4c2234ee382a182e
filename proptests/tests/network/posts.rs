//! Posts between nodes: whom they go to; and the room that each image has for them, in which collectives of all kinds and lengths follow each other.

use coarray::Launch;
use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;
use coarray_fabric::transport::simulated::Carried;
use coarray_proptests::config;
use proptest::prelude::*;

use crate::counting::{Counts, Link, NODES, counted_in, print_row};
use crate::links;

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

/// The stamps of posts begin again after 255 periods, of three posts each here.
#[test]
fn posts_follow_each_other_when_all_stamps_have_been_used() {
    let launch = Launch::new(3).simulated_nodes(3).heap(1 << 20);
    let outcome = launch.run(|| {
        for number in 0..2000 {
            let length = [250, 1, 125][number % 3];
            carry_out(number, Kind::Broadcast, length, number % 2);
        }
    });
    assert!(outcome.is_ok(), "{outcome:?}");
}

/// A collective operation in which images post: its name, what is called, and from whom to whom on some number of images.
type Posted = (&'static str, fn(Collective), fn(usize) -> Vec<Link>);

/// From image 0 to each other image.
fn from_first(images: usize) -> Vec<Link> {
    (1..images).map(|image| (0, image)).collect()
}

fn to_first(images: usize) -> Vec<Link> {
    (1..images).map(|image| (image, 0)).collect()
}

fn to_last(images: usize) -> Vec<Link> {
    (0..images - 1).map(|image| (image, images - 1)).collect()
}

fn to_later(images: usize) -> Vec<Link> {
    let later = |image| (image + 1..images).map(move |other| (image, other));
    (0..images).flat_map(later).collect()
}

fn to_all(images: usize) -> Vec<Link> {
    let to = |image| (0..images).map(move |other| (image, other));
    (0..images)
        .flat_map(to)
        .filter(|(from, to)| from != to)
        .collect()
}

#[test]
fn a_post_goes_to_each_reader_and_to_no_other() {
    println!("signals of a collective operation in which images post");
    print_row(
        "nodes",
        "",
        &NODES.map(|nodes| nodes as u64).collect::<Vec<_>>(),
    );
    let subjects: [Posted; 8] = [
        ("co_broadcast", links::broadcast, from_first),
        ("co_sum", links::sum, to_all),
        ("co_sum_to", links::sum_to, to_last),
        ("co_gather", links::gather, to_first),
        ("co_scatter", links::scatter, from_first),
        ("co_allgather", links::allgather, to_all),
        ("co_alltoall", links::alltoall, to_all),
        ("co_scan", links::scan, to_later),
    ];
    for (name, call, links) in subjects {
        let count = |nodes: usize| {
            let operation = || call(Collective::new().algorithm(Algorithm::Eager));
            let counts = counted_in(nodes, |count| count(&operation));
            let links = links(nodes);
            let expected: Counts = (links.iter().copied())
                .map(|link| ((Carried::Signal, link), 1))
                .collect();
            assert_eq!(counts, expected, "{name} of {nodes} nodes");
            links.len() as u64
        };
        print_row(name, "eager", &NODES.map(count).collect::<Vec<_>>());
    }
}
