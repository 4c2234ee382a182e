//! Broadcasts of a few bytes.

use coarray::collectives::{Algorithm, Collective, co_broadcast};
use coarray::testing::Message;
use coarray::this_image;

use crate::{image_counts, messages_of_each, readers, received, some_roots};

/// What a broadcast of one number from each of these roots sends.
#[track_caller]
fn sent(
    algorithm: Algorithm,
    images: usize,
    per_node: usize,
    roots: &[usize],
) -> Vec<(usize, Vec<Message>)> {
    messages_of_each(images, per_node, roots, |root| {
        let mut value = this_image() as u64;
        Collective::new()
            .algorithm(algorithm)
            .co_broadcast(&mut value, root);
        assert_eq!(value, root as u64, "{algorithm}");
    })
}

/// How many messages go from one node to another.
fn between_nodes(messages: &[Message], per_node: usize) -> usize {
    let node = |image| image / per_node;
    let goes = |message: &&Message| node(message.from) != node(message.to);
    messages.iter().filter(goes).count()
}

/// Every image but the root receives the number once, from an image that has it.
#[track_caller]
fn everyone_has_it_once(images: usize, root: usize, messages: &[Message]) {
    let mut to: Vec<usize> = messages.iter().map(|message| message.to).collect();
    to.sort_unstable();
    assert!(
        to.into_iter()
            .eq((0..images).filter(|&image| image != root)),
        "{messages:?}"
    );
    assert!(
        messages.iter().all(|message| message.bytes == 8),
        "{messages:?}"
    );
}

#[test]
fn one_of_two_levels_among_16_nodes_sends_15_messages_between_them() {
    let roots = [0, 1, 7, 8, 63, 100, 127];
    for (root, messages) in sent(Algorithm::Hierarchical, 128, 8, &roots) {
        everyone_has_it_once(128, root, &messages);
        assert_eq!(between_nodes(&messages, 8), 15, "from {root}");
    }
}

#[test]
fn one_of_two_levels_sends_to_each_node_once() {
    for images in image_counts() {
        for per_node in [1, 2, 3, 5, 8, 64] {
            for (root, messages) in sent(
                Algorithm::Hierarchical,
                images,
                per_node,
                &some_roots(images),
            ) {
                everyone_has_it_once(images, root, &messages);
                let nodes = images.div_ceil(per_node);
                assert_eq!(
                    between_nodes(&messages, per_node),
                    nodes - 1,
                    "{images} images, {per_node} on a node, from {root}"
                );
            }
        }
    }
}

#[test]
fn a_binomial_one_from_image_0_enters_each_node_of_consecutive_images_at_most_once() {
    for (_, messages) in sent(Algorithm::Binomial, 128, 8, &[0]) {
        everyone_has_it_once(128, 0, &messages);
        assert!(between_nodes(&messages, 8) <= 15);
    }
}

#[test]
fn in_a_binomial_one_nobody_is_read_by_more_than_the_doublings() {
    for images in image_counts() {
        let doublings = images.next_power_of_two().trailing_zeros() as usize;
        for (root, messages) in sent(Algorithm::Binomial, images, images, &some_roots(images)) {
            everyone_has_it_once(images, root, &messages);
            let most = readers(images, &messages).into_iter().max();
            assert!(
                most <= Some(doublings),
                "{images} images, from {root}: {most:?}"
            );
        }
    }
}

#[test]
fn in_a_square_root_one_nobody_is_read_by_more_than_the_square_root() {
    for images in image_counts() {
        let all: Vec<usize> = (0..images).collect();
        let roots = if images <= 17 {
            all
        } else {
            some_roots(images)
        };
        // ceil(sqrt(images))
        let limit = (1..).find(|root| root * root >= images).unwrap();
        for (root, messages) in sent(Algorithm::SquareRoot, images, images, &roots) {
            everyone_has_it_once(images, root, &messages);
            let most = readers(images, &messages).into_iter().max();
            assert!(
                most <= Some(limit),
                "{images} images, from {root}: {most:?}"
            );
        }
    }
}

#[test]
fn in_a_four_ary_one_nobody_is_read_by_more_than_four() {
    for images in image_counts() {
        for (root, messages) in sent(Algorithm::FourAry, images, images, &some_roots(images)) {
            everyone_has_it_once(images, root, &messages);
            let most = readers(images, &messages).into_iter().max();
            assert!(most <= Some(4), "{images} images, from {root}: {most:?}");
        }
    }
}

#[test]
fn in_a_flat_one_everyone_reads_from_the_root() {
    for images in image_counts() {
        for (root, messages) in sent(Algorithm::Flat, images, images, &some_roots(images)) {
            everyone_has_it_once(images, root, &messages);
            assert!(messages.iter().all(|message| message.from == root));
        }
    }
}

#[test]
fn one_in_slices_sends_each_image_its_length_from_the_root_and_the_image_before() {
    const LENGTH: usize = 4000;
    for images in 1..=17 {
        let roots = some_roots(images);
        let all = messages_of_each(images, images, &roots, |root| {
            let mut values = vec![this_image() as u16; LENGTH];
            let how = Collective::new().algorithm(Algorithm::ScatterAllgather);
            how.co_broadcast(&mut values, root);
            assert!(values.iter().all(|&value| value == root as u16));
        });
        for (root, messages) in all {
            let from_root = messages.iter().filter(|message| message.from == root);
            let from_root: usize = from_root.map(|message| message.bytes).sum();
            // Each image its slice, and all of them to the next.
            assert!(
                from_root <= 4 * LENGTH,
                "{images} images: the root sends {from_root} bytes"
            );
            for image in (0..images).filter(|&image| image != root) {
                assert_eq!(received(&messages, image), 2 * LENGTH);
                let before = (image + images - 1) % images;
                let mut to_it = messages.iter().filter(|message| message.to == image);
                assert!(to_it.all(|message| message.from == root || message.from == before));
                let sends = messages.iter().filter(|message| message.from == image);
                let sends: usize = sends.map(|message| message.bytes).sum();
                assert!(
                    sends <= 2 * LENGTH,
                    "{images} images: image {image} sends {sends} bytes"
                );
            }
        }
    }
}

#[test]
fn nothing_is_sent_for_no_elements() {
    for &algorithm in coarray::collectives::Kind::Broadcast.algorithms() {
        let sent = crate::messages(5, 2, || {
            Collective::new()
                .algorithm(algorithm)
                .co_broadcast(&mut [0u64; 0], 3);
        });
        assert_eq!(sent, [], "{algorithm}");
    }
}

#[test]
fn with_many_images_the_table_lets_no_image_serve_all_others() {
    let all = messages_of_each(128, 128, &[0, 77], |root| {
        let mut value = this_image() as u64;
        co_broadcast(&mut value, root);
    });
    for (root, messages) in all {
        everyone_has_it_once(128, root, &messages);
        let most = readers(128, &messages).into_iter().max();
        assert!(most <= Some(12), "from {root}: {most:?}");
    }
}
