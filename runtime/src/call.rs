//! An image's call of a collective operation: as a signature, which the images compare in a checked barrier, and as
//! text, for the report of a mismatch.
//!
//! ```text
//! word 0:  | 61 asynchronous | 60 on behalf | 59..56 algorithm | 55..16 step | 14..0 operation |
//! ```
//!
//! Words 1 to 3 depend on the operation: numbers of objects, the identity of a type, lengths, the root. Operations on
//! up to four objects have the object numbers in bits 63..16 of all four words instead.

pub(crate) mod operation;
pub(crate) mod record;
pub(crate) mod tuning;

use std::any::{TypeId, type_name};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;

use crate::call::operation::Operation;
use crate::lockfree::arrival::{BESIDE, IS_FULL, Signature};
use coarray_fabric::system::limits::MAX_IMAGES;

/// The number of a collectively created object: equal on all images of its team, and unique in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId(pub(crate) u64);

/// The lowest bit of the algorithm field in a signature; the step is below.
pub(crate) const ALGORITHM: u32 = 56;

/// Width of the algorithm field.
pub(crate) const ALGORITHM_BITS: u32 = 4;

/// How many algorithms the field can distinguish; 0 means that the caller chose none.
pub const MAX_ALGORITHMS: usize = (1 << ALGORITHM_BITS) - 1;

/// The step of an operation in which images ask each other where their values are: before step 0, if they do.
pub const ASKING: usize = 1 << 34;

/// The step of an operation that posts, in which images wait until all posts before have been read: before step 0.
pub(crate) const READ: usize = 1 << 33;

/// The bit of a signature's first word that marks an asynchronous operation; steps and object numbers stay below it.
pub(crate) const ASYNCHRONOUS: u64 = 1 << 61;

/// The word of a signature with the number of the object being created.
pub(crate) const OBJECT: usize = 3;

/// The bit of a signature's first word that marks a part of a larger operation, which the subject names.
pub(crate) const ON_BEHALF: u64 = 1 << 60;

const _: () = assert!(ALGORITHM + ALGORITHM_BITS <= ON_BEHALF.trailing_zeros());

const _: () = assert!((Operation::End as u64) < IS_FULL);

/// Width of the root field. One bit more than an image number, to encode "no such image".
pub(crate) const ROOT_BITS: u32 = 21;

const _: () = assert!(MAX_IMAGES < 1 << ROOT_BITS);

/// Most coarrays that one `open` can name.
pub const MAX_OBJECTS: usize = 4;

/// One image's call of a collective operation.
///
/// In this order, so that processors copy it in the pairs of words in which they have just written it: another load waits for the store, for 7 ns.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Call {
    signature: Signature,
    subject: &'static str,
    caller: &'static Location<'static>,
}

impl Call {
    /// An operation that is its own whole signature.
    #[must_use]
    pub fn plain(operation: Operation, caller: &'static Location<'static>) -> Self {
        Self {
            signature: [operation as u64, 0, 0, 0],
            subject: "",
            caller,
        }
    }

    /// The same for an operation that creates something, which `subject` describes.
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

    /// An operation that moves values of an existing object from or to image `root`, in steps. If it concerns a part of
    /// the values only, these are `count` values from number `first` on; otherwise both are 0. All of this must be
    /// equal on all images.
    ///
    /// Roots that do not exist all compare equal.
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

    /// The creation of a coarray of `extent` values of type `T`, as a part of an `Owner`. Types and extent must be
    /// equal on all images. The signature names both types, so the coarrays of one owner match no other's.
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

    /// The same operation, which creates object number `object`; must be equal on all images.
    #[must_use]
    pub fn creating(&self, object: ObjectId) -> Self {
        let mut call = *self;
        call.signature[OBJECT] = object.0;
        call
    }

    /// The same operation at a later step, if it takes more than one barrier.
    ///
    /// If a panic that the program catches takes an image out of an operation, its next operation begins at step 0, so
    /// the signature differs from the rest of this one.
    #[must_use]
    #[inline]
    pub fn at_step(&self, step: usize) -> Self {
        let mut call = *self;
        call.signature[0] |= (step as u64) << 16;
        call
    }

    /// The same operation with an algorithm that the caller chose: a number below [`MAX_ALGORITHMS`], equal on all
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

    /// The same operation as a part of one that a library builds from several; reports call it `name`.
    ///
    /// Images compare whether there is a name, but not the name itself.
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

    /// Whether it is the first of the calls that images compare in the operation.
    pub(crate) fn is_first_step(&self) -> bool {
        self.is_on_objects() || self.step() == 0
    }

    /// Whether it begins a phase in which others reach coarrays.
    pub(crate) fn is_opening(&self) -> bool {
        [Operation::Open, Operation::Publish]
            .iter()
            .any(|operation| operation.is_in(&self.signature))
    }

    /// Whether it is a barrier by the rules of the memory model: what images did before is ordered before what they do after.
    pub(crate) fn is_meeting(&self) -> bool {
        use Operation::{
            ChangeTeam, Close, End, EndTeam, GatherGlobal, GatherSlice, Gmove, Open, Publish,
            ScatterGlobal, SyncAll, SyncTeam, Unpublish,
        };
        [
            Open,
            Close,
            Publish,
            Unpublish,
            SyncAll,
            ChangeTeam,
            EndTeam,
            SyncTeam,
            GatherGlobal,
            GatherSlice,
            ScatterGlobal,
            Gmove,
            End,
        ]
        .iter()
        .any(|operation| operation.is_in(&self.signature))
    }

    /// The name of a barrier that nothing but order needs.
    pub(crate) fn plain_barrier(&self) -> Option<&'static str> {
        let barriers = [Operation::SyncAll, Operation::SyncTeam];
        let is_it = |operation: &Operation| operation.is_in(&self.signature);
        barriers.into_iter().find(is_it).map(Operation::name)
    }

    /// Whether it has the number of an object where others have the step, and more.
    fn is_on_objects(&self) -> bool {
        use Operation::{Close, Open, Publish, Unpublish};
        [Open, Close, Publish, Unpublish]
            .iter()
            .any(|operation| operation.is_in(&self.signature))
    }

    /// What a library calls the operation that it is a part of; nothing if it is of none.
    pub(crate) fn behalf(&self) -> &'static str {
        match !self.is_on_objects() && self.signature[0] & ON_BEHALF != 0 {
            true => self.subject,
            false => "",
        }
    }

    /// Whether it is the one before that, in which images ask each other where their values are.
    pub(crate) fn is_before_first_step(&self) -> bool {
        !self.is_on_objects() && self.step() == ASKING as u64
    }

    /// The step, of an operation that has steps.
    fn step(&self) -> u64 {
        self.signature[0] >> 16 & ((1 << (ALGORITHM - 16)) - 1)
    }

    /// Where the user called it.
    #[must_use]
    pub fn caller(&self) -> &'static Location<'static> {
        self.caller
    }

    /// What it operates on, as text.
    #[must_use]
    pub fn subject(&self) -> &'static str {
        self.subject
    }

    /// Whether it has something to say in the last word of its signature.
    pub(crate) fn has_last_word(&self) -> bool {
        self.signature[BESIDE] != 0
    }

    pub(crate) fn signature(&self) -> &Signature {
        &self.signature
    }
}

/// A hash of a type, equal in all processes of one program.
///
/// It has 64 bits, half of what the compiler uses, so two types of one program do not collide by accident. Values of
/// other images are read as this type on the strength of that hash, without further checks.
fn identity<T: ?Sized + 'static>() -> u64 {
    /// A hasher that folds what it is given into one word.
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
