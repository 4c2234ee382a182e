//! Which step of one image ended a wait of another: the arrows of a timeline.
//!
//! Nobody notes that while the program runs. It follows from the times, and from the numbers by which all images know barriers, events and locks:
//!
//! * a barrier ends when the last image has come to it: an arrow leads from there to each image that came before;
//! * a wait for an event, also in an exchange of halos or a conveyor, ends by the last post before its end. If two images post the same event at nearly the same time, it may be the other one;
//! * a wait for a lock ends by the last release before its end, which can be no other.

use std::collections::HashMap;

use coarray_runtime::{Activity, Step, Steps};

/// A step of an image: the number of the image, and that of the step.
type Place = (usize, usize);

/// The arrows between steps of images.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arrows {
    /// By the step that an arrow comes from, the steps that they lead to.
    pub(super) from: HashMap<Place, Vec<Place>>,
    /// The steps at which an arrow ends.
    pub(super) to: HashMap<Place, Place>,
}

impl Arrows {
    /// Between these images, which have these numbers.
    pub(super) fn between(images: &[(usize, Steps)]) -> Self {
        let mut arrows = Self::default();
        arrows.find_barriers(images);
        let events = [Activity::Event, Activity::Halo, Activity::Conveyor];
        arrows.find_releases(images, Activity::Post, &events);
        arrows.find_releases(images, Activity::Unlock, &[Activity::Lock]);
        arrows
    }

    fn find_barriers(&mut self, images: &[(usize, Steps)]) {
        // A team may have the number of one that is no more: then the first barriers belong together, and the second ones.
        let mut barriers = HashMap::<(u64, u32), Vec<(u64, Place)>>::new();
        for (image, steps) in images {
            let mut times = HashMap::<u64, u32>::new();
            for (index, step) in calls(steps) {
                let time = times.entry(step.object).or_default();
                let key = (step.object, *time);
                *time += 1;
                barriers
                    .entry(key)
                    .or_default()
                    .push((step.begin, (*image, index)));
            }
        }
        for arrivals in barriers.into_values() {
            let Some(&(came, last)) = arrivals.iter().max() else {
                continue;
            };
            let earlier = arrivals.iter().filter(|(begin, _)| *begin < came);
            for &(_, place) in earlier {
                self.add(last, place);
            }
        }
    }

    fn find_releases(&mut self, images: &[(usize, Steps)], release: Activity, waits: &[Activity]) {
        let mut releases = HashMap::<u64, Vec<(u64, Place)>>::new();
        for (place, step) in steps_of(images, &[release]) {
            releases
                .entry(step.object)
                .or_default()
                .push((step.begin, place));
        }
        for times in releases.values_mut() {
            times.sort_unstable();
        }
        let mut ended: Vec<_> = steps_of(images, waits)
            .filter_map(|(place, step)| Some((step.end?, place, step.object)))
            .collect();
        ended.sort_unstable();
        for (end, place, object) in ended {
            let Some(times) = releases.get(&object) else {
                continue;
            };
            let before = times.partition_point(|(time, _)| *time <= end);
            let last = before.checked_sub(1).map(|last| times[last].1);
            // One that has ended a wait cannot end another: the time of that one was over.
            if let Some(from) = last.filter(|from| !self.from.contains_key(from)) {
                self.add(from, place);
            }
        }
    }

    fn add(&mut self, from: Place, to: Place) {
        self.from.entry(from).or_default().push(to);
        self.to.insert(to, from);
    }
}

/// The collective operations with a barrier, which have ended.
fn calls(steps: &Steps) -> impl Iterator<Item = (usize, &Step)> {
    let all = steps.steps.iter().enumerate();
    all.filter(|(_, step)| {
        let is_call = matches!(steps.lines.get(step.line), Some(Some((_, None))));
        is_call && step.object != 0 && step.end.is_some()
    })
}

/// The steps of all images that do one of these.
fn steps_of<'a>(
    images: &'a [(usize, Steps)],
    activities: &'a [Activity],
) -> impl Iterator<Item = (Place, &'a Step)> {
    images.iter().flat_map(move |(image, steps)| {
        let all = steps.steps.iter().enumerate();
        let is_one = |step: &Step| match steps.lines.get(step.line) {
            Some(Some((_, Some(activity)))) => activities.contains(activity),
            _ => false,
        };
        all.filter(move |(_, step)| step.object != 0 && is_one(step))
            .map(move |(index, step)| ((*image, index), step))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an image did: begin, end, object, line.
    type Row = (u64, u64, u64, usize);

    const CALL: usize = 0;
    const EVENT: usize = 1;
    const LOCK: usize = 2;
    const POST: usize = 3;
    const UNLOCK: usize = 4;

    fn image(number: usize, rows: &[Row]) -> (usize, Steps) {
        let place = coarray_runtime::Place {
            file: "a.rs".into(),
            line: 1,
            column: 1,
            activity: String::new(),
        };
        let activities = [
            None,
            Some(Activity::Event),
            Some(Activity::Lock),
            Some(Activity::Post),
            Some(Activity::Unlock),
        ];
        let step = |&(begin, end, object, line): &Row| Step {
            begin,
            end: Some(end),
            object,
            line,
            partner: None,
        };
        let steps = Steps {
            steps: rows.iter().map(step).collect(),
            lines: activities.map(|one| Some((place.clone(), one))).into(),
            ..Steps::default()
        };
        (number, steps)
    }

    fn sorted(arrows: &Arrows) -> Vec<(Place, Place)> {
        let mut all: Vec<_> = arrows.to.iter().map(|(to, from)| (*from, *to)).collect();
        all.sort_unstable();
        let mut again: Vec<_> = arrows
            .from
            .iter()
            .flat_map(|(from, to)| to.iter().map(|to| (*from, *to)))
            .collect();
        again.sort_unstable();
        assert_eq!(all, again);
        all
    }

    #[test]
    fn the_last_one_to_come_ends_a_barrier() {
        let images = [
            image(
                0,
                &[(10, 51, 7, CALL), (60, 70, 8, CALL), (80, 99, 7, CALL)],
            ),
            image(
                1,
                &[(50, 50, 7, CALL), (61, 70, 8, CALL), (81, 99, 7, CALL)],
            ),
            image(2, &[(20, 52, 7, CALL), (61, 70, 0, CALL)]),
        ];
        let expected = [
            ((1, 0), (0, 0)),
            ((1, 0), (2, 0)),
            ((1, 1), (0, 1)),
            ((1, 2), (0, 2)),
        ];
        assert_eq!(sorted(&Arrows::between(&images)), expected);
    }

    #[test]
    fn the_last_release_before_its_end_ends_a_wait() {
        let images = [
            image(
                0,
                &[
                    (10, 50, 7, EVENT),
                    (52, 60, 7, EVENT),
                    (62, 66, 7, EVENT),
                    (70, 90, 5, LOCK),
                ],
            ),
            image(
                1,
                &[(5, 5, 7, POST), (40, 40, 7, POST), (85, 85, 5, UNLOCK)],
            ),
            image(
                2,
                &[(30, 30, 7, POST), (55, 55, 7, POST), (91, 91, 5, UNLOCK)],
            ),
            image(
                3,
                &[(1, 3, 7, EVENT), (10, 60, 9, EVENT), (45, 45, 7, UNLOCK)],
            ),
        ];
        let expected = [((1, 1), (0, 0)), ((1, 2), (0, 3)), ((2, 1), (0, 1))];
        assert_eq!(sorted(&Arrows::between(&images)), expected);
    }
}
