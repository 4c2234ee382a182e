//! What the images of a communicator do together before and after they share memory.

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
    /// A duplicate of the communicator that was given, so that nobody else's messages come here. Like MPI itself it
    /// ends in `finish` only, or with the process.
    communicator: RefCell<Option<ManuallyDrop<SimpleCommunicator>>>,
    environment: RefCell<Option<Environment>>,
    image: usize,
    images: usize,
    node: usize,
    joins_nodes: Cell<bool>,
    attached: RefCell<Option<Rc<OneSided>>>,
}

impl Group {
    /// Collective. The images that the processes of a communicator are.
    ///
    /// # Errors
    /// What MPI refuses.
    ///
    /// # Safety
    /// The process is in no other group. Whoever has the group uses it as the methods of [`Cluster`] say.
    pub unsafe fn new(
        environment: Environment,
        communicator: &impl Communicator,
    ) -> Result<Self, String> {
        let own = communicator.duplicate();
        // SAFETY: the communicator lives, and the handler is one of MPI's own.
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
        group.node = group.lowest_neighbour();
        communicator::note_communicator(group.raw());
        Ok(group)
    }

    /// Collective. The lowest image that shares memory with this one.
    fn lowest_neighbour(&self) -> usize {
        let node = self.with_communicator(|own| own.split_shared(self.image as c_int));
        let mut lowest = self.image as u64;
        // SAFETY: the node's communicator lives, and the lowest image is its first process, which sends one number.
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
        // SAFETY: the communicator lives; each image sends so many bytes, for all of which there is room.
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
        let Attachment { window, start } =
            self.with_communicator(|own| attachment::attach(self, own, region, nodes))?;
        let channel = Channel::new(self.raw(), self.images);
        let fabric = Rc::new(OneSided::new(window, start, channel, self.images));
        *self.attached.borrow_mut() = Some(Rc::clone(&fabric));
        Ok(fabric)
    }

    fn detach(&self) {
        if let Some(fabric) = self.attached.take() {
            // SAFETY: the image is over, so that whoever still has the fabric does not use it.
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
        // Nothing is left to do if the output has no reader.
        let _ = io::stdout().flush();
        await_readers();
        self.with_communicator(|own| {
            let world = SimpleCommunicator::world();
            // MPICH leaves its launcher, and so other nodes, alone unless it is asked to end the world.
            let all = if own.size() == world.size() {
                &world
            } else {
                own
            };
            all.abort(c_int::from(code))
        })
    }
}
