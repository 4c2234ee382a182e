//! Making a thread an image, and undoing that.

use std::rc::Rc;

use crate::collective::deferred_free::abandon_deferred_frees;
use crate::image::Image;
use crate::image::checking::Checking;
use crate::image::counting::note_messages;
use crate::image::current::{set_current, take_current};
use crate::image::position::{set_own_heap, set_position};
use crate::image::region;
use crate::image::team::Team;
use crate::job::control::Stage;
use crate::job::process;
use crate::job::settings::FabricKind;
use crate::job::unwinding::release_thread;
use crate::lifecycle::failure::adopt_thread;
use crate::lifecycle::fork;
use crate::waiting::changed;
use coarray_fabric::memory::locality;
use coarray_fabric::transport::handle::{self, HandleState};
use coarray_fabric::transport::pending::{Pending, note_pending};

/// Makes a thread an image until it is dropped.
pub(crate) struct Presence(());

impl Image {
    /// Makes the calling thread this image, in the team of all images.
    pub(crate) fn enter(self: Rc<Self>) -> Presence {
        adopt_thread(self.index);
        fork::watch();
        self.backoff.begin();
        if self.job.fabric == FabricKind::Processes {
            changed::share(process::become_image(&self.job, self.index));
        }
        self.job.threads.enter();
        self.control(self.index).set_stage(Stage::Running);
        // SAFETY: images have a network where some share no memory. `drop` leaves.
        unsafe { locality::enter(self.network.is_some(), self.job.direct) };
        let region = &self.job.region;
        let mut others = (0..self.images).filter(|&other| other != self.index);
        let polls = self.network.is_some();
        let opening = HandleState {
            image: self.index,
            fabric: self.fabric_for_program(),
            parts: region.part_address(0, 0).addr(),
            stride: region.dimensions().stride,
            images: self.images,
            has_neighbours: others.any(|other| self.job.nodes.share(self.index, other)),
            poll: polls.then_some(|| Self::with_current(Self::poll)),
            observes_racy: if polls || self.is_counted() {
                None
            } else {
                self.checking().and_then(Checking::notes_racy)
            },
        };
        // SAFETY: the team that becomes the current one owns the image, which owns its fabric and the memory of its
        // job. `drop` removes the handle before it drops the team.
        unsafe { handle::install(&opening) };
        for pending in [Pending::Issued, Pending::Signals] {
            let issued = pending == Pending::Issued && self.fabric().outstanding().get();
            // SAFETY: the image has told nobody anything yet, and its fabric says what it has issued. An image that this thread was
            // before is over.
            unsafe { note_pending(pending, issued) };
        }
        // SAFETY: it is no operation.
        unsafe {
            note_pending(
                Pending::Notes,
                self.is_traced() || self.checking().is_some(),
            )
        };
        region::note_tracing(&self);
        let heap = self.heap(self.index).addr();
        set_own_heap(heap..heap + self.heap_bytes());
        note_messages(self.is_counted());
        set_current(Rc::new(Team::first(self)));
        Presence(())
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // SAFETY: the program of the image is over, and so is every operation of it.
        unsafe { handle::remove() };
        if let Some(team) = take_current() {
            if let Some(checking) = team.image().checking() {
                checking.end();
            }
            abandon_deferred_frees(team.image());
            if let Some(reactor) = team.image().started_reactor() {
                reactor.end();
            }
            team.image().job.threads.leave();
            // SAFETY: `enter` did the matching step.
            unsafe { locality::leave(team.image().job.direct) };
        }
        note_messages(false);
        // SAFETY: as in `enter`.
        unsafe { note_pending(Pending::Notes, false) };
        set_position(0, 0);
        set_own_heap(0..0);
        release_thread();
    }
}
