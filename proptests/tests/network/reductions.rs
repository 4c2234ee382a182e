//! Reductions.

use coarray::collectives::{Algorithm, Collective, Kind, co_sum};
use coarray::this_image;

use crate::{image_counts, messages, messages_of_each, readers, received};

/// Elements of eight bytes that are added.
const LENGTH: usize = 1200;

fn sum_by(algorithm: Algorithm) {
    let mut values = vec![this_image() as u64; LENGTH];
    Collective::new().algorithm(algorithm).co_sum(&mut values);
}

#[test]
fn in_a_ring_each_image_reads_from_the_one_before_and_about_twice_the_length() {
    for images in 1..=17 {
        let sent = messages(images, images, || sum_by(Algorithm::Ring));
        for image in 0..images {
            let before = (image + images - 1) % images;
            let mut to_it = sent.iter().filter(|message| message.to == image);
            assert!(
                to_it.all(|message| message.from == before),
                "{images} images"
            );
            let expected = 2 * (images - 1) * LENGTH * 8 / images;
            // Slices differ by an element.
            let slack = 2 * 8 * images;
            let bytes = received(&sent, image);
            assert!(
                bytes.abs_diff(expected) <= slack,
                "{images} images: image {image} received {bytes} bytes, expected {expected}"
            );
        }
    }
}

#[test]
fn with_shared_work_each_image_reads_less_than_twice_the_length() {
    for images in 1..=17 {
        let sent = messages(images, images, || sum_by(Algorithm::ReduceScatterAllgather));
        for image in 0..images {
            let bytes = received(&sent, image);
            assert!(bytes <= 2 * LENGTH * 8, "{images} images: {bytes} bytes");
        }
    }
}

#[test]
fn with_doubling_distances_nobody_receives_more_often_than_the_doublings() {
    for images in image_counts() {
        let sent = messages(images, images, || {
            let how = Collective::new().algorithm(Algorithm::RecursiveDoubling);
            how.co_sum(&mut 1u64);
        });
        let doublings = images.next_power_of_two().trailing_zeros() as usize;
        for image in 0..images {
            let count = sent.iter().filter(|message| message.to == image).count();
            assert!(count <= doublings + 1, "{images} images: {count} messages");
        }
    }
}

#[test]
fn up_and_down_a_tree_of_nodes_each_node_sends_and_receives_once() {
    for (images, per_node) in [(128, 8), (37, 5), (12, 1), (9, 20)] {
        let sent = messages(images, per_node, || {
            let how = Collective::new().algorithm(Algorithm::Hierarchical);
            how.co_sum(&mut 1u64);
        });
        let node = |image| image / per_node;
        let between = sent
            .iter()
            .filter(|message| node(message.from) != node(message.to));
        assert_eq!(between.count(), 2 * (images.div_ceil(per_node) - 1));
    }
}

#[test]
fn a_result_for_one_image_goes_to_no_other() {
    for &algorithm in Kind::ReduceTo.algorithms() {
        if algorithm == Algorithm::ReduceScatterAllgather {
            continue; // There all work.
        }
        let roots = [0, 4, 9];
        let all = messages_of_each(10, 3, &roots, |root| {
            let mut value = 1u64;
            Collective::new()
                .algorithm(algorithm)
                .co_sum_to(&mut value, root);
        });
        for (root, messages) in all {
            // Nine values go up, and the result over, if it is not there yet.
            let extra = usize::from(algorithm != Algorithm::Flat && root != 0);
            assert!(
                messages.len() <= 9 + extra,
                "{algorithm} to {root}: {messages:?}"
            );
        }
    }
}

#[test]
fn with_many_images_the_table_lets_no_image_serve_all_others() {
    let few = messages(128, 128, || co_sum(&mut 1u64));
    let many = messages(128, 128, || co_sum(&mut [1u64; 100]));
    for sent in [few, many] {
        assert!(readers(128, &sent).into_iter().max() <= Some(12));
    }
}
