//! Teams whose images are on nodes that share no memory.

#![cfg(feature = "simulated")]

use std::panic::Location;

use coarray_launch::Launch;
use coarray_runtime::{Call, Operation, Team, this_image};

fn sync(team: &Team) {
    // SAFETY: nothing is shared.
    unsafe { team.barrier(&Call::plain(Operation::SyncAll, Location::caller())) }
}

#[test]
fn jobs_of_several_nodes_end_when_an_image_fails() {
    let failure = Launch::new(4).simulated_nodes(2).keep_going(true).run(|| {
        assert!(this_image() != 3, "on purpose");
        sync(&Team::current());
    });
    let failure = failure.unwrap_err();
    assert_eq!(failure.image, 3);
    assert!(failure.to_string().contains("on purpose"), "{failure}");
}

#[test]
fn images_of_several_nodes_meet() {
    for (images, nodes) in [(2, 2), (4, 2), (5, 3), (8, 8)] {
        let met = Launch::new(images).simulated_nodes(nodes).run(|| {
            let team = Team::current();
            (0..200).for_each(|_| sync(&team));
            this_image()
        });
        assert_eq!(met.unwrap(), Vec::from_iter(0..images));
    }
}

#[test]
fn images_of_several_nodes_disagree() {
    let failure = Launch::new(4).simulated_nodes(2).run(|| {
        let team = Team::current();
        sync(&team);
        if this_image() == 3 {
            // SAFETY: nothing is shared.
            unsafe { team.barrier(&Call::plain(Operation::SyncTeam, Location::caller())) }
        } else {
            sync(&team);
        }
    });
    let text = failure.unwrap_err().to_string();
    assert!(text.contains("image 3"), "{text}");
    assert!(text.matches("nodes_apart.rs").count() == 2, "{text}");
}

#[test]
fn images_that_disagree_on_different_nodes_are_named_with_their_calls() {
    let failure = Launch::new(3).simulated_nodes(3).run(|| {
        let team = Team::current();
        sync(&team);
        if this_image() == 2 {
            // SAFETY: nothing is shared.
            unsafe { team.barrier(&Call::plain(Operation::SyncTeam, Location::caller())) }
        } else {
            sync(&team);
        }
    });
    let text = failure.unwrap_err().to_string();
    assert!(
        text.contains("sync_all at launch/tests/nodes_apart.rs"),
        "{text}"
    );
    assert!(
        text.contains("sync_team at launch/tests/nodes_apart.rs"),
        "{text}"
    );
}

#[test]
fn a_deadlock_between_nodes_is_found() {
    for (images, nodes) in [(2, 2), (5, 2), (4, 4)] {
        let failure = Launch::new(images).simulated_nodes(nodes).run(|| {
            let team = Team::current();
            sync(&team);
            let image = team.image();
            if this_image() == 1 {
                image.advance_pair(0, Location::caller());
                let (eventcount, calls) = image.pair_with(0);
                let cause = Never;
                let _ = image.wait(eventcount, calls, cause);
            }
            sync(&team);
        });
        let text = failure.unwrap_err().to_string();
        assert!(text.contains("deadlock"), "{text}");
        assert!(
            text.contains("image 1 waits for a sign, waiting for image 0"),
            "{text}"
        );
        assert!(text.contains("image 0 is in sync_all"), "{text}");
    }
}

struct Never;

impl coarray_runtime::Cause for Never {
    fn describe(&self) -> String {
        "waits for a sign".into()
    }

    fn awaited(&self) -> Option<usize> {
        Some(0)
    }

    fn has_failed(&self) -> bool {
        false
    }
}

#[test]
fn images_that_compute_for_long_are_no_deadlock() {
    let ends = Launch::new(4).simulated_nodes(2).run(|| {
        let team = Team::current();
        for image in 0..4 {
            if image == this_image() {
                std::thread::sleep(std::time::Duration::from_millis(600));
            }
            sync(&team);
        }
    });
    assert!(ends.is_ok(), "{ends:?}");
}

#[test]
fn with_a_limit_a_silent_node_is_noticed() {
    let limit = std::time::Duration::from_millis(400);
    let failure = Launch::new(3)
        .simulated_nodes(3)
        .peer_timeout(limit)
        .run(|| {
            let team = Team::current();
            sync(&team);
            if this_image() == 2 {
                std::thread::sleep(limit * 3);
            }
            sync(&team);
        });
    let text = failure.unwrap_err().to_string();
    assert!(text.contains("has heard nothing from image 2"), "{text}");
}
