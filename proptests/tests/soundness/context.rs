//! What one image has at hand wherever it is: also in wakers and destructors.

use std::cell::{Cell, RefCell};
use std::num::NonZeroU64;
use std::ops::Range;
use std::panic::panic_any;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::thread;

use coarray::atomics::Coatomic;
use coarray::error_stop;
use coarray::failure::fail_image;

use crate::ledger::Ledger;
use crate::object::Kept;
use crate::program::{Blow, Kind};
use crate::word::Mark;

/// What all images of a job share, beside the library.
#[derive(Default)]
pub struct Job {
    pub ledger: Ledger,
    /// Coatomics of coarrays that were leaked.
    pub leaked: Mutex<Vec<&'static Coatomic<NonZeroU64>>>,
}

/// The panic that an image catches around the step in which it happens.
pub struct Thrown;

/// The panic that nobody catches.
pub const FATAL: &str = "a mistake of the program";

/// One image.
pub struct Context {
    pub job: Arc<Job>,
    /// Its number among all.
    pub me: usize,
    /// How many there are, if they are not to race.
    pub apart: Option<usize>,
    serials: Cell<usize>,
    marks: Cell<usize>,
    /// After so many callbacks something happens.
    pub blow: Cell<Option<(usize, Blow)>>,
    /// The image has called `fail_image`, whose panic must not be caught.
    pub failing: Cell<bool>,
    /// Wakers may be called at once, and some wait for another moment.
    pub is_polling: Cell<bool>,
    /// What the program makes next, and in which slot.
    pub next: Cell<Option<(usize, Kind, usize)>>,
    /// What a waker made before its time, by its slot.
    pub early: RefCell<Vec<(usize, Kept)>>,
}

thread_local! {
    static HERE: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
}

impl Context {
    pub fn new(job: &Arc<Job>, me: usize, apart: Option<usize>) -> Rc<Self> {
        let context = Rc::new(Self {
            job: Arc::clone(job),
            me,
            apart,
            serials: Cell::default(),
            marks: Cell::default(),
            blow: Cell::default(),
            failing: Cell::default(),
            is_polling: Cell::default(),
            next: Cell::default(),
            early: RefCell::default(),
        });
        HERE.set(Some(Rc::clone(&context)));
        context
    }

    /// That of this thread, for wakers.
    pub fn here() -> Option<Rc<Self>> {
        HERE.with_borrow(Clone::clone)
    }

    /// Which of so many words this image may reach on any image, other than the first.
    pub fn share(&self, length: usize) -> Range<usize> {
        let end = |number: usize| match self.apart {
            Some(images) => 1 + (length - 1) * number / images,
            None => 1 + (length - 1) * number.min(1),
        };
        let first = self.apart.map_or(0, |_| self.me);
        end(first)..end(first + 1)
    }

    /// The next object's number.
    pub fn serial(&self) -> usize {
        self.serials.set(self.serials.get() + 1);
        self.serials.get()
    }

    /// A word for an object, as no other is.
    pub fn mark(&self, serial: usize) -> u64 {
        let count = self.marks.get() % 0xF_0000 + 1;
        self.marks.set(count);
        Mark {
            image: self.me,
            serial,
            count,
        }
        .word()
    }

    /// A word of a new object: the first names it.
    pub fn item(&self, serial: usize, index: usize) -> u64 {
        self.callback();
        self.word(serial, index)
    }

    /// As [`item`](Self::item), and nothing happens on the way.
    pub fn word(&self, serial: usize, index: usize) -> u64 {
        match index {
            0 => Mark {
                image: self.me,
                serial,
                count: 0,
            }
            .word(),
            _ => self.mark(serial),
        }
    }

    /// Whatever is to happen in a function, operator, body or destructor of the program.
    pub fn callback(&self) {
        match self.blow.take() {
            Some((0, blow)) => self.strike(blow),
            Some((fuse, blow)) => self.blow.set(Some((fuse - 1, blow))),
            None => {}
        }
    }

    /// At the end of a step in which there were not enough callbacks.
    pub fn end_of_step(&self) {
        if let Some((_, blow)) = self.blow.take() {
            self.strike(blow);
        }
    }

    fn strike(&self, blow: Blow) {
        match blow {
            Blow::Caught => panic_any(Thrown),
            Blow::Panic => panic!("{FATAL}"),
            Blow::Fail => self.fail(),
            Blow::Stop => error_stop(3),
        }
    }

    pub fn fail(&self) -> ! {
        self.failing.set(true);
        fail_image()
    }
}

/// Calls back when it is dropped.
pub struct Noisy<'c>(pub &'c Context);

impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.0.callback();
        }
    }
}
