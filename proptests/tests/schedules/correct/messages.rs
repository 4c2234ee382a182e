//! Events, puts that notify, cofutures and `sync_images`.

use coarray::asynchronous::CofutureSet;
use coarray::events::Coevents;
use coarray::prelude::*;

fn neighbours() -> (usize, usize) {
    let (me, images) = (this_image(), num_images());
    ((me + images - 1) % images, (me + 1) % images)
}

/// As `examples/ring.rs`.
pub fn token_that_goes_round() {
    const LAPS: usize = 2;
    let (me, images) = (this_image(), num_images());
    let (_, right) = neighbours();
    let arrived = Coarray::new(Coevent::new());
    let mut token = Coarray::new(0);
    let token = token.open();
    for lap in 0..LAPS {
        let mut value = 0;
        if me > 0 || lap > 0 {
            arrived.wait();
            value = token.here().get();
        }
        token.at(right).put_notify(value + 1, arrived.at(right));
    }
    if me == 0 {
        arrived.wait();
        assert_eq!(token.here().get(), LAPS * images);
    }
}

/// Each image posts to its right, and waits for its left.
pub fn posts_round_a_ring() {
    let (left, right) = neighbours();
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[usize; 3]>::zeroed();
    let x = x.open();
    for step in 0..3 {
        x.at(right)[step].put(10 * this_image() + step);
        came.at(right).post();
        came.wait();
        assert_eq!(x.here()[step].get(), 10 * left + step);
    }
}

/// One buffer is filled while the other is read.
pub fn two_buffers_and_notified_puts() {
    const ITEMS: usize = 5;
    let filled = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let read = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let mut buffers = Coarray::<[[usize; 4]; 2]>::zeroed();
    let buffers = buffers.open();
    for item in 0..ITEMS {
        let buffer = item % 2;
        if this_image() == 0 {
            if item >= 2 {
                read[buffer].wait();
            }
            buffers.at(1)[buffer].put_notify([item; 4], &filled.at(1)[buffer]);
        } else {
            filled[buffer].wait();
            assert_eq!(buffers.here()[buffer].get(), [item; 4]);
            read.at(0)[buffer].post();
        }
    }
}

/// What image 0 makes, each next image adds to.
pub fn pipeline_of_sync_images() {
    const ITEMS: usize = 3;
    let (me, last) = (this_image(), num_images() - 1);
    let mut inbox = Coarray::<[usize; ITEMS]>::zeroed();
    let inbox = inbox.open();
    for item in 0..ITEMS {
        let mut value = 100 * item;
        if me > 0 {
            sync_images(&[me - 1]);
            value = inbox.here()[item].get() + 1;
        }
        if me < last {
            inbox.at(me + 1)[item].put(value);
            sync_images(&[me + 1]);
        } else {
            assert_eq!(value, 100 * item + last);
        }
    }
}

pub fn flag_behind_a_fence() {
    let (mut data, mut there) = (Coarray::new([0; 4]), Coarray::new(0));
    let (data, there) = coarray::open((&mut data, &mut there));
    for round in 1..3 {
        if this_image() == 0 {
            data.at(1).put([round; 4]);
            fence(1);
            there.at(1).put(round);
        } else {
            crate::program::until(|| there.here().get() == round);
            coarray::image_fence();
            assert_eq!(data.here().get(), [round; 4]);
        }
        sync_all();
    }
}

pub fn any_of_several_events() {
    let images = num_images();
    let events = Coarray::<[Coevent]>::from_fn(images, |_| Coevent::new());
    let mut parts = Coarray::<[usize]>::zeroed(images);
    let parts = parts.open();
    let me = this_image();
    for image in 0..images {
        parts.at(image)[me].put_notify(me + 7, &events.at(image)[me]);
    }
    let mut sum = 0;
    for _ in 0..images {
        let from = events.wait_any();
        sum += parts.here()[from].get();
    }
    assert_eq!(sum, images * 7 + images * (images - 1) / 2);
}

pub fn puts_and_gets_in_flight() {
    let (me, images) = (this_image(), num_images());
    let (left, right) = neighbours();
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[usize; 2]>::zeroed();
    let x = x.open();
    x.at(right)[0].put_async(me).wait();
    drop(x.at(right)[1].put_async(10 * me));
    came.at(right).post();
    came.wait();
    assert_eq!(x.here().get(), [left, 10 * left]);
    sync_all();
    let mut gets = CofutureSet::new();
    (0..images).for_each(|image| gets.push(x.at(image)[0].get_async()));
    let mut seen = 0;
    while let Some((image, value)) = gets.wait_any() {
        assert_eq!(value, (image + images - 1) % images);
        seen += 1;
    }
    assert_eq!(seen, images);
}

/// Each image puts parts to all, and announces one of them alone, and all.
pub fn parts_in_flight_and_what_announces_them() {
    let (me, images) = (this_image(), num_images());
    let (posted, notified) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
    let mut parts = Coarray::<[[usize; 3]; 3]>::zeroed();
    let parts = parts.open();
    for image in 0..images {
        drop(parts.at(image)[me][0].put_async(10 * me));
        let put = parts.at(image)[me][1].put_notify_async(10 * me + 1, notified.at(image));
        put.wait();
        let put = parts.at(image)[me][2].put_async(10 * me + 2);
        while !put.is_ready() {
            std::thread::yield_now();
        }
        posted.at(image).post();
    }
    notified.wait_for(images as u64);
    for image in 0..images {
        assert_eq!(parts.here()[image][1].get(), 10 * image + 1);
    }
    posted.wait_for(images as u64);
    for image in 0..images {
        let expected = [0, 1, 2].map(|part| 10 * image + part);
        assert_eq!(parts.here()[image].get(), expected);
    }
}

/// Flags that image 1 looks at once, whether they have come or not; then it goes on to something else.
pub fn flags_that_need_not_be_seen() {
    const ROUNDS: usize = 8;
    let looked = Coarray::new(Coevent::new());
    let mut data = Coarray::<[usize; ROUNDS]>::zeroed();
    let mut there = Coarray::<[bool; ROUNDS]>::zeroed();
    let (data, there) = coarray::open((&mut data, &mut there));
    for round in 0..ROUNDS {
        if this_image() == 0 {
            data.at(1)[round].put(7);
            fence(1);
            there.at(1)[round].put(true);
            looked.wait();
        } else {
            if there.here()[round].get() {
                coarray::image_fence();
                assert_eq!(data.here()[round].get(), 7);
            }
            looked.at(0).post();
        }
    }
}
