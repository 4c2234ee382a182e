//! Coarrays of what is always shared.

use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::PoisonError;

use coarray::prelude::*;

use crate::context::{Context, Thrown};
use crate::program::Shared;
use crate::word::Word;

type Atomics = Coarray<[Coatomic<NonZeroU64>]>;

/// What an image has of it.
#[derive(Default)]
pub struct SharedObjects {
    atomics: Option<(Atomics, usize)>,
    mutex: Option<(Coarray<Comutex<NonZeroU64>>, usize)>,
    events: Option<(Coarray<Coevent>, Vec<usize>)>,
}

/// The images of the current team, by their numbers in the initial one.
fn members() -> Vec<usize> {
    let mut team = Team::current();
    let mut members: Vec<usize> = (0..num_images()).collect();
    while let Some(parent) = team.parent() {
        members
            .iter_mut()
            .for_each(|image| *image = team.in_parent(*image));
        team = parent;
    }
    members
}

fn fresh(context: &Context) -> NonZeroU64 {
    NonZeroU64::of(context.mark(0))
}

/// Makes coatomics, and on the way some more of the same type.
fn make_atomics(context: &Rc<Context>, has_inner: bool) -> Option<Atomics> {
    let mut inner = None;
    let item = |index| {
        if index == 1 && has_inner {
            let made = catch_unwind(AssertUnwindSafe(|| make_atomics(context, false)));
            match made {
                Ok(made) => inner = made,
                Err(payload) if payload.is::<Thrown>() => {}
                Err(payload) => std::panic::resume_unwind(payload),
            }
        }
        context.callback();
        Coatomic::new(fresh(context))
    };
    let made = Coarray::<[Coatomic<NonZeroU64>]>::try_from_fn(3, item).ok();
    inner.or(made)
}

impl SharedObjects {
    pub fn act(&mut self, context: &Rc<Context>, which: Shared, image: usize) {
        match which {
            Shared::MakeAtomics => {
                let made = make_atomics(context, image.is_multiple_of(2));
                self.atomics = made.map(|atomics| (atomics, num_images()));
            }
            Shared::MakeMutex => {
                let made = Coarray::try_new(Comutex::new(fresh(context))).ok();
                self.mutex = made.map(|mutex| (mutex, num_images()));
            }
            Shared::MakeEvents => {
                let made = Coarray::try_new(Coevent::new()).ok();
                self.events = made.map(|events| (events, members()));
            }
            Shared::Atomics => {
                if let Some((atomics, images)) = &self.atomics {
                    let atomic = &atomics.at(image % images)[image % 3];
                    let before = [atomic.load(), atomic.swap(fresh(context))];
                    context.check_words("a coatomic", before.map(Word::word));
                }
            }
            Shared::Mutex => {
                if let Some((mutex, images)) = &self.mutex {
                    let mut guard = mutex.at(image % images).lock();
                    let (before, mine) = (guard.get(), fresh(context));
                    context.check_words("a comutex", [before.word()]);
                    guard.put(mine);
                    context.callback();
                    if guard.get() != mine {
                        context
                            .job
                            .ledger
                            .accuse("a comutex was written by two".into());
                    }
                }
            }
            Shared::Ring => {
                if let Some((events, makers)) = &self.events {
                    // Only a team of the images that made them: in another one, some wait in vain, and are told so.
                    if *makers == members() {
                        events.at((this_image() + 1) % makers.len()).post();
                        events.wait();
                    }
                }
            }
            Shared::Stranger => self.stranger(context, image),
        }
    }

    /// Lets somebody use a coatomic who is no image of this job, or when the job is over.
    fn stranger(&mut self, context: &Context, image: usize) {
        let Some((atomics, images)) = &self.atomics else {
            return;
        };
        if image.is_multiple_of(2) {
            if let Some(there) = atomics.at(image % images)[0].as_local() {
                let seen =
                    catch_unwind(AssertUnwindSafe(|| coarray::run(1, || there.load().word())));
                context.check_words("another job", seen.into_iter().flatten());
            }
        } else if let Some((atomics, images)) = self.atomics.take() {
            let leaked: &'static Atomics = Box::leak(Box::new(atomics));
            let theirs = (0..images).filter_map(|image| leaked.at(image)[0].as_local());
            let all = context.job.leaked.lock();
            all.unwrap_or_else(PoisonError::into_inner).extend(theirs);
        }
    }

    /// Looks at all coatomics.
    pub fn watch(&self, context: &Context) {
        if let Some((atomics, images)) = &self.atomics {
            // Nobody returned from their creation before all were made.
            let all = (0..*images).flat_map(|image| atomics.at(image).iter());
            context.check_words("a coatomic", all.map(|atomic| atomic.load().word()));
        }
    }
}
