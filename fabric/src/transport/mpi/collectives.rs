//! MPI's collective operations, among the images of a team.
//!
//! They are the blocking ones: Open MPI 4.1 chooses better algorithms for these than for those that return a request. Images come to them
//! together, by the contract of [`Fabric::move_blocks`](crate::transport::fabric::Fabric::move_blocks), so none waits in one for an image
//! that waits for it elsewhere.

use std::cell::RefCell;
use std::ffi::c_int;

use mpi_rma::mpi::ffi::{self, MPI_Comm};

use super::check::{check, expect};
use crate::transport::movement::Movement;

/// Images make one communicator at a time, so one tag does for all.
const TAG: c_int = 0;

/// The communicators that images use together.
#[derive(Debug)]
pub(super) struct Collectives {
    /// That of all images: one of its own, as Open MPI 4.1 makes others by messages on it, which a receive that the channel has posted would
    /// take.
    all: MPI_Comm,
    images: usize,
    /// Those of other lists of images, in the order in which they were made, until the end of the job.
    made: RefCell<Vec<(Box<[u32]>, MPI_Comm)>>,
}

impl Collectives {
    /// Collective. For the images of a communicator, in the order of their numbers.
    pub(super) fn new(communicator: MPI_Comm, images: usize) -> Self {
        // SAFETY: reads a constant of the MPI library.
        let mut all = unsafe { ffi::RSMPI_COMM_NULL };
        // SAFETY: the communicator is valid, and all of its processes do this. The duplicate returns errors, too.
        let code = unsafe { ffi::MPI_Comm_dup(communicator, &raw mut all) };
        expect(check("MPI_Comm_dup", code));
        Self {
            all,
            images,
            made: RefCell::default(),
        }
    }

    /// Collective among `images`, if they have none yet. Their communicator, in this order.
    fn communicator(&self, images: &[u32]) -> MPI_Comm {
        let is_in_order = || (0..).zip(images).all(|(number, &image)| number == image);
        if images.len() == self.images && is_in_order() {
            return self.all;
        }
        let mut made = self.made.borrow_mut();
        if let Some((_, communicator)) = made.iter().find(|(list, _)| **list == *images) {
            return *communicator;
        }
        let communicator = self.make(images);
        made.push((images.into(), communicator));
        communicator
    }

    /// Collective among `images`.
    fn make(&self, images: &[u32]) -> MPI_Comm {
        let ranks: Vec<c_int> = images.iter().map(|&image| image as c_int).collect();
        // SAFETY: reads constants of the MPI library; the handles are overwritten.
        let (mut of_all, mut group, mut communicator) = unsafe {
            (
                ffi::RSMPI_GROUP_NULL,
                ffi::RSMPI_GROUP_NULL,
                ffi::RSMPI_COMM_NULL,
            )
        };
        // SAFETY: `all` was made by `new`, and `ranks` are different processes of it. All of these make the call, as
        // `move_blocks` was promised. The handler is a predefined one, and both groups are freed once.
        let codes = unsafe {
            [
                ffi::MPI_Comm_group(self.all, &raw mut of_all),
                ffi::MPI_Group_incl(of_all, ranks.len() as c_int, ranks.as_ptr(), &raw mut group),
                ffi::MPI_Comm_create_group(self.all, group, TAG, &raw mut communicator),
                ffi::MPI_Comm_set_errhandler(communicator, ffi::RSMPI_ERRORS_RETURN),
                ffi::MPI_Group_free(&raw mut group),
                ffi::MPI_Group_free(&raw mut of_all),
            ]
        };
        codes
            .into_iter()
            .for_each(|code| expect(check("MPI_Comm_create_group", code)));
        communicator
    }

    /// # Safety
    /// As [`Fabric::move_blocks`](crate::transport::fabric::Fabric::move_blocks).
    pub(super) unsafe fn move_blocks(
        &self,
        images: &[u32],
        movement: Movement,
        source: *const u8,
        target: *mut u8,
        length: usize,
    ) {
        let communicator = self.communicator(images);
        let length = expect(c_int::try_from(length));
        let (source, target) = (source.cast(), target.cast());
        // SAFETY: reads a constant of the MPI library.
        let byte = unsafe { ffi::RSMPI_UINT8_T };
        // SAFETY: the communicator is that of `images`, which all make this call with the same movement and length, as the caller
        // vouches. So it does for both places, which have the blocks that each function reads and writes.
        let (function, code) = unsafe {
            match movement {
                Movement::Broadcast(root) => (
                    "MPI_Bcast",
                    ffi::MPI_Bcast(target, length, byte, root as c_int, communicator),
                ),
                Movement::Gather(root) => (
                    "MPI_Gather",
                    ffi::MPI_Gather(
                        source,
                        length,
                        byte,
                        target,
                        length,
                        byte,
                        root as c_int,
                        communicator,
                    ),
                ),
                Movement::Scatter(root) => (
                    "MPI_Scatter",
                    ffi::MPI_Scatter(
                        source,
                        length,
                        byte,
                        target,
                        length,
                        byte,
                        root as c_int,
                        communicator,
                    ),
                ),
                Movement::Allgather => (
                    "MPI_Allgather",
                    ffi::MPI_Allgather(source, length, byte, target, length, byte, communicator),
                ),
                Movement::Alltoall => (
                    "MPI_Alltoall",
                    ffi::MPI_Alltoall(source, length, byte, target, length, byte, communicator),
                ),
            }
        };
        expect(check(function, code));
    }

    /// Collective. Frees the communicators that were made, each image in the order in which it made them: in this order no two wait for each
    /// other.
    pub(super) fn close(&self) {
        let made = self.made.take().into_iter();
        for mut communicator in made.map(|(_, one)| one).chain([self.all]) {
            // SAFETY: it was made here, and all of its images free it here, once.
            let code = unsafe { ffi::MPI_Comm_free(&raw mut communicator) };
            expect(check("MPI_Comm_free", code));
        }
    }
}
