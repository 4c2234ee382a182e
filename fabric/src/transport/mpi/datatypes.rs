//! Datatypes of MPI for blocks of arrays, and for lists of items. The last ones of blocks are kept: programs put and get the same blocks again
//! and again.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::c_int;
use std::ptr;

use mpi_rma::Window;
use mpi_rma::mpi::ffi::{self, MPI_Aint, MPI_Datatype, MPI_Request};

use super::check::{check, expect};
use crate::transport::strided::{Run, Strided, StridedAxis};

/// How many datatypes are kept.
const KEPT: usize = 8;

const WORD: usize = size_of::<u64>();

/// Count and stride in bytes of each dimension, innermost first.
type Axes = Vec<(c_int, MPI_Aint)>;

/// The last datatypes, and the length of a run and the dimensions that each stands for.
#[derive(Debug, Default)]
pub(super) struct Datatypes(RefCell<VecDeque<(usize, Axes, MPI_Datatype)>>);

/// What a run consists of, and how many there are: words, if it is whole words.
fn unit(length: usize) -> (MPI_Datatype, usize) {
    // SAFETY: constants that rsmpi defines.
    unsafe {
        match length % WORD {
            0 => (ffi::RSMPI_UINT64_T, length / WORD),
            _ => (ffi::RSMPI_UINT8_T, length),
        }
    }
}

/// Whether a C `int` holds each count of a block.
pub(super) fn is_countable(block: &Strided<'_>) -> bool {
    let counts = block.axes.iter().map(|axis| axis.count);
    counts
        .chain([block.bytes()])
        .all(|count| c_int::try_from(count).is_ok())
}

impl Datatypes {
    /// Starts a put or get of a block, with a request if there is a place for one; none of its counts is more than a C `int` holds, or this does
    /// nothing and returns false.
    ///
    /// # Safety
    /// As `Fabric::put` or `Fabric::get`, for each run, until the operation is complete at this end.
    pub(super) unsafe fn start(
        &self,
        window: &Window<'_>,
        (rank, place): (i32, usize),
        here: *mut u8,
        block: &Strided<'_>,
        is_put: bool,
        request: Option<&mut MPI_Request>,
    ) -> bool {
        if !is_countable(block) {
            return false;
        }
        let (packed, words) = unit(block.length);
        let (local, count) = match block.is_packed() {
            true => (packed, block.bytes() / block.length * words),
            false => (self.of(block, |axis| axis.here), 1),
        };
        let remote = self.of(block, |axis| axis.there);
        let (here, count, place) = (here.cast(), count as c_int, place as MPI_Aint);
        let window = window.as_raw();
        // SAFETY: the datatypes are committed, and stand for the runs at both ends, for which the caller vouches.
        let (name, code) = unsafe {
            match (is_put, request) {
                (true, None) => {
                    let code = ffi::MPI_Put(here, count, local, rank, place, 1, remote, window);
                    ("MPI_Put", code)
                }
                (true, Some(request)) => {
                    let code =
                        ffi::MPI_Rput(here, count, local, rank, place, 1, remote, window, request);
                    ("MPI_Rput", code)
                }
                (false, None) => {
                    let code = ffi::MPI_Get(here, count, local, rank, place, 1, remote, window);
                    ("MPI_Get", code)
                }
                (false, Some(request)) => {
                    let code =
                        ffi::MPI_Rget(here, count, local, rank, place, 1, remote, window, request);
                    ("MPI_Rget", code)
                }
            }
        };
        expect(check(name, code));
        true
    }

    /// The datatype of one end. It stays valid while the next one is asked for.
    fn of(&self, block: &Strided<'_>, stride: impl Fn(&StridedAxis) -> isize) -> MPI_Datatype {
        let axes = block.axes.iter();
        let axes: Axes = axes
            .map(|axis| (axis.count as c_int, stride(axis) as MPI_Aint))
            .collect();
        let mut kept = self.0.borrow_mut();
        let is_known =
            |known: &(usize, Axes, MPI_Datatype)| (known.0, &known.1) == (block.length, &axes);
        // To the end: the next one that is made does not replace it.
        let known = kept.iter().position(is_known);
        if let Some(known) = known.and_then(|position| kept.remove(position)) {
            let datatype = known.2;
            kept.push_back(known);
            return datatype;
        }
        if kept.len() == KEPT
            && let Some((.., oldest)) = kept.pop_front()
        {
            free(oldest);
        }
        let datatype = make(block.length, &axes);
        kept.push_back((block.length, axes, datatype));
        datatype
    }

    /// Frees all.
    pub(super) fn clear(&self) {
        for (.., datatype) in self.0.take() {
            free(datatype);
        }
    }
}

/// A committed datatype of runs of `length` bytes.
fn make(length: usize, axes: &Axes) -> MPI_Datatype {
    let (mut datatype, mut words) = unit(length);
    let mut is_made = false;
    for &(count, stride) in axes {
        let mut outer = datatype;
        let inner = datatype;
        // SAFETY: the counts fit, and the inner datatype is one of MPI.
        let code = unsafe {
            ffi::MPI_Type_create_hvector(
                count,
                words as c_int,
                stride,
                inner,
                ptr::from_mut(&mut outer),
            )
        };
        expect(check("MPI_Type_create_hvector", code));
        if is_made {
            // The outer one stays valid.
            free(inner);
        }
        (datatype, words, is_made) = (outer, 1, true);
    }
    // A block has a dimension.
    commit(datatype)
}

/// Commits a datatype that was made here.
fn commit(mut datatype: MPI_Datatype) -> MPI_Datatype {
    // SAFETY: it is one of MPI.
    let code = unsafe { ffi::MPI_Type_commit(ptr::from_mut(&mut datatype)) };
    expect(check("MPI_Type_commit", code));
    datatype
}

/// The bytes of all runs, one after the other.
///
/// # Safety
/// `source` is valid for reads of `length` initialised bytes at each `from`.
pub(super) unsafe fn pack(source: *const u8, length: usize, runs: &[Run]) -> Vec<u8> {
    let mut packed = Vec::<u8>::with_capacity(runs.len() * length);
    for run in runs {
        let from = source.wrapping_offset(run.from);
        // SAFETY: the caller vouches for these bytes. The vector has room for those of all runs, and its length says how many are there.
        unsafe {
            let to = packed.as_mut_ptr().add(packed.len());
            match length {
                WORD => ptr::copy_nonoverlapping(from, to, WORD),
                length => ptr::copy_nonoverlapping(from, to, length),
            }
            packed.set_len(packed.len() + length);
        }
    }
    packed
}

/// Starts a put of packed bytes to the places of the runs; none of its counts is more than a C `int` holds, or this does nothing and returns
/// false. Lists differ from call to call, so that no datatype is kept.
///
/// # Safety
/// As `Fabric::put_listed`, until the operation is complete at this end.
pub(super) unsafe fn start_listed_put(
    window: &Window<'_>,
    (rank, place): (i32, usize),
    packed: &[u8],
    length: usize,
    runs: &[Run],
) -> bool {
    let (unit, units) = unit(length);
    let Ok(count) = c_int::try_from(runs.len() * units) else {
        return false;
    };
    let places: Vec<MPI_Aint> = runs.iter().map(|run| run.to as MPI_Aint).collect();
    let mut listed = unit;
    // SAFETY: there are so many places, the counts fit, as their product does, and the unit is a datatype of MPI.
    let code = unsafe {
        ffi::MPI_Type_create_hindexed_block(
            places.len() as c_int,
            units as c_int,
            places.as_ptr(),
            unit,
            ptr::from_mut(&mut listed),
        )
    };
    expect(check("MPI_Type_create_hindexed_block", code));
    let listed = commit(listed);
    let (packed, place) = (packed.as_ptr().cast(), place as MPI_Aint);
    // SAFETY: the datatype is committed, and stands for the runs at the target, for which the caller vouches. The packed bytes are as many.
    let code = unsafe {
        let window = window.as_raw();
        ffi::MPI_Put(packed, count, unit, rank, place, 1, listed, window)
    };
    expect(check("MPI_Put", code));
    free(listed);
    true
}

fn free(mut datatype: MPI_Datatype) {
    // SAFETY: it was made here and is used no more; operations that use it are completed by MPI all the same.
    let code = unsafe { ffi::MPI_Type_free(ptr::from_mut(&mut datatype)) };
    expect(check("MPI_Type_free", code));
}
