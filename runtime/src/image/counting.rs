//! What an image counts of its operations, in a job that does.

use std::cell::Cell;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

use crate::job::Job;
use crate::profile::counter::{Counter, Operation};
use crate::profile::counts::{Class, Counts, Reach};
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::handle::take_site;
use coarray_fabric::transport::observed::{Call, Observed, Observer, Range};
use coarray_fabric::transport::site::{Purpose, Stage, purpose};

thread_local! {
    static ARE_MESSAGES_NOTED: Cell<bool> = const { Cell::new(false) };
}

/// Whether collective operations note what comes to this thread's image.
#[inline]
#[must_use]
pub fn are_messages_noted() -> bool {
    ARE_MESSAGES_NOTED.get()
}

/// Says whether they do from now on. Returns whether they did.
pub fn note_messages(are_noted: bool) -> bool {
    ARE_MESSAGES_NOTED.replace(are_noted)
}

/// Counts what an image does.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    job: Arc<Job>,
    image: usize,
    counter: Rc<Counter>,
}

impl Counting {
    pub(crate) fn new(job: &Arc<Job>, image: usize) -> Self {
        Self {
            job: Arc::clone(job),
            image,
            counter: Rc::new(Counter::new()),
        }
    }

    pub(crate) fn counts(&self) -> Counts<'_> {
        self.job.region.counts(self.image)
    }

    fn reach(&self, image: usize) -> Reach {
        match image {
            _ if image == self.image => Reach::Own,
            _ if self.job.nodes.share(self.image, image) => Reach::Near,
            _ => Reach::Far,
        }
    }

    #[inline]
    fn count(&self, class: Class, site: (Option<Purpose>, Stage), range: &Range<'_>) {
        let (purpose, stage) = site;
        let caller = purpose.and_then(|purpose| purpose.caller);
        let class = match class {
            _ if caller.is_none() => Class::Library,
            Class::Put if purpose.is_some_and(|purpose| purpose.notifies) => Class::PutNotify,
            _ => class,
        };
        let operation = Operation {
            class,
            code: class.code(),
            caller,
            stage,
            image: range.image,
            reach: self.reach(range.image),
            offset: range.offset,
            length: range.length,
            bytes: range.bytes(),
            pieces: range.count(),
        };
        self.counter.count(self.counts(), &operation);
    }

    /// Counts operations of one kind that do not go through the fabric alone, for a line of the program: those on a coatomic, for example.
    pub(crate) fn count_each(
        &self,
        class: Class,
        caller: &'static Location<'static>,
        range: &Range<'_>,
        operations: usize,
    ) {
        let notifies = false;
        let caller = Some(caller);
        let at = purpose().unwrap_or(Purpose { caller, notifies });
        for _ in 0..operations {
            self.count(class, (Some(at), Stage::New), range);
        }
    }

    /// Counts what came from an image in the collective operation that the image is in.
    pub(crate) fn count_collective(&self, image: usize, bytes: usize) {
        let reach = self.reach(image);
        self.counter
            .count_collective(self.counts(), image, reach, bytes);
    }

    pub(crate) fn enter_call(&self, caller: &'static Location<'static>, code: u32) {
        self.counter.enter_call(caller, code);
    }

    /// The fabric for what the library does on behalf of no operation alone: it is counted where it is known for what it is, but waits are seen.
    pub(crate) fn for_library(&self, fabric: Rc<dyn Fabric>) -> Rc<dyn Fabric> {
        Rc::new(Observed::new(fabric, OfLibrary(self.clone())))
    }

    /// The fabric for what the program does.
    pub(crate) fn for_program(&self, fabric: Rc<dyn Fabric>) -> Rc<dyn Fabric> {
        Rc::new(Observed::new(fabric, OfProgram(self.clone())))
    }
}

/// Observes what the program does.
#[derive(Debug)]
struct OfProgram(Counting);

impl Observer for OfProgram {
    #[inline]
    fn observe<R>(
        &self,
        call: Call<'_>,
        perform: impl FnOnce() -> R,
        is_done: impl FnOnce(&R) -> bool,
    ) -> R {
        let result = perform();
        if is_done(&result) {
            match &call {
                Call::Put(range) => self.0.count(Class::Put, take_site(), range),
                Call::Get(range) => self.0.count(Class::Get, take_site(), range),
                Call::PutSignal(range, ..) => self.0.count(Class::PutNotify, take_site(), range),
                Call::Fence(_) | Call::Quiet => self.0.counter.note_other(),
                _ => {}
            }
        }
        result
    }
}

/// Observes what the library does.
#[derive(Debug)]
struct OfLibrary(Counting);

impl Observer for OfLibrary {
    fn observe<R>(
        &self,
        call: Call<'_>,
        perform: impl FnOnce() -> R,
        _: impl FnOnce(&R) -> bool,
    ) -> R {
        match call {
            Call::Wait(_) => self.0.counter.note_wait(self.0.counts()),
            Call::Fence(_) | Call::Quiet => self.0.counter.note_other(),
            _ => {}
        }
        perform()
    }
}
