//! Barriers in which leaders forward the arrivals of other nodes: whatever one image does instead, all learn of it.

use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;

use crate::{Images, parse, report};

/// More nodes than exchange arrivals directly, a power of two and none.
const NODES: [usize; 2] = [8, 13];

#[test]
fn an_image_in_another_operation_is_named() {
    for count in NODES {
        let images = Images {
            count,
            nodes: count,
        };
        for stranger in [0, 1, 5, count - 1] {
            let report = report(images, "another operation", || {
                if this_image() == stranger {
                    co_sum(&mut 1);
                } else {
                    sync_all();
                }
            });
            let named = parse(&report);
            let stranger = named.iter().find(|(image, _)| *image == stranger);
            assert!(
                stranger.is_some_and(|(_, call)| call.contains("co_sum")),
                "{report}"
            );
        }
    }
}

/// Nobody is a root, so nobody sends anything.
#[test]
fn images_that_wait_for_a_root_each_are_told_apart() {
    for count in [2, 3, 8] {
        let images = Images {
            count,
            nodes: count,
        };
        let report = report(images, "a root each", || {
            let by = Collective::new().algorithm(Algorithm::Binomial);
            by.co_broadcast(&mut [1_u64; 20], (this_image() + 1) % num_images());
        });
        assert!(!report.contains("deadlock"), "{report}");
        let named = parse(&report);
        assert!(
            named.iter().all(|(_, call)| call.contains("co_broadcast")),
            "{report}"
        );
    }
}

#[test]
fn an_image_that_never_comes_is_found() {
    for count in NODES {
        let images = Images {
            count,
            nodes: count,
        };
        for absent in [0, 6] {
            let report = report(images, "an absent image", || {
                let event = Coarray::new(Coevent::new());
                if this_image() == absent {
                    event.wait();
                }
                sync_all();
            });
            assert!(report.contains("deadlock"), "{report}");
            let line = format!("  image {absent} waits at ");
            let own = report.lines().find(|one| one.starts_with(&line));
            assert!(
                own.is_some_and(|own| own.contains("for 1 more post")),
                "{report}"
            );
            // Each of the others waits for a leader that has not sent what it was to forward.
            let others = report.lines().filter(|one| one.contains("is in sync_all"));
            assert_eq!(others.count(), count - 1, "{report}");
        }
    }
}
