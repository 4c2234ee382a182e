//! What the profiles of all images come to.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use coarray_runtime::{ImageProfile, LineProfile, Place};

/// What the profiles of the images of a job come to. Times are in nanoseconds.
#[derive(Debug)]
pub(super) struct Summary {
    /// How many images the job had.
    pub(super) images: usize,
    /// How long the job ran: as long as the image that ran the longest.
    pub(super) time: u64,
    /// The images of which something is known, in the order of their numbers.
    pub(super) runs: Vec<Run>,
    /// Lines at which images waited, the longest first.
    pub(super) lines: Vec<Line>,
}

/// How one image spent its time.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) image: usize,
    pub(super) time: u64,
    /// How long it did not wait.
    pub(super) useful: u64,
    /// How long it waited in each part of its run, and how long a part is.
    pub(super) part: u64,
    pub(super) parts: Vec<u64>,
}

/// What happened at one line.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) place: Place,
    /// Of the image that came there the most often.
    pub(super) calls: u64,
    /// Of all images.
    pub(super) waited: u64,
    /// What each image did there, in the order of their numbers.
    pub(super) visits: Vec<Visits>,
    /// The image that was waited for the most there outside of barriers, and by how much at most.
    pub(super) awaited: Option<(usize, u64)>,
    /// Images that came last to barriers there, the one for which the others waited the longest first.
    pub(super) late: Vec<Late>,
}

/// How often one image came to a line, and what it did then.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Visits {
    pub(super) image: usize,
    pub(super) calls: u64,
    pub(super) waited: u64,
    /// How long it had worked before it came there, and how often that was next to nothing.
    pub(super) worked: u64,
    pub(super) prompt: u64,
}

/// That an image came last to barriers.
#[derive(Clone, Debug)]
pub(super) struct Late {
    pub(super) image: usize,
    /// How often.
    pub(super) times: u64,
    /// How long each of the others waited for it then, on the average: added up, and the longest time.
    pub(super) total: u64,
    pub(super) longest: u64,
    /// Where it had waited before that.
    pub(super) since: Option<Place>,
}

/// What is added up of a line.
#[derive(Default)]
struct Waits {
    visits: Vec<Visits>,
    /// By image that was waited for.
    awaited: BTreeMap<usize, u64>,
    late: Vec<Late>,
}

impl Waits {
    fn add(&mut self, image: usize, line: &LineProfile) {
        // The compiler may describe a line more than once.
        if self.visits.last().is_none_or(|last| last.image != image) {
            self.visits.push(Visits {
                image,
                ..Visits::default()
            });
        }
        if let Some(visits) = self.visits.last_mut() {
            visits.calls += line.calls;
            visits.waited += line.waited;
            visits.worked += line.worked;
            visits.prompt += line.prompt;
        }
        *self.awaited.entry(line.awaited).or_default() += line.lead;
        if line.last == 0 {
            return;
        }
        let new = Late {
            image,
            times: line.last,
            total: line.late,
            longest: line.latest,
            since: line.since.clone(),
        };
        match self.late.last_mut().filter(|late| late.image == image) {
            Some(late) => late.join(new),
            None => self.late.push(new),
        }
    }

    fn at(mut self, place: Place) -> Line {
        self.late.sort_by_key(|late| Reverse(late.total));
        let calls = self.visits.iter().map(|visits| visits.calls);
        Line {
            place,
            calls: calls.max().unwrap_or(0),
            waited: self.visits.iter().map(|visits| visits.waited).sum(),
            visits: self.visits,
            awaited: self.awaited.into_iter().max_by_key(|(_, time)| *time),
            late: self.late,
        }
    }
}

impl Summary {
    /// Of the images with these numbers, in increasing order; the job has `images`.
    pub(super) fn of<'a>(
        profiles: impl Iterator<Item = (usize, &'a ImageProfile)>,
        images: usize,
    ) -> Self {
        let mut lines = BTreeMap::<&Place, Waits>::new();
        let mut runs = Vec::new();
        for (image, profile) in profiles {
            let waited: u64 = profile.lines.iter().map(|line| line.waited).sum();
            runs.push(Run {
                image,
                time: profile.time,
                useful: profile.time.saturating_sub(waited),
                part: profile.part,
                parts: profile.parts.clone(),
            });
            for line in &profile.lines {
                lines.entry(&line.place).or_default().add(image, line);
            }
        }
        let lines = lines.into_iter();
        let mut lines: Vec<Line> = lines
            .map(|(place, waits)| waits.at(place.clone()))
            .collect();
        lines.sort_by_key(|line| Reverse(line.waited));
        Self {
            images,
            time: runs.iter().map(|run| run.time).max().unwrap_or(0),
            runs,
            lines,
        }
    }

    /// How many images it is about.
    pub(super) fn known(&self) -> usize {
        self.runs.len()
    }

    /// The part of the time of all images that this time is.
    pub(super) fn share(&self, time: u64) -> f64 {
        ratio(time as f64, self.time as f64 * self.known() as f64)
    }

    /// The part of the time in which images did not wait.
    pub(super) fn efficiency(&self) -> f64 {
        self.share(self.useful())
    }

    /// How long images did not wait, on the average, by the longest of these times: less than 1 if some have more to do than others.
    pub(super) fn balance(&self) -> f64 {
        ratio(
            self.useful() as f64,
            self.longest_useful() * self.known() as f64,
        )
    }

    /// The longest time in which an image did not wait, by that of the job: less than 1 if all have waited.
    pub(super) fn communication(&self) -> f64 {
        ratio(self.longest_useful(), self.time as f64)
    }

    /// How long all images waited.
    pub(super) fn waited(&self) -> u64 {
        self.lines.iter().map(|line| line.waited).sum()
    }

    /// The part of the time in which images did not run, or nothing is known of them any more.
    pub(super) fn unknown(&self) -> f64 {
        (1.0 - self.efficiency() - self.share(self.waited())).max(0.0)
    }

    fn useful(&self) -> u64 {
        self.runs.iter().map(|run| run.useful).sum()
    }

    fn longest_useful(&self) -> f64 {
        let useful = self.runs.iter().map(|run| run.useful);
        useful.max().unwrap_or(0) as f64
    }
}

impl Line {
    /// The image that waited the least, and for how long: the others most likely waited for it.
    pub(super) fn least(&self) -> Option<(usize, u64)> {
        let waits = self.visits.iter();
        waits
            .map(|visits| (visits.image, visits.waited))
            .min_by_key(|(_, time)| *time)
    }
}

/// 1 if nothing is compared with nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 1.0 }
}

impl Late {
    fn join(&mut self, other: Self) {
        self.times += other.times;
        self.total += other.total;
        if other.longest > self.longest {
            (self.longest, self.since) = (other.longest, other.since);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32) -> Place {
        Place {
            file: "src/main.rs".into(),
            line,
            column: 5,
            activity: "sync_all".into(),
        }
    }

    fn line(at: u32, calls: u64, waited: u64, [last, late, latest]: [u64; 3]) -> LineProfile {
        LineProfile {
            place: place(at),
            calls,
            waited,
            worked: 2 * waited,
            prompt: 1,
            awaited: 3,
            lead: waited / 2,
            last,
            late,
            latest,
            since: Some(place(at - 1)),
        }
    }

    /// Image 1 computes for 90 of 100, and the others for 50.
    fn uneven() -> Summary {
        let early = |time| ImageProfile {
            time,
            lines: vec![line(20, 4, 10, [0; 3]), line(10, 5, 40, [1, 1, 1])],
            ..ImageProfile::default()
        };
        let late = ImageProfile {
            time: 100,
            // The compiler has described line 10 twice.
            lines: vec![line(10, 3, 4, [2, 28, 20]), line(10, 2, 6, [2, 12, 9])],
            ..ImageProfile::default()
        };
        let all = [early(100), late, early(100), early(90)];
        Summary::of(all.iter().enumerate(), 4)
    }

    #[test]
    fn efficiencies_are_those_of_pop() {
        let summary = uneven();
        let useful = [50.0, 90.0, 50.0, 40.0];
        let sum: f64 = useful.iter().sum();
        let is_near = |number: f64, expected: f64| (number - expected).abs() < 1e-12;
        assert!(is_near(summary.efficiency(), sum / 400.0));
        assert!(is_near(summary.balance(), sum / 4.0 / 90.0));
        assert!(is_near(summary.communication(), 0.9));
        assert!(is_near(summary.unknown(), 10.0 / 400.0));
    }

    #[test]
    fn lines_are_those_of_all_images() {
        let summary = uneven();
        let lines: Vec<_> = summary
            .lines
            .iter()
            .map(|line| (line.place.line, line.calls, line.waited))
            .collect();
        assert_eq!(lines, [(10, 5, 130), (20, 4, 30)]);
        let late = &summary.lines[0].late[0];
        assert_eq!(
            (late.image, late.times, late.total, late.longest),
            (1, 4, 40, 20)
        );
        assert_eq!(late.since, Some(place(9)));
        assert_eq!(summary.lines[0].awaited, Some((3, 65)));
        let visits = &summary.lines[0].visits[1];
        assert_eq!((visits.image, visits.calls, visits.worked), (1, 5, 20));
        assert_eq!(summary.lines[0].least(), Some((1, 10)));
        assert!(summary.lines[1].late.is_empty());
    }

    #[test]
    fn what_did_not_happen_has_no_part() {
        let empty = Summary::of([(0, &ImageProfile::default())].into_iter(), 1);
        assert_eq!((empty.efficiency(), empty.unknown()), (1.0, 0.0));
    }
}
