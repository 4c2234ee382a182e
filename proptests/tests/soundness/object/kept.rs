//! An object and what its words must be.

use std::hint::spin_loop;
use std::ops::{Deref, DerefMut, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::thread;

use coarray::num_images;

use super::{Object, create};
use crate::context::Context;
use crate::ledger::{Counts, Id};
use crate::program::Kind;
use crate::word::Mark;

/// An object of an image, watched: while the library lets the image have a shared reference to its words, they stay as they
/// are.
pub struct Kept {
    object: Box<dyn Object>,
    pub kind: Kind,
    pub id: Id,
    /// How many images have it.
    pub images: usize,
    /// The words when they were last written or lent; none if the library says that they are still lent.
    shadow: Option<Vec<u64>>,
    /// An exchange of halos was leaked: to look is to finish it.
    pub is_exchanging: bool,
    context: Rc<Context>,
}

impl Kept {
    /// Makes an object, if there is room for one.
    pub fn create(
        context: &Rc<Context>,
        kind: Kind,
        length: usize,
        callback: &dyn Fn(usize),
    ) -> Option<Self> {
        let serial = context.serial();
        let object = create(context, serial, kind, length, callback)?;
        let shadow = object.look();
        let id = (context.me, serial);
        let what: &'static str = match kind {
            Kind::Eight => "[u64; 8]",
            Kind::Hundred => "[u64; 100]",
            // What is opened by value is of the same type: the images need not agree on that.
            Kind::Run | Kind::Moved => "[u64]",
            Kind::NonZeros => "[NonZeroU64]",
            Kind::Pair => "[usize; 2]",
            Kind::Ragged | Kind::MovedRagged => "ragged u64",
            Kind::RaggedNonZeros => "ragged NonZeroU64",
            Kind::RaggedRows => "ragged [u64; 16]",
            Kind::RowAmongOthers => "rows of u64",
            Kind::Line | Kind::Plane => "halo array",
        };
        context.job.ledger.enter(id, what, shadow.len());
        Some(Self {
            object,
            kind,
            id,
            images: num_images(),
            shadow: Some(shadow),
            is_exchanging: false,
            context: Rc::clone(context),
        })
    }

    /// From here on the words may change, until the library says that they are this image's alone.
    pub fn lent(&mut self) {
        self.shadow = None;
    }

    /// The words, if the library hands out a reference to them.
    fn looked_at(&self) -> Option<Vec<u64>> {
        Counts::add(&self.context.job.ledger.counts.looks);
        catch_unwind(AssertUnwindSafe(|| self.object.look())).ok()
    }

    /// Where the words are, if the library hands out a reference to them.
    pub fn span(&self) -> Option<Range<usize>> {
        self.shadow.as_ref()?;
        Some(self.object.span())
    }

    /// Looks whether the words are as they were.
    pub fn watch(&mut self) {
        let ledger = &self.context.job.ledger;
        let Some(words) = self.looked_at() else {
            return self.lent();
        };
        if let Some(word) = words.iter().find(|&&word| Mark::read(word).is_none()) {
            let text = format!(
                "{:?}, {:?}, holds {word:#x}, which nobody wrote",
                self.kind, self.id
            );
            ledger.accuse(text);
        }
        match &self.shadow {
            None => {
                self.is_exchanging = false;
                // Those who wrote named their objects.
                ledger.resize(self.id, words.len());
                ledger.take_back(self.id);
                self.shadow = Some(words);
            }
            Some(shadow) if *shadow == words => {}
            Some(shadow) => {
                let mut pairs = shadow.iter().zip(&words).enumerate();
                let changed = pairs.find(|(_, (before, after))| before != after);
                ledger.accuse(format!(
                    "{:?}, {:?}, changed under a shared reference: {changed:x?}, {} and {} words",
                    self.kind,
                    self.id,
                    shadow.len(),
                    words.len()
                ));
                self.shadow = Some(words);
            }
        }
    }

    /// Two objects have changed their places.
    pub fn swapped(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.id, &mut other.id);
        self.lent();
        other.lent();
    }
}

impl Deref for Kept {
    type Target = dyn Object;

    fn deref(&self) -> &Self::Target {
        &*self.object
    }
}

impl DerefMut for Kept {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.object
    }
}

impl Drop for Kept {
    /// A destructor may look as well, also when its image is ended in the middle of an operation.
    fn drop(&mut self) {
        if self.is_exchanging {
            return;
        }
        self.watch();
        if thread::panicking() && self.shadow.is_some() {
            for _ in 0..200 {
                (0..100).for_each(|_| spin_loop());
            }
            self.watch();
        }
    }
}
