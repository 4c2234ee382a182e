//! One call of each collective operation, and how reports describe it.

use std::mem::forget;
use std::sync::atomic::{AtomicU32, Ordering};

use coarray::prelude::*;
use coarray::sync_team;

/// The collective operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Create,
    Open,
    Close,
    Publish,
    Unpublish,
    SyncAll,
    CoBroadcast,
    CoSum,
    CoMin,
    CoMax,
    CoReduce,
    FormTeam,
    SyncTeam,
    End,
}

impl Kind {
    pub const ALL: [Self; 14] = [
        Self::Create,
        Self::Open,
        Self::Close,
        Self::Publish,
        Self::Unpublish,
        Self::SyncAll,
        Self::CoBroadcast,
        Self::CoSum,
        Self::CoMin,
        Self::CoMax,
        Self::CoReduce,
        Self::FormTeam,
        Self::SyncTeam,
        Self::End,
    ];

    /// What the description in a report starts with.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "creation of a coarray of 5 x [f32] at ",
            Self::Open => "open of the coarray of i8 created at ",
            Self::Close => "the end of the open phase of the coarray of i16 created at ",
            Self::Publish => "publish of the coarray of i32 created at ",
            Self::Unpublish => "the end of the read-only phase of the coarray of i64 created at ",
            Self::SyncAll => "sync_all at ",
            Self::CoBroadcast => "co_broadcast of 3 x u8 from image 1 at ",
            Self::CoSum => "co_sum of u16 at ",
            Self::CoMin => "co_min of 2 x u32 at ",
            Self::CoMax => "co_max of 100 x u64 at ",
            Self::CoReduce => "co_reduce of 0 x bool at ",
            Self::FormTeam => "Team::form at ",
            Self::SyncTeam => "sync_team at ",
            Self::End => "the end of the program",
        }
    }
}

/// Makes some calls that all images make, and then that of `kind`. Leaves in `line` where it is.
pub fn perform(kind: Kind, line: &AtomicU32) {
    let next = |this: u32| line.store(this + 1, Ordering::Relaxed);
    let (mut closed, mut open) = (Coarray::new(1i8), Coarray::new(2i16));
    let (mut private, mut published) = (Coarray::new(3i32), Coarray::new(4i64));
    next(line!());
    let open = open.open();
    let opened = line.load(Ordering::Relaxed);
    next(line!());
    let published = published.publish();
    match kind {
        Kind::Create => {
            next(line!());
            drop(Coarray::<[f32]>::zeroed(5));
        }
        Kind::Open => {
            next(line!());
            drop(closed.open());
        }
        Kind::Close => {
            line.store(opened, Ordering::Relaxed);
            drop(open);
        }
        Kind::Publish => {
            next(line!());
            drop(private.publish());
        }
        Kind::Unpublish => drop(published),
        Kind::SyncAll => {
            next(line!());
            sync_all();
        }
        Kind::CoBroadcast => {
            next(line!());
            co_broadcast(&mut [1u8; 3], 1);
        }
        Kind::CoSum => {
            next(line!());
            co_sum(&mut 1u16);
        }
        Kind::CoMin => {
            next(line!());
            co_min(&mut vec![1u32; 2]);
        }
        Kind::CoMax => {
            next(line!());
            co_max(&mut [[1u64; 10]; 10]);
        }
        Kind::CoReduce => {
            next(line!());
            co_reduce(&mut [true; 0], |a, b| a & b);
        }
        Kind::FormTeam => {
            next(line!());
            drop(Team::form(this_image() as u64));
        }
        Kind::SyncTeam => {
            next(line!());
            sync_team(&Team::current());
        }
        Kind::End => forget((open, published)),
    }
}
