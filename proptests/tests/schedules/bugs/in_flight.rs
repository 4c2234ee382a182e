//! Puts and atomic operations that go on while their image computes: puts may arrive at once, and long after it has waited for them.

use coarray::atomics::{AsyncCoatomicPlace, CoatomicList};
use coarray::events::PutNotifyAsync;
use coarray::prelude::*;
use coarray::{image_fence, quiet};

use crate::program::{Version, until};

/// That the image has waited for the put tells no other one.
pub fn waited_for_but_not_fenced(version: Version) {
    let (mut data, mut there) = (Coarray::new([0; 4]), Coarray::new(false));
    let (data, there) = coarray::open((&mut data, &mut there));
    if this_image() == 0 {
        data.at(1).put_async([7; 4]).wait();
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

/// Two puts that go on at once arrive in any order.
pub fn flag_in_flight_overtakes_the_data(version: Version) {
    let (mut data, mut there) = (Coarray::new(0), Coarray::new(false));
    let (data, there) = coarray::open((&mut data, &mut there));
    if this_image() == 0 {
        drop(data.at(1).put_async(7));
        if version.is_right() {
            fence(1);
        }
        there.at(1).put_async(true).wait();
    } else {
        until(|| there.here().get());
        image_fence();
        assert_eq!(data.here().get(), 7);
    }
}

/// The post of a put in flight promises what that put brings.
pub fn put_in_flight_that_announces_another_one(version: Version) {
    let came = Coarray::new(Coevent::new());
    let (mut data, mut length) = (Coarray::new([0; 4]), Coarray::new(0));
    let (data, length) = coarray::open((&mut data, &mut length));
    if this_image() == 0 {
        drop(data.at(1).put_async([7; 4]));
        match version {
            Version::Wrong => drop(length.at(1).put_notify_async(4, came.at(1))),
            Version::Right => length.at(1).put_notify(4, came.at(1)),
        }
    } else {
        came.wait();
        assert_eq!((length.here().get(), data.here().get()), (4, [7; 4]));
    }
}

/// A put begins to arrive when it is issued, and not when it is waited for.
pub fn put_issued_before_the_place_is_free(version: Version) {
    const ITEMS: usize = 3;
    let (full, free) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
    let mut place = Coarray::new(0);
    let place = place.open();
    for item in 1..=ITEMS {
        if this_image() == 0 {
            if version.is_right() && item > 1 {
                free.wait();
            }
            let put = place.at(1).put_async(item);
            if version.is_wrong() && item > 1 {
                free.wait();
            }
            put.wait();
            full.at(1).post();
        } else {
            full.wait();
            assert_eq!(place.here().get(), item);
            free.at(0).post();
        }
    }
}

/// Nobody has waited for an addition that goes on.
pub fn counter_read_before_it_is_waited_for(version: Version) {
    let (count, is_counted) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::new(Coatomic::new(false)),
    );
    if this_image() == 0 {
        let before = count.at(1).fetch_add_async(1);
        if version.is_right() {
            assert_eq!(before.wait(), 0);
            quiet();
        }
        is_counted.at(1).store(true);
    } else {
        until(|| is_counted.load());
        image_fence();
        assert_eq!(count.load(), 1);
    }
}

/// The post of a put in flight is as late as the put.
pub fn notification_taken_as_sent(version: Version) {
    let (came, is_sent) = (
        Coarray::new(Coevent::new()),
        Coarray::new(Coatomic::new(false)),
    );
    let mut data = Coarray::new(0);
    let data = data.open();
    if this_image() == 0 {
        drop(data.at(1).put_notify_async(7, came.at(1)));
        if version.is_right() {
            quiet();
        }
        is_sent.at(1).store(true);
    } else {
        until(|| is_sent.load());
        image_fence();
        assert_eq!(came.query(), 1);
        came.wait();
        assert_eq!(data.here().get(), 7);
    }
}

/// The operations of a list go on as well, each by itself.
pub fn list_taken_for_done(version: Version) {
    let bins = Coarray::<[Coatomic<u32>]>::from_fn(4, |_| Coatomic::new(0));
    let are_filled = Coarray::new(Coatomic::new(false));
    if this_image() == 0 {
        match version {
            Version::Wrong => bins.at(1).add_at_async(&[2, 0, 2], &[1, 1, 5]),
            Version::Right => bins.at(1).add_at(&[2, 0, 2], &[1, 1, 5]),
        }
        if version.is_right() {
            fence(1);
        }
        are_filled.at(1).store(true);
    } else {
        until(|| are_filled.load());
        image_fence();
        assert_eq!((bins[0].load(), bins[2].load()), (1, 6));
    }
}

/// A task is counted on one image, and given to another one: a fence of the latter does not complete the former.
pub fn task_counted_by_a_fence_of_another_image(version: Version) {
    let tasks = Coarray::new(Coatomic::new(0));
    let is_given = Coarray::new(Coatomic::new(false));
    match this_image() {
        0 => {
            tasks.at(2).add_async(1);
            match version {
                Version::Wrong => fence(1),
                Version::Right => quiet(),
            }
            is_given.at(1).store(true);
        }
        1 => {
            until(|| is_given.load());
            image_fence();
            let left = tasks.at(2).fetch_sub(1);
            assert_eq!(left, 1, "done before it was counted");
        }
        _ => {}
    }
}
