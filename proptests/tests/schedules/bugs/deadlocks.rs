//! Images that wait for each other in some of many schedules.

use coarray::collectives::co_any;
use coarray::events::Coevents;
use coarray::image_fence;
use coarray::prelude::*;

use crate::program::Version;

pub fn two_locks_in_two_orders(version: Version) {
    let locks = Coarray::new(Comutex::new(0));
    let (first, second) = match version {
        Version::Wrong => (this_image(), 1 - this_image()),
        Version::Right => (0, 1),
    };
    let mut from = locks.at(first).lock();
    let mut to = locks.at(second).lock();
    from.update(|value| *value -= 1);
    to.update(|value| *value += 1);
}

pub fn philosophers_who_all_take_the_left_fork(version: Version) {
    let forks = Coarray::new(Comutex::new(0));
    let (left, right) = (this_image(), (this_image() + 1) % num_images());
    let (first, second) = match version {
        Version::Wrong => (left, right),
        Version::Right => (left.min(right), left.max(right)),
    };
    let mut one = forks.at(first).lock();
    let mut other = forks.at(second).lock();
    one.update(|meals| *meals += 1);
    other.update(|meals| *meals += 1);
}

pub fn lock_held_while_waiting_for_who_needs_it(version: Version) {
    let filled = Coarray::new(Coevent::new());
    let value = Coarray::new(Comutex::new(0));
    let value = value.at(0);
    if this_image() == 1 {
        value.lock().put(7);
        filled.at(0).post();
    } else {
        if version.is_right() {
            filled.wait();
        }
        let value = value.lock();
        if version.is_wrong() {
            filled.wait();
        }
        assert_eq!(value.get(), 7);
    }
}

/// Who posts asks first whether anybody sleeps.
pub fn sleeper_who_looked_before_saying_so(version: Version) {
    let items = Coarray::new(Coatomic::new(0));
    let sleeps = Coarray::new(Coatomic::new(false));
    let wake = Coarray::new(Coevent::new());
    if this_image() == 1 {
        items.at(0).add(1);
        image_fence();
        if sleeps.at(0).load() {
            wake.at(0).post();
        }
        return;
    }
    if version.is_right() {
        sleeps.store(true);
        image_fence();
    }
    if items.load() == 0 {
        if version.is_wrong() {
            sleeps.store(true);
        }
        wake.wait();
    }
    assert_eq!(items.load(), 1);
}

/// Two images send each other items, with room for two each. They take what has come before they send, and then wait for room.
pub fn both_wait_for_room_at_the_other(version: Version) {
    const ITEMS: usize = 3;
    let events = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let (full, free) = (0, 1);
    let other = 1 - this_image();
    let (mut came, mut credits) = (0, 2);
    let take = |came: &mut usize| {
        *came += 1;
        events.at(other)[free].post();
    };
    while events[full].try_wait().unwrap() {
        take(&mut came);
    }
    for _ in 0..ITEMS {
        while credits == 0 {
            if version.is_wrong() {
                events[free].wait();
                credits += 1;
            } else if events.wait_any() == full {
                take(&mut came);
            } else {
                credits += 1;
            }
        }
        credits -= 1;
        events.at(other)[full].post();
    }
    while came < ITEMS {
        events[full].wait();
        take(&mut came);
    }
}

/// Images search until one has found something, and do not all see that in the same step.
pub fn loop_that_images_leave_in_different_steps(version: Version) {
    let found = Coarray::new(Coatomic::new(false));
    let found = found.at(0);
    for step in 0..3 {
        if this_image() == step {
            found.store(true);
        }
        let is_found = found.load();
        let ends = match version {
            Version::Wrong => is_found,
            Version::Right => co_any(is_found),
        };
        if ends {
            break;
        }
        sync_all();
    }
    sync_all();
}
