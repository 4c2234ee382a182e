//! Lists of 64 Ki random indices of an array of 8 MiB in the memory of image 1, its own if there is no other: image 0 gathers the items
//! that they name, scatters to them, or adds to them. The other images wait.
//!
//! The same also by loops of single gets, puts and additions.
//!
//! # The bounds
//! A loop over the same list on the same words, by relaxed atomics through a raw pointer; after a scatter, also a fence of the processor.
//! Where nothing is reached by load and store, there is no bound but the loop of single operations.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst, fence};

use coarray::atomics::{Coatomic, CoatomicList, CoatomicPlace};
use coarray::places::Openable;
use coarray::{Coarray, OwnedOpen, quiet};

use super::scalar::{is_active, target};
use super::{Operation, Part, Trial};

/// Words of the array.
const WORDS: usize = 1 << 20;

/// Indices of a list.
const COUNT: usize = 1 << 16;

const SIZES: &[usize] = &[COUNT * size_of::<u64>()];

/// `words.gather_from(&indices, &mut buffer)`.
pub const LIST_GATHER: Operation = Operation {
    name: "list_gather",
    sizes: SIZES,
    prepare: |_, _| trial(Lists::gather, Lists::raw_gather),
};

/// `words.scatter_to(&indices, &buffer)`.
pub const LIST_SCATTER: Operation = Operation {
    name: "list_scatter",
    sizes: SIZES,
    prepare: |_, _| trial(Lists::scatter, Lists::raw_scatter),
};

/// `coatomics.add_at(&indices, &buffer)`.
pub const LIST_ADD: Operation = Operation {
    name: "list_add",
    sizes: SIZES,
    prepare: |_, _| trial(Lists::add, Lists::raw_add),
};

/// A loop of `get`.
pub const LOOP_GATHER: Operation = Operation {
    name: "loop_gather",
    sizes: SIZES,
    prepare: |_, _| trial(Lists::gather_each, Lists::raw_gather),
};

/// A loop of `put`.
pub const LOOP_SCATTER: Operation = Operation {
    name: "loop_scatter",
    sizes: SIZES,
    prepare: |_, _| trial(Lists::scatter_each, Lists::raw_scatter),
};

/// A loop of `add`.
pub const LOOP_ADD: Operation = Operation {
    name: "loop_add",
    sizes: SIZES,
    prepare: |_, _| trial(Lists::add_each, Lists::raw_add),
};

type Action = fn(&mut Lists, usize);

/// Collective. `own` and its bound `raw`, after a check.
fn trial(own: Action, raw: Action) -> Trial {
    let mut lists = Lists::new();
    if is_active() {
        lists.check();
    }
    let lists = Rc::new(RefCell::new(lists));
    let action = |action: Action| {
        let lists = Rc::clone(&lists);
        move |times| {
            if is_active() {
                action(&mut lists.borrow_mut(), times);
            }
        }
    };
    Trial {
        own: Box::new(action(own)),
        bound: vec![Part::new(1.0, action(raw))],
    }
}

struct Lists {
    indices: Vec<usize>,
    buffer: Vec<u64>,
    words: OwnedOpen<Coarray<[u64]>>,
    coatomics: Coarray<[Coatomic<u64>]>,
}

impl Lists {
    /// Collective.
    fn new() -> Self {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random as usize % WORDS
        };
        Self {
            indices: (0..COUNT).map(|_| next()).collect(),
            buffer: vec![1; COUNT],
            words: Coarray::<[u64]>::from_fn(WORDS, |index| index as u64).into_open(),
            coatomics: Coarray::<[Coatomic<u64>]>::from_fn(WORDS, |_| Coatomic::new(0)),
        }
    }

    /// Words on the target by their address, if they are mapped.
    fn there(address: usize, is_direct: bool) -> Option<&'static [AtomicU64]> {
        let start = std::ptr::with_exposed_provenance(address);
        // SAFETY: the caller passes the address of an array of `WORDS` words on the target, which is mapped, open, and kept as long as the
        // lists. Puts, gets and coatomics use it as relaxed atomics, too.
        is_direct.then(|| unsafe { std::slice::from_raw_parts(start, WORDS) })
    }

    fn words_there(&self) -> Option<&'static [AtomicU64]> {
        let place = self.words.at(target());
        Self::there(place.local_address(), place.is_direct())
    }

    #[inline(never)]
    fn gather(&mut self, times: usize) {
        for _ in 0..times {
            let place = self.words.at(black_box(target()));
            place.gather_from(black_box(&self.indices), black_box(&mut self.buffer));
        }
    }

    #[inline(never)]
    fn gather_each(&mut self, times: usize) {
        for _ in 0..times {
            let place = self.words.at(black_box(target()));
            let pairs = self.buffer.iter_mut().zip(black_box(&self.indices));
            pairs.for_each(|(value, &index)| *value = place[index].get());
            black_box(&mut self.buffer);
        }
    }

    #[inline(never)]
    fn raw_gather(&mut self, times: usize) {
        let Some(words) = self.words_there() else {
            return self.gather_each(times);
        };
        for _ in 0..times {
            let pairs = self.buffer.iter_mut().zip(black_box(&self.indices));
            for (value, &index) in pairs {
                *value = words[index].load(Relaxed);
            }
            black_box(&mut self.buffer);
        }
    }

    #[inline(never)]
    fn scatter(&mut self, times: usize) {
        for _ in 0..times {
            let place = self.words.at(black_box(target()));
            place.scatter_to(black_box(&self.indices), black_box(&self.buffer));
        }
        quiet();
    }

    #[inline(never)]
    fn scatter_each(&mut self, times: usize) {
        for _ in 0..times {
            let place = self.words.at(black_box(target()));
            let pairs = black_box(&self.buffer).iter().zip(black_box(&self.indices));
            pairs.for_each(|(&value, &index)| place[index].put(value));
        }
        quiet();
    }

    #[inline(never)]
    fn raw_scatter(&mut self, times: usize) {
        let Some(words) = self.words_there() else {
            return self.scatter_each(times);
        };
        for _ in 0..times {
            let pairs = black_box(&self.buffer).iter().zip(black_box(&self.indices));
            for (&value, &index) in pairs {
                words[index].store(value, Relaxed);
            }
        }
        fence(SeqCst);
    }

    #[inline(never)]
    fn add(&mut self, times: usize) {
        for _ in 0..times {
            let place = self.coatomics.at(black_box(target()));
            place.add_at(black_box(&self.indices), black_box(&self.buffer));
        }
    }

    #[inline(never)]
    fn add_each(&mut self, times: usize) {
        for _ in 0..times {
            let place = self.coatomics.at(black_box(target()));
            let pairs = black_box(&self.buffer).iter().zip(black_box(&self.indices));
            pairs.for_each(|(&value, &index)| place[index].add(value));
        }
    }

    #[inline(never)]
    fn raw_add(&mut self, times: usize) {
        let place = self.coatomics.at(target());
        let Some(words) = Self::there(place.local_address(), place.is_direct()) else {
            return self.add_each(times);
        };
        for _ in 0..times {
            let pairs = black_box(&self.buffer).iter().zip(black_box(&self.indices));
            for (&value, &index) in pairs {
                words[index].fetch_add(value, Relaxed);
            }
        }
    }

    /// Each way does what the others do.
    fn check(&mut self) {
        let named: Vec<u64> = self.indices.iter().map(|&index| index as u64).collect();
        for gather in [Self::gather, Self::gather_each, Self::raw_gather] {
            self.buffer.fill(0);
            gather(self, 1);
            assert!(self.buffer == named, "other items were gathered");
        }
        let scatters = [Self::scatter, Self::scatter_each, Self::raw_scatter];
        for (round, scatter) in scatters.into_iter().enumerate() {
            let values: Vec<u64> = named.iter().map(|value| value + round as u64).collect();
            self.buffer.clone_from(&values);
            scatter(self, 1);
            self.gather(1);
            assert!(self.buffer == values, "other items were scattered");
        }
        self.buffer.fill(1);
        self.add(1);
        self.add_each(1);
        self.raw_add(1);
        let place = self.coatomics.at(target());
        let first = self.indices[0];
        let count = self.indices.iter().filter(|&&index| index == first).count() as u64;
        assert_eq!(place[first].load(), 3 * count, "other items were added to");
    }
}
