//! What an image says about the collective operation it is in: exactly, for its partners to compare,
//! and in words, for the person who reads the report of a mismatch.

pub(crate) mod operation;
pub(crate) mod tuning;

use std::any::{TypeId, type_name};
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::call::operation::Operation;
use crate::lockfree::arrival::Signature;
use coarray_fabric::system::fixed_str::FixedStr;
use coarray_fabric::system::limits::MAX_IMAGES;

/// The number of a collectively created object: the same on every image of its team, never used twice there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId(pub(crate) u64);

/// The first bit of what says in a signature which algorithm the caller chose; below are the steps.
pub(crate) const ALGORITHM: u32 = 56;

/// How many bits that takes.
pub(crate) const ALGORITHM_BITS: u32 = 4;

/// How many algorithms can be told apart.
pub const MAX_ALGORITHMS: usize = (1 << ALGORITHM_BITS) - 1;

/// The bit of a signature's first word that says that the operation is asynchronous; steps and objects never reach it.
pub(crate) const ASYNCHRONOUS: u64 = 1 << 61;

/// The word of a signature that has the number of the object that is created.
pub(crate) const OBJECT: usize = 3;

/// The bit of a signature's first word that says that the operation is a part of one that the subject names.
pub(crate) const ON_BEHALF: u64 = 1 << 60;

const _: () = assert!(ALGORITHM + ALGORITHM_BITS <= ON_BEHALF.trailing_zeros());

/// How many bits of a word say who is the root where the others count values; one more than an image has, so that there
/// is a number of no image.
pub(crate) const ROOT_BITS: u32 = 21;

const _: () = assert!(MAX_IMAGES < 1 << ROOT_BITS);

/// Most coarrays that one `open` can name.
pub const MAX_OBJECTS: usize = 4;

/// One image's call of a collective operation.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    signature: Signature,
    subject: &'static str,
    caller: &'static Location<'static>,
}

impl Call {
    /// An operation that has nothing to agree on but itself.
    #[must_use]
    pub fn plain(operation: Operation, caller: &'static Location<'static>) -> Self {
        Self {
            signature: [operation as u64, 0, 0, 0],
            subject: "",
            caller,
        }
    }

    /// An operation that makes something for `subject`, in words, and has nothing to agree on but itself.
    #[must_use]
    pub fn of(
        operation: Operation,
        subject: &'static str,
        caller: &'static Location<'static>,
    ) -> Self {
        Self {
            subject,
            ..Self::plain(operation, caller)
        }
    }

    /// An operation on existing objects, at most [`MAX_OBJECTS`], which must be the same on all images.
    #[must_use]
    #[inline]
    pub fn on_objects(
        operation: Operation,
        objects: &[ObjectId],
        subject: &'static str,
        caller: &'static Location<'static>,
    ) -> Self {
        let mut signature = [0; MAX_OBJECTS];
        for (word, object) in signature.iter_mut().zip(objects) {
            *word = object.0 << 16;
        }
        signature[0] |= operation as u64;
        Self {
            signature,
            subject,
            caller,
        }
    }

    /// An operation that moves values of an existing object from or to image `root`, in steps: `count` of them from
    /// number `first` on, where it is about a part of them only, and otherwise 0 and 0. All of that must be the same on
    /// all images.
    ///
    /// Of a root that does not exist only so much is compared that it is none.
    #[must_use]
    pub fn on_cells(
        operation: Operation,
        object: ObjectId,
        first: usize,
        count: usize,
        root: usize,
        caller: &'static Location<'static>,
    ) -> Self {
        let root = root.min(MAX_IMAGES) as u64;
        Self {
            signature: [
                operation as u64,
                object.0,
                first as u64,
                root | (count as u64) << ROOT_BITS,
            ],
            ..Self::plain(operation, caller)
        }
    }

    /// An operation that moves the values of one existing object to another, in steps.
    #[must_use]
    pub fn between_objects(
        operation: Operation,
        from: ObjectId,
        to: ObjectId,
        caller: &'static Location<'static>,
    ) -> Self {
        Self {
            signature: [operation as u64, from.0, to.0, 0],
            ..Self::plain(operation, caller)
        }
    }

    /// An operation on `length` values of type `T`, from or to image `root` if there is one. Type, length
    /// and root must be the same on all images.
    #[must_use]
    #[inline]
    pub fn on_values<T: ?Sized + 'static>(
        operation: Operation,
        length: usize,
        root: usize,
        caller: &'static Location<'static>,
    ) -> Self {
        let signature = [
            operation as u64,
            identity::<T>(),
            length as u64,
            root as u64,
        ];
        Self {
            signature,
            subject: type_name::<T>(),
            caller,
        }
    }

    /// The creation of a coarray of `extent` items as a `T`, which is a part of an `Owner`: types and extent must be the same on
    /// all images. What one type keeps in its coarrays no other can pose as.
    #[must_use]
    pub fn on_part<Owner: 'static, T: ?Sized + 'static>(
        extent: usize,
        caller: &'static Location<'static>,
    ) -> Self {
        type Part<Owner, T> = (PhantomData<Owner>, PhantomData<T>);
        Self {
            subject: type_name::<Owner>(),
            ..Self::on_values::<Part<Owner, T>>(Operation::CreatePart, extent, 0, caller)
        }
    }

    /// The same operation, which creates the object of that number: the same on all images.
    #[must_use]
    pub fn creating(&self, object: ObjectId) -> Self {
        let mut call = *self;
        call.signature[OBJECT] = object.0;
        call
    }

    /// The same operation on values at a later step, when it takes more than one rendezvous.
    ///
    /// If a panic, which the program may catch, takes an image out of an operation half-way, its next
    /// operation begins at step 0 and is not taken for the rest of this one.
    #[must_use]
    #[inline]
    pub fn at_step(&self, step: usize) -> Self {
        let mut call = *self;
        call.signature[0] |= (step as u64) << 16;
        call
    }

    /// The same operation, for which the caller chose the algorithm with that number, below [`MAX_ALGORITHMS`]: the same on all
    /// images.
    #[must_use]
    #[inline]
    pub fn by(mut self, algorithm: Option<u8>) -> Self {
        if let Some(number) = algorithm {
            debug_assert!(usize::from(number) < MAX_ALGORITHMS);
            self.signature[0] |= (u64::from(number) + 1) << ALGORITHM;
        }
        self
    }

    /// The same operation as a part of one that a library on top of this one makes of several: reports call it `name`.
    ///
    /// The name is not compared, but that there is one.
    #[must_use]
    #[inline]
    pub fn on_behalf_of(mut self, name: Option<&'static str>) -> Self {
        if let Some(name) = name {
            self.signature[0] |= ON_BEHALF;
            self.subject = name;
        }
        self
    }

    /// The same operation in its asynchronous form.
    #[must_use]
    #[inline]
    pub fn asynchronous(&self) -> Self {
        let mut call = *self;
        call.signature[0] |= ASYNCHRONOUS;
        call
    }

    /// Where the user called it.
    #[must_use]
    pub fn caller(&self) -> &'static Location<'static> {
        self.caller
    }

    /// What it is on, in words.
    #[must_use]
    pub fn subject(&self) -> &'static str {
        self.subject
    }

    pub(crate) fn signature(&self) -> &Signature {
        &self.signature
    }
}

/// A number that tells types apart, the same in all processes of one program.
///
/// It has 64 bits, half of what the compiler takes for enough: of so many types as programs have, no two are taken for the same
/// by accident. That each type has its own number is taken for granted where values of other images are used without further checks.
fn identity<T: ?Sized + 'static>() -> u64 {
    /// Keeps the one word that a `TypeId` hashes to.
    struct Word(u64);

    impl Hasher for Word {
        fn write(&mut self, bytes: &[u8]) {
            bytes
                .iter()
                .for_each(|byte| self.write_u64(u64::from(*byte)));
        }

        fn write_u64(&mut self, word: u64) {
            self.0 = self.0.rotate_left(7) ^ word;
        }

        fn finish(&self) -> u64 {
            self.0
        }
    }

    let mut word = Word(0);
    TypeId::of::<T>().hash(&mut word);
    word.finish()
}

/// Where the last call of an image was, and on what, for its partners to read.
///
/// It is read only after a mismatch or in a deadlock, for a call whose signature is known. The image cannot have
/// left that call by then, so the record is complete and stands still.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct CallRecord {
    pub(crate) line: AtomicU32,
    pub(crate) column: AtomicU32,
    pub(crate) file: FixedStr<196>,
    pub(crate) subject: FixedStr<196>,
}

/// What the image wrote last, so that texts that did not change are not written again.
#[derive(Debug, Default)]
pub(crate) struct LastCall {
    caller: Cell<Option<&'static Location<'static>>>,
    subject: Cell<&'static str>,
}

impl LastCall {
    /// Whether it has these texts.
    #[inline]
    pub(crate) fn is_like(&self, call: &Call) -> bool {
        let caller = self.caller.get();
        caller.is_some_and(|caller| std::ptr::eq(caller, call.caller))
            && std::ptr::eq(self.subject.get(), call.subject)
    }

    /// Has the next call be like none before.
    pub(crate) fn forget(&self) {
        self.caller.set(None);
    }

    /// Where it was called.
    pub(crate) fn caller(&self) -> Option<&'static Location<'static>> {
        self.caller.get()
    }
}

impl CallRecord {
    pub(crate) fn write(&self, call: &Call, last: &LastCall) {
        if !last
            .caller
            .get()
            .is_some_and(|caller| std::ptr::eq(caller, call.caller))
        {
            last.caller.set(Some(call.caller));
            self.line.store(call.caller.line(), Ordering::Relaxed);
            self.column.store(call.caller.column(), Ordering::Relaxed);
            // The name of the file is at the end.
            self.file.set_end(call.caller.file());
        }
        if !std::ptr::eq(last.subject.get(), call.subject) {
            last.subject.set(call.subject);
            self.subject.set(call.subject);
        }
    }
}
