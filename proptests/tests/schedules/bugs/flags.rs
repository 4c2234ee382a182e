//! Puts that are not there yet, for nothing orders them before what tells of them.

use coarray::image_fence;
use coarray::prelude::*;

use crate::program::{Version, until};

pub fn flag_without_a_fence(version: Version) {
    let (mut data, mut there) = (Coarray::new([0; 4]), Coarray::new(false));
    let (data, there) = coarray::open((&mut data, &mut there));
    if this_image() == 0 {
        data.at(1).put([7; 4]);
        if version.is_right() {
            fence(1);
        }
        there.at(1).put(true);
    } else {
        until(|| there.here().get());
        image_fence();
        assert_eq!(data.here().get(), [7; 4]);
    }
}

pub fn fence_of_another_image(version: Version) {
    let (mut data, mut there) = (Coarray::new(0), Coarray::new(false));
    let (data, there) = coarray::open((&mut data, &mut there));
    match this_image() {
        0 => {
            data.at(2).put(7);
            match version {
                Version::Wrong => fence(1),
                Version::Right => quiet(),
            }
            there.at(1).put(true);
        }
        1 => {
            until(|| there.here().get());
            image_fence();
            assert_eq!(data.at(2).get(), 7);
        }
        _ => {}
    }
}

pub fn notified_put_for_data_elsewhere(version: Version) {
    let came = Coarray::new(Coevent::new());
    let (mut data, mut length) = (Coarray::new(0), Coarray::new(0));
    let (data, length) = coarray::open((&mut data, &mut length));
    match this_image() {
        0 => {
            data.at(2).put(7);
            match version {
                Version::Wrong => length.at(1).put_notify(1, came.at(1)),
                Version::Right => {
                    length.at(1).put(1);
                    came.at(1).post();
                }
            }
        }
        1 => {
            came.wait();
            assert_eq!((length.here().get(), data.at(2).get()), (1, 7));
        }
        _ => {}
    }
}

pub fn collective_taken_for_a_barrier(version: Version) {
    let (me, images) = (this_image(), num_images());
    let mut data = Coarray::new(0);
    let data = data.open();
    data.at((me + 1) % images).put(me + 1);
    let sum = co_sum_of(me);
    if version.is_right() {
        sync_all();
    }
    let left = (me + images - 1) % images;
    assert_eq!((sum, data.here().get()), (3, left + 1));
}

/// Each image says that it wants to go in, and goes if the other has not said so: at most one may.
pub fn both_see_nothing_without_an_image_fence(version: Version) {
    let mut wants = Coarray::new(false);
    let wants = wants.open();
    let other = 1 - this_image();
    wants.at(other).put(true);
    if version.is_right() {
        image_fence();
    }
    let goes_in = !wants.here().get();
    assert!(co_sum_of(usize::from(goes_in)) < 2, "both are in");
}

pub fn message_by_way_of_a_third_image(version: Version) {
    let flag = Coarray::new(Coatomic::new(false));
    let mut data = Coarray::new(0);
    let data = data.open();
    match this_image() {
        0 => {
            data.at(1).put(42);
            if version.is_right() {
                image_fence();
            }
            flag.at(2).store(true);
        }
        2 => {
            flag.wait_until(|flag| flag);
            image_fence();
            assert_eq!(data.at(1).get(), 42);
        }
        _ => {}
    }
}

pub fn data_read_without_an_image_fence(version: Version) {
    let (mut data, mut there) = (Coarray::new(0), Coarray::new(false));
    let (data, there) = coarray::open((&mut data, &mut there));
    if this_image() == 0 {
        data.at(1).put(7);
        fence(1);
        there.at(1).put(true);
    } else {
        until(|| there.here().get());
        if version.is_right() {
            image_fence();
        }
        assert_eq!(data.here().get(), 7);
    }
}

/// The teams are {0, 1} and {2, 3}, but each image puts to one of the other team.
pub fn barrier_of_half_the_images(version: Version) {
    let me = this_image();
    let team = Team::form(me as u64 / 2);
    let mut data = Coarray::new(0);
    let data = data.open();
    data.at(me ^ 2).put(me + 1);
    match version {
        Version::Wrong => coarray::sync_team(&team),
        Version::Right => sync_all(),
    }
    assert_eq!(data.here().get(), (me ^ 2) + 1);
}

/// A lock of one's own lets the next one in before what was put has arrived.
pub fn spin_lock_without_a_fence(version: Version) {
    let taken = Coarray::new(Coatomic::new(false));
    let mut count = Coarray::new(0);
    let count = count.open();
    // It is neither on the image that counts nor on that of the lock.
    let place = count.at(2);
    if this_image() < 2 {
        until(|| taken.at(0).compare_exchange(false, true).is_ok());
        image_fence();
        place.put(place.get() + 1);
        if version.is_right() {
            image_fence();
        }
        taken.at(0).store(false);
    }
    sync_all();
    assert_eq!(place.get(), 2);
}
