//! Operations that bring together, deal out or pass on what images have.

use coarray::collectives::{Algorithm, Collective, Kind};
use coarray::testing::Message;
use coarray::{num_images, this_image};

use crate::{messages, messages_of_each, received, some_roots};

/// Elements of eight bytes of each part.
const LENGTH: usize = 6;

fn all() -> usize {
    num_images() * LENGTH
}

/// What a gathering to, or a dealing out from, each of these roots sends.
fn sent(
    kind: Kind,
    algorithm: Algorithm,
    images: usize,
    per_node: usize,
    roots: &[usize],
) -> Vec<(usize, Vec<Message>)> {
    messages_of_each(images, per_node, roots, |root| {
        let how = Collective::new().algorithm(algorithm);
        let mut mine = [this_image() as u64; LENGTH];
        let mut parts = vec![1u64; if this_image() == root { all() } else { 0 }];
        match kind {
            Kind::Gather => how.co_gather(&mine, &mut parts, root),
            _ => how.co_scatter(&parts, &mut mine, root),
        }
    })
}

#[test]
fn every_image_but_the_root_gives_or_gets_its_part_in_one_message() {
    for kind in [Kind::Gather, Kind::Scatter] {
        for &algorithm in kind.algorithms() {
            for images in 1..=17 {
                for (root, messages) in sent(kind, algorithm, images, 3, &some_roots(images)) {
                    let giving = |message: &Message| match kind {
                        Kind::Gather => message.from,
                        _ => message.to,
                    };
                    let mut others: Vec<usize> = messages.iter().map(giving).collect();
                    others.sort_unstable();
                    let expected = (0..images).filter(|&image| image != root);
                    assert!(
                        others.into_iter().eq(expected),
                        "{kind:?} by {algorithm}, root {root} of {images}: {messages:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn between_nodes_there_is_one_message_for_each_node_but_that_of_the_root() {
    for kind in [Kind::Gather, Kind::Scatter] {
        for (root, messages) in sent(kind, Algorithm::Hierarchical, 128, 8, &[0, 7, 60, 127]) {
            let node = |image| image / 8;
            let between = messages
                .iter()
                .filter(|message| node(message.from) != node(message.to));
            assert_eq!(between.count(), 15, "{kind:?}, root {root}");
        }
    }
}

/// Checks that each image receives from the one before it only, and so many bytes.
#[track_caller]
fn is_ring(images: usize, sent: &[Message], bytes: usize) {
    for image in 0..images {
        let before = (image + images - 1) % images;
        let mut to_it = sent.iter().filter(|message| message.to == image);
        assert!(
            to_it.all(|message| message.from == before),
            "{images} images: {sent:?}"
        );
        assert_eq!(
            received(sent, image),
            bytes,
            "{images} images, image {image}"
        );
    }
}

#[test]
fn in_a_ring_each_image_reads_the_parts_of_all_others_from_the_one_before() {
    for images in 1..=17 {
        let bytes = 8 * LENGTH * (images - 1);
        let how = Collective::new().algorithm(Algorithm::Ring);
        let gathered = messages(images, 4, || {
            how.co_allgather(&[1u64; LENGTH], &mut vec![0; all()]);
        });
        is_ring(images, &gathered, bytes);
        let joined = messages(images, 4, || {
            how.co_reduce_scatter(&vec![1u64; all()], &mut [0u64; LENGTH], |a, b| a + b);
        });
        is_ring(images, &joined, bytes);
    }
}

#[test]
fn in_a_chain_each_image_reads_from_the_one_before() {
    for images in 1..=17 {
        let sent = messages(images, 4, || {
            let how = Collective::new().algorithm(Algorithm::Chain);
            how.co_scan(&mut [1u64; 100], |a, b| a + b);
        });
        assert!(
            sent.iter().all(|message| message.from + 1 == message.to),
            "{sent:?}"
        );
        assert!((1..images).all(|image| received(&sent, image) == 800));
    }
}

#[test]
fn in_an_exchange_by_pairs_no_two_images_read_from_one_at_a_time() {
    for images in 1..=17 {
        let sent = messages(images, 4, || {
            let how = Collective::new().algorithm(Algorithm::Pairwise);
            how.co_alltoall(&vec![1u64; all()], &mut vec![0; all()]);
        });
        let of = |image| sent.iter().filter(move |message| message.to == image);
        for step in 0..images - 1 {
            let mut senders: Vec<usize> = (0..images)
                .map(|image| of(image).nth(step).unwrap().from)
                .collect();
            senders.sort_unstable();
            assert!(
                senders.into_iter().eq(0..images),
                "{images} images, step {step}"
            );
        }
        assert_eq!(sent.len(), images * (images - 1));
        assert!(sent.iter().all(|message| message.bytes == 8 * LENGTH));
    }
}
