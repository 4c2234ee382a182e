//! What an image says about the collective operation it is in: exactly, for its partners to compare,
//! and in words, for the person who reads the report of a mismatch.

use std::any::{TypeId, type_name};
use std::cell::Cell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::algorithm::Algorithm;
use crate::card::Tag;
use crate::team::Team;
use crate::text::Text;
use crate::type_name::short;

/// The collective operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Operation {
    /// Creation of a coarray.
    Create = 1,
    /// Start of an open phase.
    Open,
    /// End of an open phase.
    Close,
    /// Start of a read-only phase.
    Publish,
    /// End of a read-only phase.
    Unpublish,
    /// `sync_all`.
    SyncAll,
    /// `co_broadcast`.
    CoBroadcast,
    /// `co_sum`.
    CoSum,
    /// `co_min`.
    CoMin,
    /// `co_max`.
    CoMax,
    /// `co_reduce`.
    CoReduce,
    /// `co_sum_to`.
    CoSumTo,
    /// `co_min_to`.
    CoMinTo,
    /// `co_max_to`.
    CoMaxTo,
    /// `co_reduce_to`.
    CoReduceTo,
    /// `co_all`.
    CoAll,
    /// `co_any`.
    CoAny,
    /// `co_count`.
    CoCount,
    /// `co_gather`.
    CoGather,
    /// `co_allgather`.
    CoAllgather,
    /// `co_scatter`.
    CoScatter,
    /// `co_alltoall`.
    CoAlltoall,
    /// `co_gatherv`.
    CoGatherv,
    /// `co_allgatherv`.
    CoAllgatherv,
    /// `co_scatterv`.
    CoScatterv,
    /// `co_alltoallv`.
    CoAlltoallv,
    /// `co_reduce_scatter`.
    CoReduceScatter,
    /// `co_scan`.
    CoScan,
    /// `co_exscan`.
    CoExscan,
    /// `co_sum_reproducible`.
    CoSumReproducible,
    /// `co_total_reproducible`.
    CoTotalReproducible,
    /// `Team::form`.
    FormTeam,
    /// Start of `Team::change`.
    ChangeTeam,
    /// End of `Team::change`.
    EndTeam,
    /// `sync_team`.
    SyncTeam,
    /// End of the program.
    End,
}

const OPERATIONS: [Operation; 36] = [
    Operation::Create,
    Operation::Open,
    Operation::Close,
    Operation::Publish,
    Operation::Unpublish,
    Operation::SyncAll,
    Operation::CoBroadcast,
    Operation::CoSum,
    Operation::CoMin,
    Operation::CoMax,
    Operation::CoReduce,
    Operation::CoSumTo,
    Operation::CoMinTo,
    Operation::CoMaxTo,
    Operation::CoReduceTo,
    Operation::CoAll,
    Operation::CoAny,
    Operation::CoCount,
    Operation::CoGather,
    Operation::CoAllgather,
    Operation::CoScatter,
    Operation::CoAlltoall,
    Operation::CoGatherv,
    Operation::CoAllgatherv,
    Operation::CoScatterv,
    Operation::CoAlltoallv,
    Operation::CoReduceScatter,
    Operation::CoScan,
    Operation::CoExscan,
    Operation::CoSumReproducible,
    Operation::CoTotalReproducible,
    Operation::FormTeam,
    Operation::ChangeTeam,
    Operation::EndTeam,
    Operation::SyncTeam,
    Operation::End,
];

impl Operation {
    /// The name a user knows it by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "creation of a coarray",
            Self::Open => "open",
            Self::Close => "the end of the open phase",
            Self::Publish => "publish",
            Self::Unpublish => "the end of the read-only phase",
            Self::SyncAll => "sync_all",
            Self::CoBroadcast => "co_broadcast",
            Self::CoSum => "co_sum",
            Self::CoMin => "co_min",
            Self::CoMax => "co_max",
            Self::CoReduce => "co_reduce",
            Self::CoSumTo => "co_sum_to",
            Self::CoMinTo => "co_min_to",
            Self::CoMaxTo => "co_max_to",
            Self::CoReduceTo => "co_reduce_to",
            Self::CoAll => "co_all",
            Self::CoAny => "co_any",
            Self::CoCount => "co_count",
            Self::CoGather => "co_gather",
            Self::CoAllgather => "co_allgather",
            Self::CoScatter => "co_scatter",
            Self::CoAlltoall => "co_alltoall",
            Self::CoGatherv => "co_gatherv",
            Self::CoAllgatherv => "co_allgatherv",
            Self::CoScatterv => "co_scatterv",
            Self::CoAlltoallv => "co_alltoallv",
            Self::CoReduceScatter => "co_reduce_scatter",
            Self::CoScan => "co_scan",
            Self::CoExscan => "co_exscan",
            Self::CoSumReproducible => "co_sum_reproducible",
            Self::CoTotalReproducible => "co_total_reproducible",
            Self::FormTeam => "Team::form",
            Self::ChangeTeam => "Team::change",
            Self::EndTeam => "the end of Team::change",
            Self::SyncTeam => "sync_team",
            Self::End => "the end of the program",
        }
    }

    /// Whether a tag is of this operation.
    pub(crate) fn is_in(self, tag: &Tag) -> bool {
        tag[0] & 0xffff == self as u64
    }
}

/// The number of a collectively created object: the same on every image of its team, never used twice there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId(pub(crate) u64);

/// The first bit of what says in a tag which algorithm the caller chose; below are the steps.
const ALGORITHM: u32 = 56;

/// How many bits that takes.
const ALGORITHM_BITS: u32 = 4;

const _: () = assert!(Algorithm::ALL.len() < 1 << ALGORITHM_BITS);

/// The bit of a tag's first word that says that the operation is asynchronous; steps and objects never reach it.
const ASYNCHRONOUS: u64 = 1 << 61;

/// Most coarrays that one `open` can name.
pub const MAX_OBJECTS: usize = 4;

/// One image's call of a collective operation.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    tag: Tag,
    subject: &'static str,
    caller: &'static Location<'static>,
}

impl Call {
    /// An operation that has nothing to agree on but itself.
    #[must_use]
    pub fn plain(operation: Operation, caller: &'static Location<'static>) -> Self {
        Self {
            tag: [operation as u64, 0, 0, 0],
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
        let mut tag = [0; MAX_OBJECTS];
        for (word, object) in tag.iter_mut().zip(objects) {
            *word = object.0 << 16;
        }
        tag[0] |= operation as u64;
        Self {
            tag,
            subject,
            caller,
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
        let tag = [
            operation as u64,
            identity::<T>(),
            length as u64,
            root as u64,
        ];
        Self {
            tag,
            subject: type_name::<T>(),
            caller,
        }
    }

    /// The same operation on values at a later step, when it takes more than one rendezvous.
    ///
    /// If a panic, which the program may catch, takes an image out of an operation half-way, its next
    /// operation begins at step 0 and is not taken for the rest of this one.
    #[must_use]
    #[inline]
    pub fn at_step(&self, step: usize) -> Self {
        let mut call = *self;
        call.tag[0] |= (step as u64) << 16;
        call
    }

    /// The same operation, for which the caller chose an algorithm: the same on all images.
    #[must_use]
    #[inline]
    pub fn by(mut self, algorithm: Option<Algorithm>) -> Self {
        if let Some(algorithm) = algorithm {
            self.tag[0] |= (algorithm as u64 + 1) << ALGORITHM;
        }
        self
    }

    /// The same operation in its asynchronous form.
    #[must_use]
    #[inline]
    pub fn asynchronous(&self) -> Self {
        let mut call = *self;
        call.tag[0] |= ASYNCHRONOUS;
        call
    }

    /// Where the user called it.
    #[must_use]
    pub fn caller(&self) -> &'static Location<'static> {
        self.caller
    }

    pub(crate) fn subject(&self) -> &'static str {
        self.subject
    }

    pub(crate) fn tag(&self) -> &Tag {
        &self.tag
    }

    /// This image's call in words.
    #[must_use]
    pub fn describe(&self, team: &Team) -> String {
        let caller = self.caller;
        describe(self.tag, self.subject, &caller.to_string(), team)
    }
}

/// A number that tells types apart, the same in all processes of one program.
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
/// It is read only after a mismatch or in a deadlock, for a call whose tag is known. The image cannot have
/// left that call by then, so the record is complete and stands still.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct CallRecord {
    line: AtomicU32,
    column: AtomicU32,
    file: Text<196>,
    subject: Text<196>,
}

/// What the image wrote last, so that texts that did not change are not written again.
#[derive(Debug, Default)]
pub(crate) struct LastCall {
    caller: Cell<Option<&'static Location<'static>>>,
    subject: Cell<&'static str>,
}

impl CallRecord {
    #[inline]
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

    /// The call with that tag, in words.
    pub(crate) fn describe(&self, tag: Tag, team: &Team) -> String {
        let (line, column) = (
            self.line.load(Ordering::Relaxed),
            self.column.load(Ordering::Relaxed),
        );
        let caller = format!("{}:{line}:{column}", self.file.get());
        describe(tag, &self.subject.get(), &caller, team)
    }
}

/// A call in words, of any image of the team.
pub(crate) fn describe(tag: Tag, subject: &str, caller: &str, team: &Team) -> String {
    let object = |id| {
        let heap = team.image().heap.borrow();
        heap.describe(team.identity(), id)
    };
    let what = what(tag, subject, object);
    if Operation::End.is_in(&tag) {
        return what;
    }
    let of_team = match team.number() {
        Some(number) => format!(" of team {number}"),
        None => String::new(),
    };
    let takes_steps = takes_steps(tag);
    let step = tag[0] << (64 - ALGORITHM) >> (64 - ALGORITHM + 16);
    let half_way = if takes_steps && step != 0 {
        ", half-way"
    } else {
        ""
    };
    let algorithm = ((tag[0] >> ALGORITHM) & ((1 << ALGORITHM_BITS) - 1)).checked_sub(1);
    let by = match algorithm.and_then(|number| Algorithm::ALL.get(number as usize)) {
        Some(algorithm) if takes_steps => format!(" by {algorithm}"),
        _ => String::new(),
    };
    format!("{what}{by}{of_team} at {caller}{half_way}")
}

/// Whether the bits over the operation count steps and name an algorithm; otherwise they name an object.
fn takes_steps(tag: Tag) -> bool {
    let on_objects = [
        Operation::Open,
        Operation::Close,
        Operation::Publish,
        Operation::Unpublish,
    ];
    !on_objects
        .into_iter()
        .any(|operation| operation as u64 == tag[0] & 0xffff)
}

fn what(tag: Tag, subject: &str, object: impl Fn(ObjectId) -> String) -> String {
    let code = tag[0] & 0xffff;
    let Some(operation) = OPERATIONS
        .into_iter()
        .find(|operation| *operation as u64 == code)
    else {
        return format!("unknown operation {code}");
    };
    let form = if tag[0] & ASYNCHRONOUS != 0 {
        "_async"
    } else {
        ""
    };
    let name = format!("{}{form}", operation.name());
    let values = Values {
        length: tag[2],
        subject,
    };
    match operation {
        Operation::SyncAll
        | Operation::FormTeam
        | Operation::ChangeTeam
        | Operation::EndTeam
        | Operation::SyncTeam
        | Operation::End => name,
        Operation::Open | Operation::Close | Operation::Publish | Operation::Unpublish => {
            let objects: Vec<String> = tag
                .iter()
                .map(|word| ObjectId(word >> 16))
                .filter(|id| id.0 != 0)
                .map(object)
                .collect();
            let began = if matches!(operation, Operation::Close | Operation::Unpublish) {
                ", which began"
            } else {
                ""
            };
            format!("{name} of {}{began}", objects.join(" and "))
        }
        Operation::Create => format!("{name} of {values}"),
        Operation::CoBroadcast | Operation::CoScatter => {
            format!("{name} of {values} from image {}", tag[3])
        }
        Operation::CoSumTo
        | Operation::CoMinTo
        | Operation::CoMaxTo
        | Operation::CoReduceTo
        | Operation::CoGather => format!("{name} of {values} to image {}", tag[3]),
        Operation::CoGatherv => format!("{name} of {} to image {}", short(subject), tag[3]),
        Operation::CoScatterv => format!("{name} of {} from image {}", short(subject), tag[3]),
        Operation::CoAllgatherv | Operation::CoAlltoallv => format!("{name} of {}", short(subject)),
        Operation::CoSum
        | Operation::CoMin
        | Operation::CoMax
        | Operation::CoReduce
        | Operation::CoAllgather
        | Operation::CoAlltoall
        | Operation::CoReduceScatter
        | Operation::CoScan
        | Operation::CoExscan
        | Operation::CoSumReproducible
        | Operation::CoTotalReproducible => format!("{name} of {values}"),
        Operation::CoAll | Operation::CoAny | Operation::CoCount => name,
    }
}

struct Values<'a> {
    length: u64,
    subject: &'a str,
}

impl fmt::Display for Values<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = short(self.subject);
        match self.length {
            1 => write!(formatter, "{subject}"),
            length => write!(formatter, "{length} x {subject}"),
        }
    }
}
