//! The end of the program: an image waits there for all others.
//!
//! In a job that keeps going it enters no barrier, as the others may go on in more barriers than one, and are told in each that it has
//! stopped.

use crate::call::Call;
use crate::collective::barrier::AT_END;
use crate::image::team::Team;
use crate::messages::ends::announce_end;
use crate::messages::quiet::quiet_and_defer;
use crate::waiting::Cause;

/// Collective. Ends the program: waits for all other images that have not failed.
pub(crate) fn finish_program(team: &Team, call: &Call) {
    let _deferral = quiet_and_defer();
    announce_end(team.image());
    if team.keeps_going() {
        team.image().profile_call(call);
        return (0..team.images()).for_each(|index| await_end(team, index));
    }
    // SAFETY: no layer relies on anything at the end of the program.
    let _ = unsafe { team.try_barrier(call) };
}

/// Waits until the image with this index has come to the end of the program, or has failed.
fn await_end(team: &Team, index: usize) {
    let image = team.image();
    let stopped = &image.control(team.members()[index] as usize).stopped;
    // If it fails, it need not come.
    let _ = image.wait(stopped, 1, AtEnd { team, index });
}

/// Why an image waits at the end of the program: for the image with this index.
struct AtEnd<'a> {
    team: &'a Team,
    index: usize,
}

impl Cause for AtEnd<'_> {
    fn describe(&self) -> String {
        AT_END.into()
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.team.members()[self.index] as usize)
    }

    fn has_failed(&self) -> bool {
        self.team.is_gone(self.index)
    }
}
