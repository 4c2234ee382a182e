//! The cluster of MPI: what the images of a communicator do together before and after they share memory.

use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::rc::Rc;

use mpi_rma::mpi::ffi;
use mpi_rma::mpi::topology::{Communicator, SimpleCommunicator};
use mpi_rma::mpi::traits::AsRaw;

use super::attachment::{self, Attachment};
use super::channel::Channel;
use super::check::{check, expect, give_up};
use super::collectives::Collectives;
use super::communicator;
use super::environment::Environment;
use super::one_sided::OneSided;
use crate::memory::nodes::Nodes;
use crate::memory::region::Region;
use crate::system::drain_stdio::await_readers;
use crate::transport::cluster::Cluster;
use crate::transport::fabric::Fabric;

/// The images of a communicator.
pub struct Group {
    /// A duplicate of the given communicator, so that messages of the application do not arrive here. `finish` frees it.
    communicator: RefCell<Option<ManuallyDrop<SimpleCommunicator>>>,
    environment: RefCell<Option<Environment>>,
    image: usize,
    images: usize,
    node: usize,
    joins_nodes: Cell<bool>,
    attached: RefCell<Option<Rc<OneSided>>>,
}

impl Group {
    /// Collective. Makes the processes of a communicator images.
    ///
    /// # Errors
    /// An error of MPI.
    ///
    /// # Safety
    /// The process has no other group, and calls the methods of [`Cluster`] as they say: the collective ones on all processes, `detach` after the last
    /// use of the fabric, and nothing after `finish`.
    pub unsafe fn new(
        environment: Environment,
        communicator: &impl Communicator,
    ) -> Result<Self, String> {
        let own = communicator.duplicate();
        // SAFETY: the communicator is valid, and the error handler is a predefined one.
        check("MPI_Comm_set_errhandler", unsafe {
            ffi::MPI_Comm_set_errhandler(own.as_raw(), ffi::RSMPI_ERRORS_RETURN)
        })?;
        let (image, images) = (own.rank() as usize, own.size() as usize);
        let mut group = Self {
            communicator: RefCell::new(Some(ManuallyDrop::new(own))),
            environment: RefCell::new(Some(environment)),
            image,
            images,
            node: 0,
            joins_nodes: Cell::new(false),
            attached: RefCell::default(),
        };
        group.node = group.lowest_local_peer();
        communicator::note_communicator(group.raw());
        Ok(group)
    }

    /// Collective. The lowest image that shares memory with this one.
    fn lowest_local_peer(&self) -> usize {
        let node = self.with_communicator(|own| own.split_shared(self.image as c_int));
        let mut lowest = self.image as u64;
        // SAFETY: the communicator is valid and has a process 0, the lowest image; one number is sent and received.
        let code = unsafe {
            ffi::MPI_Bcast(
                (&raw mut lowest).cast(),
                1,
                ffi::RSMPI_UINT64_T,
                0,
                node.as_raw(),
            )
        };
        expect(check("MPI_Bcast", code));
        lowest as usize
    }

    fn with_communicator<R>(&self, action: impl FnOnce(&SimpleCommunicator) -> R) -> R {
        match &*self.communicator.borrow() {
            Some(communicator) => action(communicator),
            None => give_up("it is used after the end of the job"),
        }
    }

    fn raw(&self) -> ffi::MPI_Comm {
        self.with_communicator(AsRaw::as_raw)
    }
}

impl Cluster for Group {
    fn image(&self) -> usize {
        self.image
    }

    fn images(&self) -> usize {
        self.images
    }

    fn node(&self) -> usize {
        self.node
    }

    fn gather(&self, mine: &[u8]) -> Vec<u8> {
        let mut all = vec![0; mine.len() * self.images];
        let length = expect(c_int::try_from(mine.len()));
        // SAFETY: the communicator is valid; each of its processes sends `length` bytes, and `all` has room for them all.
        let code = unsafe {
            ffi::MPI_Allgather(
                mine.as_ptr().cast(),
                length,
                ffi::RSMPI_UINT8_T,
                all.as_mut_ptr().cast(),
                length,
                ffi::RSMPI_UINT8_T,
                self.raw(),
            )
        };
        expect(check("MPI_Allgather", code));
        all
    }

    fn attach(&self, region: &mut Region, nodes: &Nodes) -> Result<Rc<dyn Fabric>, String> {
        self.joins_nodes.set(!nodes.share_all());
        let Attachment {
            window,
            start,
            sends_at_once,
        } = self.with_communicator(|own| attachment::attach(self, own, region, nodes))?;
        let channel = Channel::new(self.raw(), self.images);
        let collectives = Collectives::new(self.raw(), self.images);
        let fabric = OneSided::new(
            window,
            start,
            sends_at_once,
            channel,
            collectives,
            self.images,
        );
        let fabric = Rc::new(fabric);
        *self.attached.borrow_mut() = Some(Rc::clone(&fabric));
        Ok(fabric)
    }

    fn detach(&self) {
        if let Some(fabric) = self.attached.take() {
            // SAFETY: the caller of `detach` promises that no image uses the fabric any more.
            unsafe { fabric.close() };
        }
    }

    fn finish(&self) {
        communicator::forget_communicator();
        if let Some(communicator) = self.communicator.take() {
            drop(ManuallyDrop::into_inner(communicator));
        }
        if let Some(environment) = self.environment.take() {
            environment.leave(self.joins_nodes.get());
        }
    }

    fn abort(&self, code: u8) -> ! {
        // An error means that the output has no reader.
        let _ = io::stdout().flush();
        await_readers();
        self.with_communicator(|own| {
            let world = SimpleCommunicator::world();
            // MPICH tells its launcher, and so other nodes, only if the world communicator is aborted.
            let all = if own.size() == world.size() {
                &world
            } else {
                own
            };
            all.abort(c_int::from(code))
        })
    }
}
