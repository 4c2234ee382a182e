//! How images learn that nobody reaches their copy of a shared block any more, in every interleaving and every
//! order in which memory may show what they did to it.
//!
//! loom runs the very source of the library.

#[path = "../src/agreement.rs"]
mod agreement;
#[path = "loom/primitives.rs"]
mod primitives;

use std::sync::Arc;

use agreement::Header;
use loom::cell::UnsafeCell;
use loom::thread;

/// An image's copy of a block: values that every image may reach until it drops the block.
#[derive(Default)]
struct Copy {
    header: Header,
    /// For each image a place that it alone writes, until the owner uses the copy again.
    values: Vec<UnsafeCell<usize>>,
}

// SAFETY: loom fails the model if two threads use a cell at the same time.
unsafe impl Sync for Copy {}

/// Each image writes to all copies, drops the block, and uses its own copy again if it may. Returns whether.
fn live(copies: &[Copy], me: usize) -> bool {
    for copy in copies {
        // SAFETY: loom fails the model if another thread uses the cell at the same time.
        copy.values[me].with_mut(|value| unsafe { *value = me });
    }
    for copy in copies {
        copy.header.count_off();
    }
    let is_free = copies[me].header.is_dropped_by(copies.len());
    if is_free {
        for value in &copies[me].values {
            // SAFETY: as above.
            value.with_mut(|value| unsafe { *value = usize::MAX });
        }
        copies[me].header.revive();
    }
    is_free
}

fn images(count: usize) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let copies: Arc<Vec<Copy>> = Arc::new(
            (0..count)
                .map(|_| Copy {
                    header: Header::default(),
                    values: (0..count).map(|_| UnsafeCell::new(0)).collect(),
                })
                .collect(),
        );
        let others: Vec<_> = (1..count)
            .map(|me| {
                let copies = Arc::clone(&copies);
                thread::spawn(move || live(&copies, me))
            })
            .collect();
        let mut free = vec![live(&copies, 0)];
        free.extend(
            others
                .into_iter()
                .map(|other| other.join().expect("loom reports panics itself")),
        );
        for (copy, was_free) in copies.iter().zip(free) {
            assert!(
                was_free || copy.header.is_dropped_by(count),
                "in the end every copy is free"
            );
        }
    });
}

#[test]
fn a_copy_is_used_again_only_when_two_images_have_let_go_of_it() {
    images(2);
}

#[test]
fn a_copy_is_used_again_only_when_three_images_have_let_go_of_it() {
    images(3);
}
