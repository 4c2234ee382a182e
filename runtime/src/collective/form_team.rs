//! Forming teams, and making one the current team.

use std::panic::Location;
use std::rc::Rc;

use crate::call::Call;
use crate::call::operation::Operation;
use crate::collective::allocation::allocate_despite;
use crate::collective::allocation::{FILLED, Layout};
use crate::collective::barrier::OnFailure;
use crate::collective::barrier::exchange_payloads;
use crate::image::current::set_current;
use crate::image::team::{Origin, Team};
use crate::job::control::TeamControl;
use crate::job::image_failed::ImageFailed;
use crate::lockfree::split::{Request, Split};
use crate::messages::quiet::quiet_and_defer;
use coarray_fabric::memory::region::{BUFFER_BYTES, POSTED_BYTES, SCRATCH_BYTES};

/// The step of the barrier that confirms a split.
const FORMED: usize = FILLED;

impl Team {
    /// Collective. Splits this team into teams, and returns the one that this image joins: all images with the same
    /// colour `number`. In it the image gets index `index`, or any index if that is `None`.
    ///
    /// If the requests for indices conflict, the job ends with a report.
    ///
    /// # Errors
    /// The images that have failed, unless `absence` accepts that.
    ///
    /// # Panics
    /// On all images alike if the heap has no room for the structures of the teams.
    #[track_caller]
    pub fn form(
        self: &Rc<Self>,
        number: u64,
        index: Option<usize>,
        on_failure: OnFailure,
        caller: &'static Location<'static>,
    ) -> Result<Rc<Self>, ImageFailed> {
        let call = Call::of(Operation::FormTeam, "a team", caller);
        let layout = Layout {
            size: size_of::<TeamControl>() + SCRATCH_BYTES,
            align: align_of::<TeamControl>(),
            shared: true,
        };
        let deferral = quiet_and_defer();
        // SAFETY: all images of the team ask for the same layout.
        let block = match unsafe { allocate_despite(self, &deferral, &call, layout, on_failure) }? {
            Ok(block) => block,
            Err(error) => panic!("{error}"),
        };
        let call = call.creating(block.id);
        let image = self.image();
        let control = image.job.region.heap_offset() + block.offset;
        let address = image.job.region.part_address(image.index, control);
        // SAFETY: `block` is valid for writes of its size, and no other image uses it before the next barrier.
        unsafe {
            address.cast::<TeamControl>().write(TeamControl::default());
            if image.network.is_some() {
                // The words of posts of other nodes: no stamps.
                let posted = size_of::<TeamControl>() + 2 * BUFFER_BYTES;
                address.add(posted).write_bytes(0, POSTED_BYTES);
            }
        }
        shadow_controls(self, control);

        let (has_key, key) = (u64::from(index.is_some()), index.unwrap_or_default() as u64);
        let words = [number, has_key, key];
        // SAFETY: this image's structures are initialised, and it brings its request.
        let present =
            unsafe { exchange_payloads(self, &deferral, &call.at_step(FORMED), words, on_failure) };
        let present = match present {
            Ok(present) => present,
            Err(failed) => {
                // SAFETY: no image got a team that would use the block.
                unsafe { self.free(block) };
                return Err(failed);
            }
        };
        let requests: Vec<Request> = present
            .into_iter()
            .map(|image| {
                let [number, has_key, key, _] = self.payload(image);
                Request {
                    image,
                    number,
                    index: (has_key == 1).then_some(key as usize),
                }
            })
            .collect();
        let formation = match Split::arrange(&requests) {
            Ok(formation) => formation,
            Err(error) => image.fail(format!("cannot form teams at {caller}: {error}")),
        };
        let ranks = formation.members(number).unwrap_or_default();
        let index = ranks.iter().position(|&rank| rank == self.index());
        let members = ranks.iter().map(|&rank| self.members()[rank]).collect();
        Ok(Rc::new(Team::new(
            Rc::clone(image),
            index.unwrap_or_default(),
            members,
            control,
            control + size_of::<TeamControl>(),
            Some(Origin {
                parent: Rc::clone(self),
                formation: Rc::new(formation),
                number,
                block,
            }),
        )))
    }

    /// The numbers of the teams of the same split, this one included; none for the first team.
    #[must_use]
    pub fn siblings(&self) -> Vec<u64> {
        self.origin
            .iter()
            .flat_map(|origin| origin.formation.numbers())
            .collect()
    }

    /// The indices in the parent of the images of team `number` of the same split, by their index there.
    #[must_use]
    pub fn sibling(&self, number: u64) -> Option<&[usize]> {
        self.origin.as_ref()?.formation.members(number)
    }

    /// Makes this the current team until the result is dropped.
    #[must_use]
    pub fn enter(self: &Rc<Self>) -> Current {
        Current {
            before: set_current(Rc::clone(self)),
        }
    }
}

/// Creates the shadows of new control structures for images on other nodes: once on each node, before the barrier after
/// which other images may send something for them.
fn shadow_controls(here: &Team, control: usize) {
    let Some(node_map) = here.node_map().filter(|d| d.is_leader(here.index())) else {
        return;
    };
    let image = here.image();
    for index in (0..here.images()).filter(|index| !node_map.local_peers().contains(index)) {
        let member = here.members()[index] as usize;
        let region = &image.job.region;
        if let Err(error) = region.commit_part(member, control, size_of::<TeamControl>()) {
            image.fail(format!(
                "has no memory for the structures of a team: {error}"
            ));
        }
        // SAFETY: the block at this offset is new on all images, so no image uses this shadow yet.
        unsafe {
            let shadow = region.part_address(member, control).cast::<TeamControl>();
            shadow.write(TeamControl::default());
        }
    }
}

/// The period in which a team is the current one.
#[derive(Debug)]
pub struct Current {
    before: Option<Rc<Team>>,
}

impl Drop for Current {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            set_current(before);
        }
    }
}
