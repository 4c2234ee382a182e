//! Who had put what a get has got.

use crate::check::origins::{Ago, Origin, Origins};
use crate::check::shadow::{Granule, Span};
use crate::check::stamp::{Kind, Stamp};
use crate::image::checking::Checking;
use crate::image::checking::state::State;

impl Checking {
    /// A phase of so many bytes of the image's own heap is about to begin. What is there now, the owner may have written, by itself.
    pub(crate) fn begin_phase(&self, offset: usize, length: usize) {
        if self.0.check.origins.is_some() {
            // Between two phases nobody else accesses it, and a barrier orders all that was accessed before.
            self.0.check.shadow.clear(Span {
                image: self.0.image,
                offset,
                length,
            });
        }
    }

    /// Where gets are counted by what they get.
    pub(super) fn origins_of(&self, kind: Kind) -> Option<&Origins> {
        match kind {
            Kind::Get => self.0.check.origins.as_ref(),
            _ => None,
        }
    }

    /// What the image knows of a write to a granule.
    pub(super) fn origin(&self, state: &State, written: Stamp, granule: Granule) -> Origin {
        if written.is_none() {
            return Origin {
                put: None,
                ago: Ago::Releases(0),
            };
        }
        let (image, time) = (written.image(), written.time());
        let known = state.clock.time_of_puts(image, granule.image);
        let ago = if image == self.0.image {
            Ago::releases(known.saturating_sub(time))
        } else if known >= time {
            // The one that it knows of is 1 release ago.
            Ago::releases(known - time + 1)
        } else if state.clock.covers(written, granule) {
            Ago::Announced
        } else {
            Ago::Unordered
        };
        Origin {
            put: Some((written.site(), image)),
            ago,
        }
    }
}
