//! What images have lent to each other, written down without help of the library.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::word::Mark;

/// The kinds of phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Others may write.
    Open,
    /// All may only read.
    Published,
}

/// What images say of an object.
#[derive(Clone, Debug)]
struct Entry {
    what: &'static str,
    length: usize,
    lent: Option<How>,
}

/// An object, by the number of its image among all, and its own number there.
pub type Id = (usize, usize);

/// One ledger for all images of a job, which are threads.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: Mutex<HashMap<Id, Entry>>,
    violations: Mutex<Vec<String>>,
    pub counts: Counts,
}

/// What was done, so that nobody takes an empty test for a good one.
#[derive(Debug, Default)]
pub struct Counts {
    pub steps: AtomicUsize,
    pub accesses: AtomicUsize,
    pub looks: AtomicUsize,
}

impl Counts {
    pub fn add(counter: &AtomicUsize) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Images are made to panic: what they share is in order whenever they do.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    /// An image has made an object of so many words.
    pub fn enter(&self, id: Id, what: &'static str, length: usize) {
        let lent = None;
        lock(&self.entries).insert(id, Entry { what, length, lent });
    }

    /// An object has another length.
    pub fn resize(&self, id: Id, length: usize) {
        if let Some(entry) = lock(&self.entries).get_mut(&id) {
            entry.length = length;
        }
    }

    /// An image is about to lend an object.
    pub fn lend(&self, id: Id, how: How) {
        if let Some(entry) = lock(&self.entries).get_mut(&id) {
            // What was lent for good is not lent anew: the library refuses that.
            entry.lent.get_or_insert(how);
        }
    }

    /// An image has its object back: the library has handed out a reference to it.
    pub fn take_back(&self, id: Id) {
        if let Some(entry) = lock(&self.entries).get_mut(&id) {
            entry.lent = None;
        }
    }

    /// An image is about to reach `to`, whose first word is `word`, as part of its own object `by`.
    pub fn check(&self, by: Id, how: How, to: usize, word: u64, length: usize) {
        Counts::add(&self.counts.accesses);
        let Some(mark) = Mark::read(word).filter(|mark| mark.count == 0) else {
            return self.accuse(format!(
                "{by:?} reaches what is no object, on image {to}: {word:#x}"
            ));
        };
        let id = (mark.image, mark.serial);
        let entries = lock(&self.entries);
        let (mine, theirs) = (entries.get(&by).cloned(), entries.get(&id).cloned());
        drop(entries);
        let (Some(mine), Some(theirs)) = (mine, theirs) else {
            return self.accuse(format!("{by:?} reaches {id:?}, which was never made"));
        };
        if mark.image != to
            || theirs.lent != Some(how)
            || theirs.what != mine.what
            || theirs.length != length
        {
            self.accuse(format!(
                "{by:?}, {mine:?}, reaches {id:?}, {theirs:?}, as {how:?} of {length} words on image {to}"
            ));
        }
    }

    /// Something happened that must not happen.
    pub fn accuse(&self, violation: String) {
        let mut violations = lock(&self.violations);
        // One is enough, and the others often follow from it.
        if violations.len() < 5 {
            violations.push(violation);
        }
    }

    pub fn violations(&self) -> Vec<String> {
        lock(&self.violations).clone()
    }
}
