//! Copying a private buffer to the memory of image 1, its own if there is no other, or back, by image 0. The other
//! images wait.
//!
//! # The bounds
//! `copy_nonoverlapping` between the same two buffers; after a put, also a fence of the processor, which is what it
//! takes to complete it.

use std::cell::RefCell;
use std::hint::black_box;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{Ordering::SeqCst, fence};

use coarray::places::Openable;
use coarray::{Coarray, OwnedOpen, quiet, sync_all, this_image};

use super::scalar::{is_active, target};
use super::{Operation, Part, Trial};

/// 8 bytes to 64 MiB.
const SIZES: &[usize] = &[
    8,
    64,
    1 << 10,
    8 << 10,
    64 << 10,
    512 << 10,
    4 << 20,
    64 << 20,
];

/// `place.put_from(&buffer)` and `quiet()`.
pub const BULK_PUT: Operation = Operation {
    name: "bulk_put",
    sizes: SIZES,
    prepare: |bytes, _| trial(bytes, Buffers::put, Buffers::raw_put),
};

/// `place.get_into(&mut buffer)`.
pub const BULK_GET: Operation = Operation {
    name: "bulk_get",
    sizes: SIZES,
    prepare: |bytes, _| trial(bytes, Buffers::get, Buffers::raw_get),
};

type Copy = fn(&mut Buffers, usize);

/// Collective. `own` and its bound `raw` between the same buffers. Each is checked once, `own` also by the owner of the
/// other buffer. Indirect access has no bound.
fn trial(bytes: usize, own: Copy, raw: Copy) -> Trial {
    let buffers = Rc::new(RefCell::new(Buffers::new(bytes)));
    {
        let mut buffers = buffers.borrow_mut();
        if is_active() {
            buffers.check(own);
        }
        sync_all();
        if this_image() == target() {
            buffers.check_arrived();
        }
        sync_all();
        if is_active() && buffers.coarray.at(target()).is_direct() {
            buffers.check(raw);
        }
    }
    let action = |copy: Copy| {
        let buffers = Rc::clone(&buffers);
        move |times| {
            if is_active() {
                copy(&mut buffers.borrow_mut(), times);
            }
        }
    };
    Trial {
        own: Box::new(action(own)),
        bound: vec![Part::new(1.0, action(raw))],
    }
}

/// Two buffers of the same size.
struct Buffers {
    private: Vec<f64>,
    coarray: OwnedOpen<Coarray<[f64]>>,
}

impl Buffers {
    /// Collective.
    fn new(bytes: usize) -> Self {
        let length = bytes / size_of::<f64>();
        Self {
            // Written once, so that the pages exist.
            private: black_box(vec![-0.0; length]),
            coarray: Coarray::<[f64]>::zeroed(length).into_open(),
        }
    }

    #[inline(never)]
    fn put(&mut self, times: usize) {
        let to = black_box(target());
        let (here, there) = (black_box(&self.private[..]), self.there());
        for _ in 0..times {
            self.coarray.at(to).put_from(here);
            quiet();
            black_box(there);
        }
    }

    #[inline(never)]
    fn raw_put(&mut self, times: usize) {
        let (here, there) = (black_box(&self.private[..]), self.there());
        for _ in 0..times {
            // SAFETY: both buffers have this many elements and do not overlap, and no other image uses them.
            unsafe { ptr::copy_nonoverlapping(here.as_ptr(), there, here.len()) }
            fence(SeqCst);
            black_box(there);
        }
    }

    #[inline(never)]
    fn get(&mut self, times: usize) {
        let from = black_box(target());
        let here = black_box(&mut self.private[..]);
        for _ in 0..times {
            self.coarray.at(from).get_into(here);
            black_box(here.as_mut_ptr());
        }
    }

    #[inline(never)]
    fn raw_get(&mut self, times: usize) {
        let there = self.there();
        let here = black_box(&mut self.private[..]);
        for _ in 0..times {
            // SAFETY: both buffers have this many elements and do not overlap, and no other image uses them.
            unsafe { ptr::copy_nonoverlapping(there, here.as_mut_ptr(), here.len()) }
            black_box(here.as_mut_ptr());
        }
    }

    /// The buffer on the target by its address.
    fn there(&self) -> *mut f64 {
        let place = self.coarray.at(target());
        ptr::with_exposed_provenance_mut(place.local_address())
    }

    /// After the copy both buffers are equal to what one of them was.
    fn check(&mut self, copy: Copy) {
        let numbers = |start: usize| (start..).map(|number| number as f64);
        let length = self.private.len();
        let there: Vec<f64> = numbers(1).take(length).collect();
        self.coarray.at(target()).put_from(&there);
        let here: Vec<f64> = numbers(1 + length).take(length).collect();
        self.private.copy_from_slice(&here);
        copy(self, 1);
        let arrived = self.coarray.at(target()).to_vec();
        assert!(
            self.private == arrived && (arrived == there || arrived == here),
            "the buffer did not arrive"
        );
    }

    /// The values that [`check`](Self::check) has put have arrived.
    fn check_arrived(&self) {
        let arrived = self.coarray.at(this_image()).to_vec();
        assert!(
            arrived[0] > 0.0 && arrived.windows(2).all(|pair| pair[0] + 1.0 == pair[1]),
            "the buffer did not arrive where it is"
        );
    }
}
