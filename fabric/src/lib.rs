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

mod platform;

mod agreement;
mod algorithm;
mod allocation;
mod apart;
mod atomic;
mod backoff;
mod backtrace;
mod barrier;
mod book;
mod bytes;
mod call;
mod card;
mod choice;
mod choice_text;
#[cfg(any(feature = "mpi", feature = "shmem"))]
mod cluster;
mod completion;
mod contribution;
mod control;
mod crowd;
mod deadlock;
mod death;
mod deferral;
pub mod direct;
mod fabric;
mod failure;
mod farewell;
mod fork;
mod form_team;
mod formation;
mod heap;
mod home;
mod image;
mod image_failed;
mod interference;
mod issued;
mod job;
mod lack;
mod launch;
mod limits;
mod lock;
mod lock_apart;
mod lock_state;
mod mapping;
mod meeting;
mod meeting_apart;
mod memory;
mod message;
#[cfg(feature = "mpi")]
pub mod mpi;
mod network;
mod nodes;
mod notice;
mod operation;
mod orphan;
mod overlay;
mod parked;
mod posting;
mod posting_apart;
mod posts;
mod primitives;
mod process;
mod process_manager;
mod queue_lock;
mod reactor;
mod record;
mod records;
mod region;
mod rendezvous;
mod report;
mod request;
mod scheduler;
mod settings;
mod shared_memory;
#[cfg(feature = "shmem")]
mod shmem;
mod silence;
#[cfg(feature = "simulated")]
mod simulated;
mod sleep;
mod status;
mod steps;
mod steps_apart;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod streaming;
mod tally;
mod team;
mod text;
mod told;
mod tuning;
mod type_name;
mod waiting;
#[cfg(any(feature = "mpi", feature = "shmem"))]
mod watched;
mod way;
mod wording;

pub use algorithm::{Algorithm, Kind};
pub use allocation::{FILLED, Layout};
pub use apart::{Place, is_apart, may_be_apart};
pub use atomic::{AtomicOperation, Word};
pub use barrier::Barrier;
pub use bytes::Bytes;
pub use call::{Call, MAX_OBJECTS, ObjectId};
pub use choice::{ChoiceError, Choices, Rule};
pub use contribution::Contribution;
pub use control::Failure;
pub use deferral::Deferral;
pub use fabric::{Fabric, Message};
pub use failure::{error_stop, error_stop_with, fail_image};
pub use form_team::Current;
pub use heap::exhausted::{AllocError, Holder};
pub use heap::{Block, RaggedBlock};
pub use home::with_home;
pub use image::{Image, is_own, num_images, this_image};
pub use image_failed::ImageFailed;
pub use issued::{complete, complete_and_fence, complete_but_posts, has_issued};
pub use lack::Lack;
pub use launch::coarun::coarun;
pub use launch::embedded::{Launch, run};
pub use launch::terminal::terminal_size;
pub use launch::{launch, launch_keeping_going};
pub use limits::MAX_IMAGES;
pub use lock::{LockError, LockKind};
pub use lock_apart::{clear_poison_of, holder_of, poisoner_of};
pub use meeting::Absence;
pub use memory::available_memory;
pub use operation::Operation;
pub use posting::Posting;
pub use process::{process_has_failed, process_image};
pub use queue_lock::QueueLock;
pub use region::SCRATCH_BYTES;
pub use request::{Buffer, Request};
pub use settings::{Bind, FabricKind, ImageCount, SettingError, Settings, Wait, cores};
#[cfg(feature = "simulated")]
pub use simulated::Fault;
pub use status::{ImageStatus, failed_images, image_status, stopped_images};
pub use steps::{Abandoned, StepsBegun};
pub use tally::Tally;
pub use team::Team;
pub use waiting::{Cause, Interruption};
pub use way::{is_in_job, reach, reach_to_put};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
