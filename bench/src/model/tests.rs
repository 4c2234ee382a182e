//! That the model's messages are the library's, its short cuts right, and its times those that are known.

use coarray::{Launch, this_image};

use super::collective::Collective;
use super::network::Message;
use super::*;

const NETWORKS: [LogGp; 4] = [
    LogGp {
        latency: 1000.0,
        overhead: 300.0,
        gap: 400.0,
        per_byte: 0.05,
    },
    LogGp {
        latency: 6.0,
        overhead: 2.0,
        gap: 4.0,
        per_byte: 0.25,
    },
    // An image that is busy with messages all the time, and one that waits for its network all the time.
    LogGp {
        latency: 50.0,
        overhead: 400.0,
        gap: 10.0,
        per_byte: 1.0,
    },
    LogGp {
        latency: 100.0,
        overhead: 10.0,
        gap: 900.0,
        per_byte: 2.0,
    },
];

const PER_NODE: usize = 3;

fn collectives() -> impl Iterator<Item = (Kind, Algorithm)> {
    Subject::all().filter_map(|subject| match subject {
        Subject::Collective(kind, algorithm) => Some((kind, algorithm)),
        Subject::Barrier(_) => None,
    })
}

fn extent(elements: u64) -> Extent {
    Extent {
        bytes: elements * ELEMENT,
        per_node: PER_NODE,
    }
}

fn collective(kind: Kind, algorithm: Algorithm, elements: u64) -> Collective {
    Collective {
        kind,
        algorithm,
        elements,
        per_node: PER_NODE,
    }
}

/// What the library sends, in the order of senders.
fn really_sent(images: usize, kind: Kind, algorithm: Algorithm, elements: usize) -> Vec<Message> {
    let operation = || {
        let how = coarray::collectives::Collective::new().algorithm(algorithm);
        let all = coarray::num_images() * elements;
        let mut mine = vec![this_image() as u64; elements];
        let mut blocks = vec![1_u64; all];
        match kind {
            Kind::Broadcast => how.co_broadcast(&mut mine[..], 0),
            Kind::Reduce => how.co_sum(&mut mine[..]),
            Kind::ReduceTo => how.co_sum_to(&mut mine[..], 0),
            Kind::Gather => how.co_gather(&mine[..], &mut blocks, 0),
            Kind::Allgather => how.co_allgather(&mine[..], &mut blocks),
            Kind::Scatter => how.co_scatter(&blocks, &mut mine[..], 0),
            Kind::Alltoall => how.co_alltoall(&blocks.clone(), &mut blocks),
            Kind::ReduceScatter => {
                how.co_reduce_scatter(&blocks, &mut mine[..], |a, b| a + b);
            }
            Kind::Scan => how.co_scan(&mut mine[..], |a, b| a + b),
            Kind::SumReproducible | Kind::TotalReproducible => unreachable!(),
        }
    };
    let launch = Launch::new(images).images_per_node(PER_NODE).heap(1 << 16);
    let received = launch
        .run(|| coarray::testing::record_messages(operation).1)
        .unwrap();
    let message = |message: &coarray::testing::Message| Message {
        from: message.from,
        to: message.to,
        bytes: message.bytes as u64,
    };
    let mut messages: Vec<Message> = received.iter().flatten().map(message).collect();
    messages.sort_unstable();
    messages
}

#[test]
fn the_messages_are_those_of_the_library() {
    for images in 1..=17 {
        for (kind, algorithm) in collectives() {
            // Fewer and more than there are images. Where an image has a block for each, blocks that are too long for
            // the payload of a barrier.
            for elements in [5, 40] {
                let mut network = Network::exhaustive(NETWORKS[0], images);
                collective(kind, algorithm, elements).run(&mut network);
                let sent = really_sent(images, kind, algorithm, elements as usize);
                assert_eq!(
                    network.messages(),
                    sent,
                    "{kind:?} {algorithm} of {elements} elements on {images} images"
                );
                let tally = network.tally();
                assert_eq!(tally.messages, sent.len() as u64);
                let most = (0..images).map(|image| {
                    let from = sent.iter().filter(|message| message.from == image);
                    let to = sent.iter().filter(|message| message.to == image);
                    from.count().max(to.count())
                });
                assert_eq!(Some(tally.most), most.max().map(|most| most as u64));
            }
        }
    }
}

/// With and without short cuts.
fn both(machine: LogGp, subject: Subject, images: usize, extent: Extent) -> [(f64, Tally); 2] {
    let mut every_message = Network::exhaustive(machine, images);
    simulate(&mut every_message, subject, extent);
    let mut short = Network::new(machine, images);
    short.is_exhaustive = false;
    let tally = simulate(&mut short, subject, extent).unwrap_or_else(|| short.tally());
    [
        (every_message.time(), every_message.tally()),
        (short.time(), tally),
    ]
}

fn is_close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

#[test]
fn short_cuts_lead_to_the_same_times_and_messages() {
    for machine in NETWORKS {
        for subject in Subject::all() {
            let deals = subject.algorithm() == "scatter_allgather";
            let counts = if deals {
                vec![300, 517]
            } else {
                (1..=40).collect()
            };
            for images in counts {
                // As many elements for each image, so that all slices are alike.
                let extent = extent(3 * images as u64);
                let [every, short] = both(machine, subject, images, extent);
                assert_eq!(every.1, short.1, "{subject:?} {images} images");
                assert!(
                    is_close(every.0, short.0),
                    "{subject:?} {images} images {machine:?}: {} instead of {}",
                    short.0,
                    every.0
                );
            }
        }
    }
}

#[test]
fn short_cuts_take_every_slice_for_the_longest_and_count_right() {
    for machine in NETWORKS {
        for subject in Subject::all() {
            let deals = subject.algorithm() == "scatter_allgather";
            let counts = if deals { vec![300] } else { (1..=24).collect() };
            for images in counts {
                for elements in [1, 2, 7, 23, 100] {
                    let [every, short] = both(machine, subject, images, extent(elements));
                    assert_eq!(
                        every.1, short.1,
                        "{subject:?} of {elements} elements, {images} images"
                    );
                    // A slice passes four steps of each image, as a byte of another may.
                    let longer = 4.0 * images as f64 * machine.per_byte * ELEMENT as f64;
                    assert!(
                        short.0 >= every.0 * (1.0 - 1e-9) && short.0 <= every.0 + longer,
                        "{subject:?} of {elements} elements, {images} images, {machine:?}: {} instead of {}",
                        short.0,
                        every.0
                    );
                }
            }
        }
    }
}

fn time(machine: LogGp, subject: Subject, images: usize, elements: u64) -> f64 {
    predict(machine, subject, images, extent(elements)).time
}

#[test]
fn one_message_takes_what_loggp_says() {
    let broadcast = Subject::Collective(Kind::Broadcast, Algorithm::Flat);
    for machine in NETWORKS {
        let LogGp {
            latency,
            overhead,
            per_byte,
            ..
        } = machine;
        // Alexandrov and others 1995, section 2: o + (k - 1) G + L + o.
        let expected = 2.0 * overhead + 799.0 * per_byte + latency;
        assert!(is_close(time(machine, broadcast, 2, 100), expected));
        // The last of many leaves after as many steps.
        let step = overhead.max(machine.gap + 799.0 * per_byte);
        let last = 8.0 * step + expected;
        assert!(is_close(time(machine, broadcast, 10, 100), last));
    }
}

#[test]
fn the_dissemination_barrier_takes_a_message_for_each_doubling() {
    // Hensgen, Finkel and Manber 1988; an exchange is L + 2 o, if that is longer than g.
    let barrier = Subject::Barrier(Barrier::Dissemination);
    for machine in &NETWORKS[..3] {
        for images in [1, 2, 3, 4, 5, 100, 128, 129, 1 << 20] {
            let rounds = (images as f64).log2().ceil();
            let expected = rounds * (machine.latency + 2.0 * machine.overhead);
            assert!(is_close(time(*machine, barrier, images, 0), expected));
            let tally = predict(*machine, barrier, images, extent(0)).tally;
            assert_eq!(tally.messages, images as u64 * rounds as u64);
            assert_eq!(tally.most, rounds as u64);
        }
    }
}

#[test]
fn a_binomial_broadcast_takes_a_message_for_each_doubling() {
    // The tree of Culler and others 1993, figure 3, if an image could only start again after a whole message.
    let broadcast = Subject::Collective(Kind::Broadcast, Algorithm::Binomial);
    for machine in &NETWORKS[..3] {
        for doublings in [0, 1, 5, 10, 16] {
            let message = machine.delivery(8) + machine.overhead;
            let expected = f64::from(doublings) * message;
            assert!(is_close(
                time(*machine, broadcast, 1 << doublings, 1),
                expected
            ));
        }
    }
}

#[test]
fn everybody_to_everybody_takes_a_gap_each() {
    // Culler and others 1993, section 4.1.2: with a staggered order the network takes a message from each image in each
    // step, so n - 1 messages go out in n - 2 gaps and the time of one, if sending and receiving fit into a gap.
    let exchange = Subject::Collective(Kind::Alltoall, Algorithm::Pairwise);
    let machine = NETWORKS[1];
    for images in [2, 3, 64, 1000, 100_000] {
        let step = machine.gap + machine.stream(8);
        let expected = (images - 2) as f64 * step + machine.delivery(8) + machine.overhead;
        let time = time(machine, exchange, images, 1);
        // It may have to send just when something comes.
        assert!(
            time >= expected * (1.0 - 1e-9) && time <= expected + 2.0 * machine.overhead,
            "{images} images: {time} instead of {expected}"
        );
    }
    // All to the same image at the same time: it begins when the others have ended.
    let crowded = Subject::Collective(Kind::Alltoall, Algorithm::Flat);
    for images in [64, 1000] {
        let ratio = time(machine, crowded, images, 1) / time(machine, exchange, images, 1);
        assert!((1.8..2.1).contains(&ratio), "{ratio}");
    }
}

#[test]
fn the_counted_images_of_a_central_barrier_come_one_after_the_other() {
    let machine = NETWORKS[0];
    let central = predict(machine, Subject::Barrier(Barrier::Central), 1000, extent(0));
    assert_eq!((central.tally.messages, central.tally.most), (2 * 999, 999));
    let message = machine.latency + 2.0 * machine.overhead;
    // In at intervals of a gap, and out again.
    let expected = 2.0 * (message + 998.0 * machine.gap);
    assert!(
        is_close(central.time, expected),
        "{} {expected}",
        central.time
    );
}

#[test]
fn a_ring_is_the_fastest_for_long_values_and_doubling_for_short_ones() {
    let best = |elements, algorithms: &[Algorithm]| {
        let of = |&algorithm| {
            let subject = Subject::Collective(Kind::Reduce, algorithm);
            predict(NETWORKS[0], subject, 64, extent(elements))
        };
        let predictions: Vec<Prediction> = algorithms.iter().map(of).collect();
        fastest(predictions.iter()).unwrap().subject.algorithm()
    };
    let both = [Algorithm::Ring, Algorithm::RecursiveDoubling];
    assert_eq!(best(1, &both), "recursive_doubling");
    assert_eq!(best(10_000_000, &both), "ring");
}

#[test]
fn the_model_knows_a_million_images() {
    let of_million = [
        Subject::Barrier(Barrier::Flat),
        Subject::Collective(Kind::Reduce, Algorithm::Ring),
        Subject::Collective(Kind::Broadcast, Algorithm::Binomial),
    ];
    let of_many = Subject::all().map(|subject| (subject, 1 << 14));
    for (subject, images) in of_many.chain(of_million.map(|subject| (subject, 1 << 20))) {
        let prediction = predict(NETWORKS[0], subject, images, extent(1));
        assert!(prediction.time.is_finite() && prediction.time > 0.0);
        let Tally {
            messages,
            signals,
            most,
        } = prediction.tally;
        assert!(
            messages + signals >= images as u64 - 1 && most > 0,
            "{prediction:?}"
        );
    }
}
