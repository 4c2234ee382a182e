//! Buffers that are filled again before they were read, and halos.

use coarray::prelude::*;

use crate::program::Version;

pub fn buffer_used_again_without_asking(version: Version) {
    const ITEMS: u32 = 3;
    let (full, free) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
    let mut buffer = Coarray::new(0);
    let buffer = buffer.open();
    for item in 1..=ITEMS {
        if this_image() == 0 {
            if version.is_right() && item > 1 {
                free.wait();
            }
            buffer.at(1).put_notify(item, full.at(1));
        } else {
            full.wait();
            assert_eq!(buffer.here().get(), item);
            free.at(0).post();
        }
    }
}

pub fn one_credit_more_than_slots(version: Version) {
    const SLOTS: usize = 2;
    const ITEMS: usize = 5;
    let (full, free) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
    let mut slots = Coarray::<[usize; SLOTS]>::zeroed();
    let slots = slots.open();
    if this_image() == 0 {
        let mut credits = match version {
            Version::Wrong => SLOTS + 1,
            Version::Right => SLOTS,
        };
        for item in 0..ITEMS {
            if credits == 0 {
                free.wait();
                credits += 1;
            }
            credits -= 1;
            slots.at(1)[item % SLOTS].put_notify(item, full.at(1));
        }
    } else {
        for item in 0..ITEMS {
            full.wait();
            assert_eq!(slots.here()[item % SLOTS].get(), item);
            free.at(0).post();
        }
    }
}

/// Steps of a ring of images, each with one cell and a halo of one cell at either side.
///
/// `free` says that both neighbours have read their halos, and `filled` that both have filled this image's.
struct Ring {
    me: usize,
    left: usize,
    right: usize,
    free: Coarray<Coevent>,
    filled: Coarray<Coevent>,
    halos: Coarray<[usize; 2]>,
}

impl Ring {
    fn new() -> Self {
        let (me, images) = (this_image(), num_images());
        Self {
            me,
            left: (me + images - 1) % images,
            right: (me + 1) % images,
            free: Coarray::new(Coevent::new()),
            filled: Coarray::new(Coevent::new()),
            halos: Coarray::<[usize; 2]>::zeroed(),
        }
    }

    fn run(mut self, asks: bool, waits_for: u64) {
        let Self {
            me,
            left,
            right,
            free,
            filled,
            ..
        } = self;
        let halos = self.halos.open();
        for step in 1..=2 {
            if asks && step > 1 {
                free.wait_for(2);
            }
            halos.at(left)[1].put_notify(10 * step + me, filled.at(left));
            halos.at(right)[0].put_notify(10 * step + me, filled.at(right));
            filled.wait_for(waits_for);
            assert_eq!(halos.here().get(), [10 * step + left, 10 * step + right]);
            free.at(left).post();
            free.at(right).post();
        }
    }
}

pub fn halo_filled_before_it_was_read(version: Version) {
    Ring::new().run(version.is_right(), 2);
}

pub fn halo_that_waits_for_one_side_only(version: Version) {
    let posts = match version {
        Version::Wrong => 1,
        Version::Right => 2,
    };
    Ring::new().run(true, posts);
}
