//! Programs in which all images do the same, but for some mistakes.

/// How many objects a program can have at a time.
pub const SLOTS: usize = 4;

/// What objects there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `Coarray<[u64; 8]>`
    Eight,
    /// `Coarray<[u64; 100]>`
    Hundred,
    /// `Coarray<[u64]>`
    Run,
    /// `Coarray<[NonZeroU64]>`
    NonZeros,
    /// `Coarray<[usize; 2]>`
    Pair,
    /// `Ragged<u64>`
    Ragged,
    /// `Ragged<NonZeroU64>`
    RaggedNonZeros,
    /// `Ragged<[u64; 16]>`
    RaggedRows,
    /// A row of a `RaggedRows<u64>`, between two others.
    RowAmongOthers,
    /// `Coarray<[u64]>`, which moves into its guards.
    Moved,
    /// `Ragged<u64>`, which moves into its guards.
    MovedRagged,
    /// `HaloArray<u64, 1>`
    Line,
    /// `HaloArray<u64, 2>`
    Plane,
}

/// All of them.
pub const KINDS: [Kind; 13] = [
    Kind::Eight,
    Kind::Hundred,
    Kind::Run,
    Kind::NonZeros,
    Kind::Pair,
    Kind::Ragged,
    Kind::RaggedNonZeros,
    Kind::RaggedRows,
    Kind::RowAmongOthers,
    Kind::Moved,
    Kind::MovedRagged,
    Kind::Line,
    Kind::Plane,
];

/// What all images do, each with its own objects in the same slots.
#[derive(Clone, Debug)]
pub enum Action {
    /// Makes an object, and another one in the function that makes its items.
    Create {
        slot: usize,
        kind: Kind,
        length: usize,
        within: Option<(usize, Kind)>,
    },
    Drop(usize),
    /// Writes all words anew, as their owner.
    Write(usize),
    /// Gives a ragged coarray another length, or moves cells from one halo array to another.
    Replace(usize, usize),
    /// Swaps two objects, each seen in the shape of the smaller one.
    Swap(usize, usize),
    /// Opens, publishes or exchanges an object, or two that open together.
    Phase {
        slots: (usize, Option<usize>),
        publish: bool,
        body: Vec<Step>,
        end: End,
    },
    /// Reaches another image in one of the phases around.
    Access {
        phase: usize,
        image: usize,
        index: usize,
        access: Access,
    },
    /// Begins asynchronous operations in one of the phases around; the last is polled.
    Burst {
        phase: usize,
        image: usize,
        count: usize,
        waker: Waker,
    },
    /// What becomes of the asynchronous operations of a phase.
    Settle {
        phase: usize,
        fate: Fate,
    },
    /// Gets into a buffer, in a scope.
    Scope {
        phase: usize,
        image: usize,
        body: Vec<Step>,
    },
    Collective {
        which: Collective,
        length: usize,
        root: usize,
    },
    /// On all words of an object.
    Broadcast(usize, usize),
    /// Scatters or gathers a halo array, with so many times its cells.
    Global {
        slot: usize,
        root: usize,
        which: usize,
    },
    Team {
        colours: u64,
        body: Vec<Step>,
    },
    /// Makes or uses coatomics, a comutex or an event.
    Shared {
        which: Shared,
        image: usize,
    },
    Sync,
}

#[derive(Clone, Copy, Debug)]
pub enum Access {
    Get,
    Put,
    PutAll,
    GetAll,
    Copy,
    Fill,
    Swap,
}

#[derive(Clone, Copy, Debug)]
pub enum Collective {
    Allgather,
    Reduce,
    Scan,
    Alltoallv,
    AllgatherAsync,
    ReduceAsync,
}

#[derive(Clone, Copy, Debug)]
pub enum Shared {
    MakeAtomics,
    MakeMutex,
    MakeEvents,
    Atomics,
    Mutex,
    Ring,
    /// Hands a coatomic to a job of its own.
    Stranger,
}

/// How the guard of a phase ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Drop,
    /// It is forgotten.
    Forget,
    /// It is dropped by a panic, which is caught.
    Panic,
}

#[derive(Clone, Copy, Debug)]
pub enum Fate {
    Wait,
    Drop,
    Forget,
    Ask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waker {
    /// Does nothing.
    Plain,
    /// Panics.
    Panics,
    /// Makes the object that the program makes next.
    Creates,
    /// Is in a collective operation.
    Collects,
    /// Is not given: nothing is polled.
    None,
}

/// What one image does other than all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twist {
    /// Leaves the step out.
    Skip,
    /// Does the next step first.
    Swap,
    /// So many callbacks into the step, or else after it, it ends like this.
    Blow(usize, Blow),
    /// The guard's end is another one.
    End(End),
    /// Another waker is given, and then it is in an operation that the others are not in.
    Waker(Waker, Interrupted),
    /// Another kind of object is made.
    Kind(Kind),
    /// It is about the object in another slot.
    Slot(usize),
}

/// An operation that a waker may interrupt: others do not hear of it then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    None,
    Creation,
    Collective,
}

/// How something ends that was not to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// With a panic that the image catches around the step.
    Caught,
    /// With one that nobody catches.
    Panic,
    /// `fail_image`
    Fail,
    /// `error_stop`
    Stop,
}

/// A step of all images, in which one of them may make a mistake.
#[derive(Clone, Debug)]
pub struct Step {
    pub action: Action,
    /// Which image makes which mistake; [`ALL`] of them make it together.
    pub twist: Option<(usize, Twist)>,
}

/// In place of the number of an image.
pub const ALL: usize = 8;

/// What runs on each image.
#[derive(Clone, Debug)]
pub struct Program {
    pub images: usize,
    pub direct: bool,
    pub nodes: usize,
    pub keep_going: bool,
    /// Images catch the panic with which the library ends them, and go on.
    pub stubborn: bool,
    /// Images race for places, which gives them unspecified words. To ThreadSanitizer that is a race like any other.
    pub races: bool,
    pub steps: Vec<Step>,
}

impl Program {
    /// Whether no image does anything that the documentation forbids or calls a failure.
    pub fn is_right(&self) -> bool {
        self.steps.iter().all(Step::is_right)
    }
}

impl Step {
    fn is_right(&self) -> bool {
        let is_right = match &self.action {
            Action::Phase { body, end, .. } => *end == End::Drop && body.iter().all(Self::is_right),
            Action::Scope { body, .. } | Action::Team { body, .. } => {
                body.iter().all(Self::is_right)
            }
            Action::Burst { waker, .. } => matches!(waker, Waker::Plain | Waker::None),
            Action::Shared { which, .. } => !matches!(which, Shared::Stranger),
            // Two objects may change their sizes.
            Action::Swap(..) => false,
            _ => true,
        };
        is_right && self.twist.is_none()
    }

    /// Takes out all mistakes.
    pub fn put_right(&mut self) {
        self.twist = None;
        match &mut self.action {
            Action::Phase { body, end, .. } => {
                *end = End::Drop;
                body.iter_mut().for_each(Self::put_right);
            }
            Action::Scope { body, .. } | Action::Team { body, .. } => {
                body.iter_mut().for_each(Self::put_right);
            }
            Action::Burst { waker, .. } => *waker = Waker::Plain,
            Action::Swap(..)
            | Action::Shared {
                which: Shared::Stranger,
                ..
            } => {
                self.action = Action::Sync;
            }
            _ => {}
        }
    }
}
