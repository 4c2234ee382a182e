//! The messages and one-sided operations between nodes, by link, of every operation: one image on each node.

use coarray::atomics::Coatomic;
use coarray::collectives::{Algorithm, Collective};
use coarray::events::Coevent;
use coarray::locks::Comutex;
use coarray::prelude::*;
use coarray_fabric::transport::simulated::Carried;

use crate::counting::{Counts, Link, NODES, counted, counted_in, print_row, total};

/// Elements of eight bytes: more than a barrier carries, and less than the eager limit.
const SHORT: usize = 20;

/// More than the eager limit.
const LONG: usize = 200;

/// How many pieces [`SHORT`] elements pass along a chain in.
const PIECES: usize = 7;

/// From each image of a binomial tree to its parent.
fn up(images: usize) -> Vec<Link> {
    (1..images)
        .map(|image| (image, image & (image - 1)))
        .collect()
}

fn down(images: usize) -> Vec<Link> {
    up(images)
        .into_iter()
        .map(|(from, to)| (to, from))
        .collect()
}

fn up_and_down(images: usize) -> Vec<Link> {
    [up(images), down(images)].concat()
}

/// From each image to the next, several times around.
fn ring(images: usize, times: usize) -> Vec<Link> {
    let around = (0..images).map(|image| (image, (image + 1) % images));
    around.flat_map(|link| vec![link; times]).collect()
}

/// Every image to the image at each doubling distance after it that exists.
fn scan_by_doubling(images: usize) -> Vec<Link> {
    let distances = || {
        (0..)
            .map(|round| 1 << round)
            .take_while(|&distance| distance < images)
    };
    let links = |image| distances().map(move |distance| (image, image + distance));
    let exists = |link: &Link| link.1 < images;
    (0..images).flat_map(links).filter(exists).collect()
}

/// Every image to the image at each doubling distance before it, around.
fn gather_by_doubling(images: usize) -> Vec<Link> {
    let distances = || {
        (0..)
            .map(|round| 1 << round)
            .take_while(|&distance| distance < images)
    };
    let links =
        |image| distances().map(move |distance| (image, (image + images - distance) % images));
    (0..images).flat_map(links).collect()
}

/// Partners of all powers of two among the participants; every second one of the first images gives its values and gets results.
fn reduce_by_doubling(images: usize) -> Vec<Link> {
    let rounds = images.ilog2();
    let extra = images - (1 << rounds);
    let image = |number: usize| {
        if number < extra {
            2 * number
        } else {
            number + extra
        }
    };
    let numbers = 0..1_usize << rounds;
    let partners =
        |number| (0..rounds).map(move |round| (image(number), image(number ^ 1 << round)));
    let outside = (0..extra).flat_map(|pair| [(2 * pair + 1, 2 * pair), (2 * pair, 2 * pair + 1)]);
    numbers.flat_map(partners).chain(outside).collect()
}

/// A slice to each image, and all slices to image 1; then around the ring from image 1 on.
fn scatter_allgather(images: usize) -> Vec<Link> {
    let scatter = (1..images).flat_map(|image| [(0, image), (0, 1)]);
    let pass = (1..images - 1).flat_map(|image| vec![(image, image + 1); images - 1]);
    scatter.chain(pass).collect()
}

fn chain(images: usize) -> Vec<Link> {
    let links = (1..images).map(|image| (image - 1, image));
    links.flat_map(|link| vec![link; PIECES]).collect()
}

/// A flat collective operation: its name, what is called, and how many gets there are on some number of images.
type Flat = (&'static str, fn(Collective), fn(u64) -> u64);

/// A collective operation: its name, what is called, and the links of the steps on some number of images.
type Subject = (
    &'static str,
    fn(Collective),
    Algorithm,
    fn(usize) -> Vec<Link>,
);

pub(super) fn broadcast(by: Collective) {
    by.co_broadcast(&mut [7_u64; SHORT], 0);
}

fn long_broadcast(by: Collective) {
    by.co_broadcast(&mut [7_u64; LONG], 0);
}

pub(super) fn sum(by: Collective) {
    by.co_sum(&mut [1_u64; SHORT]);
}

pub(super) fn sum_to(by: Collective) {
    by.co_sum_to(&mut [1_u64; SHORT], num_images() - 1);
}

pub(super) fn gather(by: Collective) {
    by.co_gather(&[1_u64; SHORT], &mut vec![0; SHORT * num_images()], 0);
}

pub(super) fn scatter(by: Collective) {
    by.co_scatter(&vec![1_u64; SHORT * num_images()], &mut [0_u64; SHORT], 0);
}

pub(super) fn allgather(by: Collective) {
    by.co_allgather(&[1_u64; SHORT], &mut vec![0; SHORT * num_images()]);
}

pub(super) fn alltoall(by: Collective) {
    by.co_alltoall(
        &vec![1_u64; SHORT * num_images()],
        &mut vec![0; SHORT * num_images()],
    );
}

fn reduce_scatter(by: Collective) {
    by.co_reduce_scatter(
        &vec![1_u64; SHORT * num_images()],
        &mut [0_u64; SHORT],
        |a, b| a + b,
    );
}

pub(super) fn scan(by: Collective) {
    by.co_scan(&mut [1_u64; SHORT], |a, b| a + b);
}

/// Two rings, one for each half of the algorithm.
fn two_rings(images: usize) -> Vec<Link> {
    ring(images, 2 * (images - 1))
}

fn one_ring(images: usize) -> Vec<Link> {
    ring(images, images - 1)
}

fn up_and_over(images: usize) -> Vec<Link> {
    [up(images), vec![(0, images - 1)]].concat()
}

const SUBJECTS: [Subject; 20] = {
    use Algorithm::{Binomial, Chain, Hierarchical, RecursiveDoubling, Ring, ScatterAllgather};
    [
        ("co_broadcast", broadcast, Binomial, down),
        ("co_broadcast, long", long_broadcast, Binomial, down),
        ("co_broadcast", broadcast, Hierarchical, down),
        (
            "co_broadcast",
            broadcast,
            ScatterAllgather,
            scatter_allgather,
        ),
        ("co_sum", sum, Binomial, up_and_down),
        ("co_sum", sum, Hierarchical, up_and_down),
        ("co_sum", sum, RecursiveDoubling, reduce_by_doubling),
        ("co_sum", sum, Ring, two_rings),
        ("co_sum_to", sum_to, Binomial, up_and_over),
        ("co_gather", gather, Binomial, up),
        ("co_gather", gather, Hierarchical, up),
        ("co_scatter", scatter, Binomial, down),
        ("co_scatter", scatter, Hierarchical, down),
        (
            "co_allgather",
            allgather,
            RecursiveDoubling,
            gather_by_doubling,
        ),
        ("co_allgather", allgather, Ring, one_ring),
        ("co_allgather", allgather, Binomial, up_and_down),
        ("co_reduce_scatter", reduce_scatter, Ring, one_ring),
        ("co_reduce_scatter", reduce_scatter, Binomial, up_and_down),
        ("co_scan", scan, RecursiveDoubling, scan_by_doubling),
        ("co_scan", scan, Chain, chain),
    ]
};

#[test]
fn each_step_is_one_message_to_each_reader() {
    println!("messages of a collective operation, besides those of its barrier");
    print_row(
        "nodes",
        "",
        &NODES.map(|nodes| nodes as u64).collect::<Vec<_>>(),
    );
    for (name, call, algorithm, links) in SUBJECTS {
        let count = |nodes: usize| {
            let counts = counted(nodes, || call(Collective::new().algorithm(algorithm)));
            let mut expected = Counts::new();
            for link in links(nodes) {
                *expected.entry((Carried::Message, link)).or_default() += 1;
            }
            let is_message = |&(carried, _): &(Carried, Link)| carried == Carried::Message;
            let messages: Counts = counts
                .clone()
                .into_iter()
                .filter(|(what, _)| is_message(what))
                .collect();
            assert_eq!(messages, expected, "{name} {algorithm} of {nodes} nodes");
            // What is longer than the eager limit is got, once its message has come.
            let gets = total(&counts, Carried::Get);
            let is_long = name.ends_with("long");
            let expected = if is_long { nodes as u64 - 1 } else { 0 };
            assert!(
                !name.starts_with("co_broadcast") || gets == expected,
                "{name} of {nodes} nodes"
            );
            total(&counts, Carried::Message)
        };
        print_row(
            name,
            &algorithm.to_string(),
            &NODES.map(count).collect::<Vec<_>>(),
        );
    }
}

#[test]
fn trees_of_any_shape_send_one_message_to_each_image() {
    for algorithm in [Algorithm::FourAry, Algorithm::SquareRoot] {
        let by = || Collective::new().algorithm(algorithm);
        for nodes in NODES {
            let edges = nodes as u64 - 1;
            let messages =
                |call: fn(Collective)| total(&counted(nodes, || call(by())), Carried::Message);
            let counts = [broadcast, gather, scatter, sum].map(messages);
            assert_eq!(
                counts,
                [edges, edges, edges, 2 * edges],
                "{algorithm} of {nodes} nodes"
            );
        }
    }
}

#[test]
fn flat_algorithms_get_after_the_barrier() {
    println!("gets of a flat collective operation");
    print_row(
        "nodes",
        "",
        &NODES.map(|nodes| nodes as u64).collect::<Vec<_>>(),
    );
    let subjects: [Flat; 6] = [
        ("co_broadcast", broadcast, |nodes| nodes - 1),
        ("co_sum", sum, |nodes| nodes * (nodes - 1)),
        ("co_gather", gather, |nodes| nodes - 1),
        ("co_scatter", scatter, |nodes| nodes - 1),
        ("co_allgather", allgather, |nodes| nodes * (nodes - 1)),
        ("co_alltoall", alltoall, |nodes| nodes * (nodes - 1)),
    ];
    for (name, call, expected) in subjects {
        let count = |nodes: usize| {
            let counts = counted(nodes, || call(Collective::new().algorithm(Algorithm::Flat)));
            assert_eq!(
                total(&counts, Carried::Get),
                expected(nodes as u64),
                "{name} of {nodes} nodes"
            );
            total(&counts, Carried::Get)
        };
        print_row(name, "flat", &NODES.map(count).collect::<Vec<_>>());
    }
}

/// Messages from image 0 to image 1 and back, puts, atomic operations, signals alone, and puts with signal.
fn one_sided(counts: &Counts) -> [u64; 6] {
    let of = |carried, link| counts.get(&(carried, link)).copied().unwrap_or(0);
    let links = [(0, 1), (1, 0)];
    let [there, back] = links.map(|link| of(Carried::Message, link));
    let both = |one| links.into_iter().map(|link| of(one, link)).sum();
    let [puts, atomics] = [Carried::Put, Carried::Atomic].map(both);
    let [signals, with_signal] = [Carried::Signal, Carried::PutSignal].map(both);
    let is_other = |(_, link): &&(Carried, Link)| ![(0, 1), (1, 0)].contains(link);
    assert_eq!(counts.keys().find(is_other), None);
    [there, back, puts, atomics, signals, with_signal]
}

#[test]
fn one_sided_operations_use_their_own_link() {
    println!(
        "nodes  one-sided operation   there   back   puts  atomics  signals  puts with signal"
    );
    for nodes in NODES {
        let check = |name: &str, counts: Counts, expected: [u64; 6]| {
            let counts = one_sided(&counts);
            assert_eq!(counts, expected, "{name} of {nodes} nodes");
            let [there, back, puts, atomics, signals, with_signal] = counts;
            println!(
                "{nodes:5}  {name:20} {there:6} {back:6} {puts:6} {atomics:8} {signals:8} {with_signal:17}"
            );
        };
        let post = counted_in(nodes, |count| {
            let event = Coarray::new(Coevent::new());
            count(&|| match this_image() {
                0 => event.at(1).post(),
                1 => event.wait(),
                _ => {}
            })
        });
        check("event post", post, [0, 0, 0, 0, 1, 0]);
        let posts = counted_in(nodes, |count| {
            let event = Coarray::new(Coevent::new());
            count(&|| match this_image() {
                0 => (0..100).for_each(|_| event.at(1).post()),
                1 => event.wait_for(100),
                _ => {}
            })
        });
        check("100 event posts", posts, [0, 0, 0, 0, 100, 0]);
        let notify = counted_in(nodes, |count| {
            let event = Coarray::new(Coevent::new());
            let mut x = Coarray::new(0_u64);
            let x = x.open();
            count(&|| match this_image() {
                0 => x.at(1).put_notify(7, event.at(1)),
                1 => event.wait(),
                _ => {}
            })
        });
        check("put_notify", notify, [0, 0, 0, 0, 0, 1]);
        let mutex = counted_in(nodes, |count| {
            let mutex = Coarray::new(Comutex::new(0_u64));
            count(&|| {
                if this_image() == 0 {
                    drop(mutex.at(1).lock());
                }
            })
        });
        check("mutex", mutex, [0, 0, 0, 2, 0, 0]);
        let atomic = counted_in(nodes, |count| {
            let word = Coarray::new(Coatomic::new(0_u64));
            count(&|| {
                if this_image() == 0 {
                    word.at(1).fetch_add(1);
                }
            })
        });
        check("fetch_add", atomic, [0, 0, 0, 1, 0, 0]);
    }
}
