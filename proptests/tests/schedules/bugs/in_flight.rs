//! Puts that go on while their image computes: they may arrive at once, and long after it has waited for them.

use coarray::image_fence;
use coarray::prelude::*;

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
