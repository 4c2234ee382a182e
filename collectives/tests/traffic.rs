//! The senders of the data that an image receives by each algorithm, in order.

use coarray_collectives::{Algorithm, Collective, record_messages};
use coarray_launch::Launch;
use coarray_runtime::{num_images, this_image};

const IMAGES: [usize; 9] = [1, 2, 3, 4, 5, 7, 8, 13, 17];

fn by(algorithm: Algorithm) -> Collective {
    Collective::new().algorithm(algorithm)
}

/// The images whose data this image received, in order.
fn senders(body: impl FnOnce()) -> Vec<usize> {
    let ((), messages) = record_messages(body);
    messages.into_iter().map(|message| message.from).collect()
}

#[test]
fn nodes_get_one_message_each() {
    let node = |image: usize| image / 4;
    for root in [0, 6] {
        let one_machine = Launch::new(16).images_per_node(4);
        let several = Launch::new(16).simulated_nodes(4);
        for launch in [one_machine, several] {
            let messages = launch.run(|| {
                let mut gathered = [0; 16];
                let one = by(Algorithm::Hierarchical);
                let up = senders(|| one.co_gather(&1, &mut gathered, root));
                let down = senders(|| one.co_scatter(&[1; 16], &mut 0, root));
                [up, down].map(|from| {
                    let is_elsewhere = |from: &&usize| node(**from) != node(this_image());
                    from.iter().filter(is_elsewhere).count()
                })
            });
            let messages = messages.unwrap();
            for way in [0, 1] {
                let between_nodes = messages.iter().map(|ways| ways[way]);
                assert_eq!(between_nodes.sum::<usize>(), 3, "{root} {way}");
            }
        }
    }
}

#[test]
fn pairs_take_turns() {
    for images in IMAGES {
        let run = Launch::new(images).run(|| {
            let (me, n) = (this_image(), num_images());
            let mut received = vec![0; n];
            let one = by(Algorithm::Pairwise);
            let from = senders(|| one.co_alltoall(&vec![me; n], &mut received));
            assert!((1..n).map(|distance| (me + distance) % n).eq(from));

            let mut received = vec![0; n * 20_000];
            let from = senders(|| one.co_alltoall(&vec![me; n * 20_000], &mut received));
            let mut from = from;
            from.dedup();
            assert!((1..n).map(|distance| (me + distance) % n).eq(from));
        });
        run.unwrap();
    }
}

#[test]
fn neighbours_in_a_ring_and_at_doubling_distances() {
    for images in IMAGES {
        let run = Launch::new(images).run(|| {
            let (me, n) = (this_image(), num_images());
            let mut gathered = vec![0; n];
            let ring = senders(|| by(Algorithm::Ring).co_allgather(&me, &mut gathered));
            assert_eq!(ring, vec![(me + n - 1) % n; n - 1]);
            let doubling = by(Algorithm::RecursiveDoubling);
            let from = senders(|| doubling.co_allgather(&me, &mut gathered));
            let distances = || {
                (0..)
                    .map(|round| 1 << round)
                    .take_while(|&distance| distance < n)
            };
            assert!(distances().map(|distance| (me + distance) % n).eq(from));
            let from = senders(|| doubling.co_scan(&mut 1, |a, b| a + b));
            let before = distances().filter_map(|distance| me.checked_sub(distance));
            assert!(before.eq(from));
            let from = senders(|| by(Algorithm::Chain).co_exscan(&mut 1, 0, |a, b| a + b));
            assert!(me.checked_sub(1).into_iter().eq(from));
        });
        run.unwrap();
    }
}
