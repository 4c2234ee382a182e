//! Collectives, and what their results must look like.

use std::num::NonZeroU64;

use coarray::asynchronous::{Cofuture, co_allgather_async, co_reduce_async};
use coarray::collectives::{try_co_allgather, try_co_alltoallv, try_co_reduce, try_co_scan};
use coarray::prelude::*;

use crate::context::{Context, Noisy};
use crate::image::Image;
use crate::program::{Collective, Fate, Interrupted};
use crate::word::{Mark, Word};

/// Words of an asynchronous collective.
pub type Begun = Cofuture<'static, Vec<NonZeroU64>>;

/// What names a collective in its words, instead of an object: calls that are for each other have the same name.
fn serial(which: Collective, length: usize) -> usize {
    let length = match which {
        // Its parts may have any lengths, so images that give it other ones are in the same call.
        Collective::Alltoallv => 0,
        _ => length,
    };
    0x8_0000 + 0x1000 * which as usize + length
}

impl Context {
    /// Accuses whoever made words that nobody wrote.
    pub fn check_words(&self, what: &str, words: impl IntoIterator<Item = u64>) {
        for word in words {
            if Mark::read(word).is_none() {
                let text = format!("{what} on image {}: {word:#x}, which nobody wrote", self.me);
                return self.job.ledger.accuse(text);
            }
        }
    }

    /// Accuses whoever took words for those of another operation.
    fn check_result(&self, serial: usize, parts: &[&[NonZeroU64]]) {
        for part in parts {
            let marks = part.iter().map(|word| Mark::read(word.word()));
            let strangers = marks
                .clone()
                .filter(|mark| mark.is_none_or(|mark| mark.serial != serial));
            if let Some(mark) = strangers.clone().next() {
                let text = format!(
                    "a collective gives image {} {mark:x?}, for {serial:x}",
                    self.me
                );
                self.job.ledger.accuse(text);
            }
        }
    }
}

impl Image<'_> {
    pub fn collective(&mut self, which: Collective, length: usize, root: usize) {
        let context = &*self.context;
        let serial = serial(which, length);
        let fresh = || NonZeroU64::of(context.mark(serial));
        let mut words: Vec<NonZeroU64> = (0..length).map(|_| fresh()).collect();
        let noisy = Noisy(context);
        let join = |a: NonZeroU64, b: NonZeroU64| {
            let _held = &noisy;
            context.callback();
            a.max(b)
        };
        match which {
            Collective::Allgather => {
                let mut all = vec![fresh(); length * num_images()];
                if try_co_allgather(&words, &mut all).is_ok() {
                    let parts: Vec<_> = all.chunks(length).collect();
                    context.check_result(serial, &parts);
                }
            }
            Collective::Reduce => {
                if try_co_reduce(&mut words, join).is_ok() {
                    context.check_result(serial, &[&words]);
                }
            }
            Collective::Scan => {
                if try_co_scan(&mut words, join).is_ok() {
                    context.check_result(serial, &[&words]);
                }
            }
            Collective::Alltoallv => {
                let part = |to: usize| words[..(to + root) % (length + 1)].to_vec();
                let parts: Vec<_> = (0..num_images()).map(part).collect();
                if let Ok(parts) = try_co_alltoallv(&parts) {
                    let parts: Vec<&[_]> = parts.iter().map(Vec::as_slice).collect();
                    context.check_result(serial, &parts);
                }
            }
            Collective::AllgatherAsync => self.begun.push(co_allgather_async(words)),
            Collective::ReduceAsync => {
                let strikes = context.blow.take().is_some();
                self.begun.push(co_reduce_async(words, move |a, b| {
                    if strikes && let Some(context) = Context::here() {
                        context.blow.set(Some((0, crate::program::Blow::Caught)));
                        context.callback();
                    }
                    a.max(b)
                }));
            }
        }
    }

    /// An operation that this image hopes to be thrown out of, and whose zeros nobody may take for anything.
    pub fn interrupted(&mut self, interrupted: Interrupted) {
        match interrupted {
            Interrupted::None => {}
            Interrupted::Creation => drop(Coarray::<[u64]>::try_zeroed(3)),
            Interrupted::Collective => {
                let mut all = vec![0; 100 * num_images()];
                let _ = try_co_allgather(&[0u64; 100], &mut all);
            }
        }
    }

    /// What becomes of asynchronous collectives.
    pub fn settle_collectives(&mut self, fate: Fate) {
        match fate {
            Fate::Wait => {
                for begun in self.begun.drain(..) {
                    let words = begun.wait();
                    self.context
                        .check_words("a collective", words.into_iter().map(Word::word));
                }
            }
            Fate::Drop => self.begun.clear(),
            Fate::Forget => std::mem::forget(std::mem::take(&mut self.begun)),
            Fate::Ask => {
                let _ = self.begun.iter().filter(|begun| begun.is_ready()).count();
            }
        }
    }
}
