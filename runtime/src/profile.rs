//! Where images wait, and who came last: what a job records that is [profiled](crate::job::settings::Profile).
//!
//! Each image adds up, for each line of the program, how often and how long it waited there ([`table`]), in shared memory. So another process
//! can read it after the image is gone. When an image enters a barrier it notes the time where all of its node read it
//! ([`arrival_times`]), and so the last one knows how long the others have waited for it. How much it waited when is in its
//! [`history`].
//!
//! In a job that is [traced](crate::job::settings::Settings::trace) it also notes each thing that it does, one after the other ([`timeline`]).
//!
//! Nothing of this exists in other jobs, and no instruction on the way of a put, a barrier that is passed at once, or a free lock asks for it:
//! images of a profiled job take the slow way through each barrier and each wait, where the recorder is.

pub(crate) mod activity;
pub(crate) mod arrival_times;
mod clock;
pub(crate) mod counter;
pub(crate) mod counts;
mod history;
pub(crate) mod moved;
pub(crate) mod place;
pub(crate) mod recorder;
pub(crate) mod table;
pub(crate) mod timebase;
pub(crate) mod timeline;
