//! Why two accesses are not ordered, in words.

use crate::check::races::RACED;
use crate::check::shadow::{GRANULE, Granule};
use crate::check::sites::Short;
use crate::check::stamp::{Kind, Stamp};
use crate::image::checking::Checking;
use crate::image::checking::state::{Seen, Source, State};
use crate::job::control::Failure;

impl Checking {
    /// Reports two accesses that no rule orders.
    pub(super) fn report(&self, state: &State, earlier: Stamp, mine: Stamp, granule: Granule) {
        self.tell(earlier, mine, granule, || {
            self.why(state, earlier, mine, granule)
        });
    }

    /// Reports a flag that was seen, and that no fence follows.
    pub(super) fn report_unfenced(&self, flag: Seen) {
        let Seen {
            written,
            mine,
            granule,
        } = flag;
        self.tell(written, mine, granule, || {
            format!(
                "image {} saw the flag that image {} put, but its next synchronisation is no image_fence (rule 2)",
                mine.image(),
                written.image()
            )
        });
    }

    /// Where accesses race, schedules may switch.
    pub(super) fn note_race(&self, earlier: Stamp, mine: Stamp) {
        if let Some(scheduler) = &self.0.job.scheduler {
            let sites = &self.0.check.sites;
            scheduler.race([earlier, mine].map(|stamp| sites.site(stamp.site()).line));
        }
    }

    fn tell(&self, earlier: Stamp, mine: Stamp, granule: Granule, why: impl FnOnce() -> String) {
        self.note_race(earlier, mine);
        let check = &self.0.check;
        let byte = (earlier.mask() & mine.mask()).trailing_zeros() as usize;
        let pair = (earlier.site(), mine.site());
        let is_first = check.races.note(pair, || {
            let place = check.describe(granule.image, granule.number * GRANULE + byte);
            let access = |stamp: Stamp| (stamp.image(), check.sites.site(stamp.site()));
            let ((first, one), (second, other)) = (access(earlier), access(mine));
            format!(
                "images {first} and {second} race on {place}\n  image {first}: {one}\n  image {second}: {other}\n{}",
                why()
            )
        });
        if is_first && check.policy.stops {
            self.0.job.fail(&Failure {
                image: self.0.image,
                code: RACED,
                text: "ends the job at the first race".into(),
            });
        }
    }

    /// What comes near to an order.
    fn why(&self, state: &State, earlier: Stamp, mine: Stamp, granule: Granule) -> String {
        let (order, sites) = (&self.0.check.order, &self.0.check.sites);
        let (theirs, own, target) = (earlier.image(), mine.image(), granule.image);
        if state.pending.covers(earlier, granule) {
            if let Some(source) = state.source_after(earlier) {
                return format!(
                    "nothing orders them: image {own} saw what image {theirs} wrote at {} after it, but called no image_fence after {} (rules 2 and 3)",
                    Short(sites.site(source.written.site()).line),
                    Short(sites.site(source.mine.site()).line)
                );
            }
            if let Some((name, line)) = state.collective {
                return format!(
                    "nothing orders them: {name} at {} is no barrier, and image {own} called no image_fence after it (rule 9)",
                    Short(line)
                );
            }
        }
        if let Some(fence) = order.fence_for_others(theirs, earlier.time(), target)
            && earlier.is_write()
            && !order.has_fenced(theirs, earlier.time(), target)
            && let Some(to) = fence.target
        {
            return format!(
                "nothing orders them: fence({to}) at {} is for image {to}, the data went to image {target} (rule 2)",
                Short(fence.line)
            );
        }
        if state.clock.has_lane_from(theirs, earlier.time()) && earlier.is_write() {
            return format!(
                "nothing orders them: a notified put of image {theirs} orders what it has put to the same image only (rule 6)"
            );
        }
        if let Some((name, line)) = state.collective {
            return format!(
                "nothing orders them: {name} at {} is no barrier (rule 9)",
                Short(line)
            );
        }
        if let Some(source) = state.source_after(earlier) {
            return format!(
                "nothing orders them: image {own} saw what image {theirs} wrote at {}, but that called no fence in between (rules 2 and 3)",
                Short(sites.site(source.written.site()).line)
            );
        }
        if let Some((line, may_be_others)) = state.waited {
            let line = Short(line);
            return match may_be_others {
                true => format!(
                    "nothing orders them: the wait at {line} may have taken the post of another image (rule 5)"
                ),
                false => format!(
                    "nothing orders them: the wait at {line} took no post of image {theirs} that came after it (rule 5)"
                ),
            };
        }
        let is_word = |stamp: Stamp| matches!(sites.site(stamp.site()).bytes, 1 | 2 | 4 | 8);
        let putter = match (earlier.kind(), mine.kind()) {
            (Kind::Put, Kind::Get) => Some(theirs),
            (Kind::Get, Kind::Put) => Some(own),
            _ => None,
        };
        if let Some(putter) = putter.filter(|_| is_word(earlier) && is_word(mine)) {
            return format!(
                "nothing orders them; if it is a flag, image {putter} is to call a fence just before it puts it (rule 2)"
            );
        }
        if earlier.is_atomic() != mine.is_atomic() {
            return "nothing orders them: one is atomic, and one is not (rule 10)".into();
        }
        "nothing orders them".into()
    }
}

impl State {
    /// The last word that the image has seen of that of an access, from later on.
    fn source_after(&self, earlier: Stamp) -> Option<&Source> {
        let is_later = |source: &&Source| {
            source.written.image() == earlier.image()
                && source.written.site() != earlier.site()
                && source.written.time() >= earlier.time()
        };
        self.sources.iter().rev().find(is_later)
    }
}
