//! What passes between nodes that share no memory if the program does not choose an algorithm.

use coarray::Launch;
use coarray::collectives::{co_gather, co_scatter, co_total_reproducible};
use coarray::prelude::*;
use coarray::testing::{Message, record_messages};
use coarray_proptests::{DIVISIONS, config};
use proptest::prelude::*;

/// Elements of eight bytes that no card has room for.
const LENGTH: usize = 20;

/// On which node each image is, and how many nodes there are.
fn nodes(images: usize, nodes: usize) -> (impl Fn(usize) -> usize, usize) {
    let each = images.div_ceil(nodes);
    (move |image| image / each, images.div_ceil(each))
}

/// The messages between nodes of an operation that so many images call, each with its number.
#[track_caller]
fn between_nodes(images: usize, count: usize, operation: impl Fn(usize) + Sync) -> Vec<Message> {
    let launch = Launch::new(images).simulated_nodes(count).heap(1 << 16);
    let received = launch.run(|| record_messages(|| operation(this_image())).1);
    let (node, _) = nodes(images, count);
    let goes = |message: &Message| node(message.from) != node(message.to);
    let received = received.unwrap_or_else(|failure| panic!("{images} images: {failure}"));
    received.concat().into_iter().filter(goes).collect()
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn every_node_but_one_sends_or_receives_once(
        division in prop::sample::select(&DIVISIONS[..]),
        root: prop::sample::Index,
    ) {
        let (images, count) = division;
        let (root, (_, nodes)) = (root.index(images), nodes(images, count));
        let sent = between_nodes(images, count, |me| {
            let mut values = [me; LENGTH];
            co_broadcast(&mut values, root);
            assert_eq!(values, [root; LENGTH]);
        });
        prop_assert_eq!(sent.len(), nodes - 1, "{:?}", sent);
        let sent = between_nodes(images, count, |me| {
            let mut gathered = vec![0; if me == root { images * LENGTH } else { 0 }];
            co_gather(&[me; LENGTH], &mut gathered, root);
        });
        prop_assert_eq!(sent.len(), nodes - 1, "{:?}", sent);
        let sent = between_nodes(images, count, |me| {
            let all = vec![7; if me == root { images * LENGTH } else { 0 }];
            co_scatter(&all, &mut [me; LENGTH], root);
        });
        prop_assert_eq!(sent.len(), nodes - 1, "{:?}", sent);
    }
}

#[test]
fn every_node_but_one_sends_and_receives_once() {
    // Up to eight images that are alone on their nodes read from each other, for one message after the other takes longer than many at a time.
    let divisions = DIVISIONS.into_iter();
    for (images, count) in divisions.filter(|(images, count)| images > count) {
        let (_, nodes) = nodes(images, count);
        let sent = between_nodes(images, count, |me| co_sum(&mut [me; LENGTH]));
        assert_eq!(sent.len(), 2 * (nodes - 1), "{sent:?}");
        let sent = between_nodes(images, count, |me| {
            co_allgather(&[me; LENGTH], &mut vec![0; images * LENGTH]);
        });
        assert_eq!(sent.len(), 2 * (nodes - 1), "{sent:?}");
        let sent = between_nodes(images, count, |me| {
            let _ = co_total_reproducible(&[me as f64; LENGTH]);
        });
        assert_eq!(sent.len(), 2 * (nodes - 1), "{sent:?}");
    }
}
