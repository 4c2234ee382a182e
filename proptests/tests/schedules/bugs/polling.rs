//! Images that poll words which nobody will write.

use coarray::prelude::*;

use crate::program::{Version, until};

pub fn polled_for_one_value_that_goes_by(version: Version) {
    let progress = Coarray::new(Coatomic::new(0));
    if this_image() == 0 {
        (1..=3).for_each(|step| progress.at(1).store(step));
    } else {
        until(|| match version {
            Version::Wrong => progress.load() == 2,
            Version::Right => progress.load() >= 2,
        });
    }
}

pub fn spin_locks_in_two_orders(version: Version) {
    let taken = Coarray::new(Coatomic::new(false));
    let (first, second) = match version {
        Version::Wrong => (this_image(), 1 - this_image()),
        Version::Right => (0, 1),
    };
    until(|| taken.at(first).compare_exchange(false, true).is_ok());
    until(|| taken.at(second).compare_exchange(false, true).is_ok());
    taken.at(second).store(false);
    taken.at(first).store(false);
}

/// A lock for readers, or for one writer (-1). Who reads wants to write as well.
pub fn two_readers_that_want_to_write(version: Version) {
    let inside = Coarray::new(Coatomic::new(0));
    let inside = inside.at(0);
    let enters = || {
        let readers = inside.load();
        readers >= 0 && inside.compare_exchange(readers, readers + 1).is_ok()
    };
    until(enters);
    match version {
        Version::Wrong => until(|| inside.compare_exchange(1, -1).is_ok()),
        Version::Right => {
            inside.sub(1);
            until(|| inside.compare_exchange(0, -1).is_ok());
        }
    }
    inside.store(0);
}
