//! Events, and puts that notify.

use crate::Case;

mod events;
mod notified;

pub(super) const FILES: &[&[Case]] = &[events::CASES, notified::CASES];
