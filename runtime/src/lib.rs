//! Images and teams: barriers, waiting, locks, failures and the end of a job. The coarrays and collectives of `coarray`
//! are built on this crate.
//!
//! * [`Image`] is one image: its number and its heap. [`Team`] is a set of images that work together; [`Team::barrier`]
//!   is the checked barrier under every collective operation.
//! * [`Eventcount`] is a monotonic counter in shared memory that images wait for: every wait is a wait for an
//!   eventcount.
//! * [`error_stop`] ends a job, [`fail_image`] one image of it.
//!
//! `coarray-fabric` below moves data; `coarray-launch` above starts images. Programs depend on `coarray` only.

// From the bottom to the top: `lockfree | call | profile schedule | check | job | deadlock heap | image | messages | waiting | collective
// lock |
// lifecycle`, and `stats` above `image`. No module imports one from further up.
mod call;
mod check;
mod collective;
mod deadlock;
mod heap;
mod image;
mod job;
mod lifecycle;
mod lock;
mod lockfree;
mod messages;
mod profile;
mod schedule;
mod stats;
mod waiting;

#[cfg(all(test, feature = "simulated"))]
mod testing;

// The lock-free algorithms use this path, so that the loom tests can substitute loom's primitives.
use coarray_fabric::system::primitives;

pub use call::operation::Operation;
pub use call::tuning::{Placement, Plan, Rule, Rules, Tuning};
pub use call::{ASKING, Call, MAX_ALGORITHMS, MAX_OBJECTS, ObjectId};
pub use check::policy::Check;
pub use check::races::RACED;
pub use check::record::{CheckRecord, OrderingLine};
pub use collective::allocation::{FILLED, Layout};
pub use collective::barrier::OnFailure;
pub use collective::form_team::Current;
pub use collective::in_place::Loan;
pub use collective::missing::{AwaitedPosts, Missing, forget_posts};
pub use collective::posts::{MOST_POSTED, Post};
pub use collective::request::{CollectiveRequest, Incomplete};
pub use collective::steps::{Abandoned, StepsBegun};
pub use heap::alloc_error::{AllocError, HeapUser};
pub use heap::{Block, RaggedBlock};
pub use image::Image;
pub use image::checked::{
    acquire, begin_notified, end_notified, issue_noted, note_consumed, note_single_put,
    operate_noted, post_in_flight, racy, release,
};
pub use image::checking::Posted;
pub use image::contribution::Contribution;
pub use image::counting::{are_messages_noted, note_messages};
pub use image::message::is_about_the_end;
pub use image::position::{is_own, is_own_address, num_images, this_image};
pub use image::region::{RegionGuard, region};
pub use image::scheduled::declare_failed;
pub use image::team::{Team, TeamKey};
pub use job::control::{Failure, Stage};
pub use job::death::{Death, SIGNAL_CODE, signal_name};
pub use job::image_failed::ImageFailed;
pub use job::job_memory::JobMemory;
pub use job::process::{process_has_failed, process_image};
pub use job::report::{GRACE, USAGE, report};
pub use job::settings::{
    Bind, FabricKind, ImageCount, Profile, ProfileFiles, RENAMED, SettingError, Settings, Wait,
    cores,
};
pub use job::unwinding::{Panic, report_and_exit, watch_exits};
pub use job::{Job, Machine};
pub use lifecycle::failure::{error_stop, error_stop_quiet, error_stop_with, fail_image};
pub use lifecycle::run_image::{Ending, run_image};
pub use lifecycle::status::{ImageStatus, failed_images, image_status, stopped_images};
pub use lifecycle::stop::{stop, until_stopped};
pub use lock::{Lock, LockError, LockKind};
pub use lockfree::arrival::{PAYLOAD_BYTES, PAYLOAD_BYTES_WITH_ROOT};
pub use lockfree::barrier::Barrier;
pub use lockfree::eventcount::Eventcount;
pub use lockfree::queue_lock::QueueLock;
pub use messages::locate::locate;
pub use messages::quiet::{
    note_post, quiet, quiet_and_defer, quiet_and_fence, quiet_before_post, quiet_except_signals,
};
pub use profile::activity::Activity;
pub use profile::counts::Class;
pub use profile::moved::{LineMoves, Moved};
pub use profile::place::Place;
pub use profile::table::{ImageProfile, LineProfile};
pub use profile::timebase::Timebase;
pub use profile::timeline::{Origin, Step, Steps};
pub use schedule::{
    Accesses, Anchored, Deviation, Event, Exploration, Generator, Handover, History, Late, Line,
    ScheduleError, SchedulePlan, Scheduler, Strategy, Stuck, shorten, shrink,
};
pub use stats::{Stats, count_operations, stats};
pub use waiting::changed::note_change;
pub use waiting::{Cause, Interruption};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
