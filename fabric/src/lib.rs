//! The lowest layer of `coarray`: images, their memory, and how they start,
//! meet and end.
//!
//! * [`Fabric`] is what a transport must do: put and get, at once or later, fence, quiet. One implementation
//!   serves the two engines of one machine: images as threads and images as processes.
//! * [`Image`] is one image: its number and its heap. [`Team`] is images that work together; [`Team::meet`] is
//!   the checked barrier under every collective operation.
//! * [`Tally`] is a count in shared memory that images wait for: all waiting is done by it.
//! * [`launch`], [`run`] and [`Launch`] start images; [`error_stop`] ends them, [`fail_image`] one of them; [`coarun`] is the
//!   launcher's command line.
//! * [`direct`] holds the loads, stores and copies for memory that other images touch.
//!
//! Programs name the crate `coarray` only.

// From the bottom to the top: none imports what comes after it.
mod call;
mod collective;
mod deadlock;
mod heap;
mod image;
mod job;
mod launch;
mod lifecycle;
mod lock;
mod lockfree;
mod memory;
mod messages;
mod system;
mod transport;
mod waiting;

/// Applications that use MPI themselves, too.
#[cfg(feature = "mpi")]
pub mod mpi {
    pub use crate::launch::on_communicator::{CannotRun, run_on};
    pub use crate::transport::mpi::communicator;
}

pub use memory::direct;

pub use call::algorithm::{Algorithm, Kind};
pub use call::choice::{ChoiceError, Choices, Rule};
pub use call::operation::Operation;
pub use call::{Call, MAX_OBJECTS, ObjectId};
pub use collective::allocation::{FILLED, Layout};
pub use collective::form_team::Current;
pub use collective::lack::Lack;
pub use collective::meeting::Absence;
pub use collective::posting::Posting;
pub use collective::steps::{Abandoned, StepsBegun};
pub use heap::exhausted::{AllocError, Holder};
pub use heap::{Block, RaggedBlock};
pub use image::Image;
pub use image::contribution::Contribution;
pub use image::team::Team;
pub use job::control::Failure;
pub use job::image_failed::ImageFailed;
pub use job::process::{process_has_failed, process_image};
pub use job::settings::{Bind, FabricKind, ImageCount, SettingError, Settings, Wait, cores};
pub use launch::coarun::coarun;
pub use launch::embedded::{Launch, run};
pub use launch::terminal::terminal_size;
pub use launch::{launch, launch_keeping_going};
pub use lifecycle::failure::{error_stop, error_stop_with, fail_image};
pub use lifecycle::status::{ImageStatus, failed_images, image_status, stopped_images};
pub use lock::lock_apart::{clear_poison_of, holder_of, poisoner_of};
pub use lock::{LockError, LockKind};
pub use lockfree::barrier::Barrier;
pub use lockfree::queue_lock::QueueLock;
pub use lockfree::tally::Tally;
pub use memory::apart::{Place, is_apart, may_be_apart};
pub use memory::region::SCRATCH_BYTES;
pub use messages::complete::{complete, complete_and_fence, complete_but_posts};
pub use messages::home::with_home;
pub use system::available_memory::available_memory;
pub use system::bytes::Bytes;
pub use system::limits::MAX_IMAGES;
pub use transport::atomic::{AtomicOperation, Word};
pub use transport::deferral::Deferral;
pub use transport::fabric::{Fabric, Message};
pub use transport::pending::has_issued;
pub use transport::position::{is_own, num_images, this_image};
pub use transport::request::{Buffer, Request};
#[cfg(feature = "simulated")]
pub use transport::simulated::Fault;
pub use transport::way::{is_in_job, reach, reach_to_put};
pub use waiting::{Cause, Interruption};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
