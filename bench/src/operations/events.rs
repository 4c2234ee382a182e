//! Events, and data that come with them; values that images wait for.
//!
//! # The bounds
//! The same by flags in a shared mapping: the sender writes the data, if there are any, and advances the flag of the
//! receiver, which polls it.

use std::fmt::Debug;
use std::hint::black_box;
use std::ptr;
use std::rc::Rc;

use coarray::prelude::*;

use super::{Operation, Part, Trial};
use crate::baseline::{Barrier, Flags};
use crate::stopwatch::Action;

/// From image 0 to image 1 and back by `post` and `wait`; where there is one image, to itself.
pub const EVENT_PINGPONG: Operation = Operation {
    name: "event_pingpong",
    sizes: &[0],
    prepare: |_, barrier| laps(num_images().min(2), barrier),
};

/// From image 0 to image 1 and back by `store` and `wait_until`; where there is one image, to itself.
pub const VALUE_PINGPONG: Operation = Operation {
    name: "value_pingpong",
    sizes: &[8],
    prepare: |_, barrier| {
        let images = num_images().min(2);
        Trial {
            own: values(images),
            bound: vec![Part::new(1.0, flags(images, barrier))],
        }
    },
};

/// Once round all images by `post` and `wait`.
pub const EVENT_RING: Operation = Operation {
    name: "event_ring",
    sizes: &[0],
    prepare: |_, barrier| laps(num_images(), barrier),
};

/// From image 0 to image 1 and back: data that come with an event; where there is one image, to itself.
pub const NOTIFY_PINGPONG: Operation = Operation {
    name: "notify_pingpong",
    sizes: &[8, ROW_BYTES],
    prepare: |bytes, barrier| {
        let own = match bytes {
            ROW_BYTES => notified([0; ROW], [1; ROW], |place, row, event| {
                place.put_from_notify(row, event);
            }),
            _ => notified(0, 1, |place, &value, event| place.put_notify(value, event)),
        };
        let bound = flagged(bytes / size_of::<u64>(), barrier);
        Trial {
            own,
            bound: vec![Part::new(1.0, bound)],
        }
    },
};

const ROW: usize = ROW_BYTES / size_of::<u64>();
const ROW_BYTES: usize = 4096;

fn laps(images: usize, barrier: &Rc<Barrier>) -> Trial {
    Trial {
        own: events(images),
        bound: vec![Part::new(1.0, flags(images, barrier))],
    }
}

/// A number of times round the first `images` images: every image waits and then notifies the next, but image 0 begins.
#[inline]
fn go_round(images: usize, times: usize, mut tell: impl FnMut(usize), mut wait: impl FnMut()) {
    let me = this_image();
    if me >= images {
        return;
    }
    let next = (me + 1) % images;
    for _ in 0..times {
        if me == 0 {
            tell(next);
            wait();
        } else {
            wait();
            tell(next);
        }
    }
}

/// Collective. Round the first `images` images by events; checked once.
fn events(images: usize) -> Action {
    let events = Coarray::new(Coevent::new());
    let told = Coarray::new(Coatomic::new(0));
    let tell = |next| {
        let before = told.at(0).fetch_add(1);
        assert_eq!(before, this_image(), "the images are not told in turn");
        events.at(next).post();
    };
    go_round(images, 1, tell, || events.wait());
    sync_all();
    assert_eq!((told.at(0).load(), events.query()), (images, 0));
    Box::new(move |times| {
        go_round(
            images,
            times,
            |next| events.at(next).post(),
            || events.wait(),
        );
    })
}

/// Collective. Round the first `images` images by values; checked by each wait.
fn values(images: usize) -> Action {
    let values = Coarray::new(Coatomic::new(0u64));
    let (mut told, mut heard) = (0, 0);
    Box::new(move |times| {
        let tell = |next| {
            told += 1;
            values.at(next).store(told);
        };
        let wait = || {
            heard += 1;
            let seen = values.wait_until(|value| value >= heard);
            assert_eq!(seen, heard, "the images are not told in turn");
        };
        go_round(images, times, tell, wait);
    })
}

/// Collective. Round the first `images` images by flags.
fn flags(images: usize, barrier: &Rc<Barrier>) -> Action {
    let flags = Flags::new(0, barrier);
    let (mut told, mut heard) = (0, 0);
    Box::new(move |times| {
        let tell = |next| {
            told += 1;
            flags.set(next, told);
        };
        let wait = || {
            heard += 1;
            flags.wait(this_image(), heard);
        };
        go_round(images, times, tell, wait);
    })
}

/// Collective. Between two images by `put`, which puts and posts; checked once, with `there` and `back`.
fn notified<T>(there: T, back: T, put: impl Fn(&Coref<T>, &T, &Coref<Coevent>) + 'static) -> Action
where
    T: Remote + PartialEq + Debug + 'static,
{
    let arrived = Coarray::new(Coevent::new());
    // The action keeps the place open as long as the program runs.
    let place = Box::leak(Box::new(Coarray::new(there))).open();
    let (images, me) = (num_images().min(2), this_image());
    let sent = if me == 0 { there } else { back };
    let tell = |next| put(place.at(next), &sent, arrived.at(next));
    go_round(images, 1, tell, || arrived.wait());
    sync_all();
    let expected = if me == 0 && images == 2 { back } else { there };
    assert_eq!(place.here().get(), expected, "the data did not arrive");
    Box::new(move |times| {
        let tell = |next| put(place.at(next), black_box(&sent), arrived.at(next));
        go_round(images, times, tell, || arrived.wait());
    })
}

/// Collective. Between two images: words, and a flag.
fn flagged(words: usize, barrier: &Rc<Barrier>) -> Action {
    let flags = Flags::new(words, barrier);
    let source = vec![this_image() as u64; words];
    let images = num_images().min(2);
    let (mut told, mut heard) = (0, 0);
    Box::new(move |times| {
        let tell = |next| {
            told += 1;
            // SAFETY: there are this many words. No image reads them, and only the one before writes those of an image.
            unsafe {
                ptr::copy_nonoverlapping(black_box(&source).as_ptr(), flags.words(next), words)
            }
            flags.set(next, told);
        };
        let wait = || {
            heard += 1;
            flags.wait(this_image(), heard);
        };
        go_round(images, times, tell, wait);
    })
}
