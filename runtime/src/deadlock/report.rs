//! The report of a deadlock: what each image waits for, and the cycle of waits.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use crate::job::Job;
use crate::job::control::Stage;

/// The most images with a line each. If there are more, images that wait alike share a line.
const ALONE: usize = 16;

/// The most lines about images.
const LINES: usize = 32;

/// The most cycles that are named.
const CYCLES: usize = 8;

/// The most images of a cycle, or runs of images in a line, that are named.
const NAMES: usize = 16;

/// Bytes for the lines about images, so that the rest of the report is not truncated.
const ROOM: usize = 6000;

/// The waits of all images, which do not change.
#[derive(Debug)]
pub(super) struct Report {
    images: Vec<Wait>,
}

#[derive(Clone, Debug)]
struct Wait {
    /// What the image does, as the end of a sentence about it.
    words: String,
    /// The image that it waits for; none if it waits for any image, or does not wait.
    awaited: Option<usize>,
    /// How an image ended that executes no statement of the program any more.
    end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It waits for the others there.
    Stopped,
    Finished,
    Failed,
}

impl Report {
    pub(super) fn new(job: &Job) -> Self {
        let images = 0..job.region.dimensions().images;
        let images = images.map(|index| Wait::of(job, index));
        Self {
            images: images.collect(),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::from("coarray: deadlock: no image can go on\n");
        let cycles = self.cycles();
        let mut lines = self.lines();
        if self.images.len() > ALONE {
            let of_cycles: HashSet<usize> = cycles.iter().flatten().copied().collect();
            let matters =
                |&image: &usize| of_cycles.contains(&image) || self.waits_for_anyone(image);
            lines.sort_by_key(|(images, _)| !images.iter().any(matters));
        }
        let mut listed = 0;
        for (images, words) in lines.iter().take(LINES) {
            let line = match images[..] {
                [image] => format!("  image {image} {words}\n"),
                _ => format!("  images {}: each {words}\n", runs(images)),
            };
            if text.len() + line.len() > ROOM {
                break;
            }
            text.push_str(&line);
            listed += images.len();
        }
        if listed < self.images.len() {
            let _ = writeln!(text, "  and {} more", self.images.len() - listed);
        }
        for cycle in cycles.iter().take(CYCLES) {
            let _ = writeln!(text, "the cycle: {} -> image {}", arrows(cycle), cycle[0]);
        }
        match cycles.len() {
            0 => text.push_str(&self.dead_end()),
            1..=CYCLES => {}
            more => {
                let _ = write!(text, "and {} more cycles", more - CYCLES);
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// What the images do; images that do the same share a line if there are too many for a line each.
    fn lines(&self) -> Vec<(Vec<usize>, String)> {
        let mut lines: Vec<(Vec<usize>, String)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for index in 0..self.images.len() {
            let words = self.words(index);
            match known.get(&words) {
                Some(&line) if self.images.len() > ALONE => lines[line].0.push(index),
                _ => {
                    known.insert(words.clone(), lines.len());
                    lines.push((vec![index], words));
                }
            }
        }
        lines
    }

    fn words(&self, index: usize) -> String {
        let wait = &self.images[index];
        let words = &wait.words;
        let Some(awaited) = wait.awaited else {
            return match self.waits_for_anyone(index) {
                true => format!("{words}, waiting for any image"),
                false => words.clone(),
            };
        };
        match self.images[awaited].end {
            Some(end) => format!(
                "{words}, waiting for image {awaited}, which {}",
                end.words()
            ),
            None => format!("{words}, waiting for image {awaited}"),
        }
    }

    fn waits_for_anyone(&self, index: usize) -> bool {
        let wait = &self.images[index];
        wait.awaited.is_none() && !wait.is_gone()
    }

    /// The cycles of images that wait for each other, each from its lowest image on.
    fn cycles(&self) -> Vec<Vec<usize>> {
        // For each image the first walk that visited it, counted from 1.
        let mut walks = vec![0; self.images.len()];
        let mut cycles = Vec::new();
        for start in 0..self.images.len() {
            let mut walk = Vec::new();
            let mut here = Some(start);
            while let Some(index) = here {
                if walks[index] == 0 {
                    walks[index] = start + 1;
                    walk.push(index);
                    here = self.images[index].awaited;
                    continue;
                }
                if walks[index] == start + 1 {
                    let mut cycle: Vec<usize> = walk
                        .into_iter()
                        .skip_while(|&other| other != index)
                        .collect();
                    let lowest = (0..cycle.len()).min_by_key(|&position| cycle[position]);
                    cycle.rotate_left(lowest.unwrap_or(0));
                    cycles.push(cycle);
                }
                break;
            }
        }
        cycles.sort_unstable();
        cycles
    }

    /// The end of the chain if there is no cycle: an image that is gone, or images that wait for any image.
    fn dead_end(&self) -> String {
        let waiting = |index: &usize| !self.images[*index].is_gone();
        let all: Vec<usize> = (0..self.images.len()).filter(waiting).collect();
        let awaited = |index: &usize| self.images[*index].awaited;
        let Some(&start) = all.iter().find(|index| awaited(index).is_some()) else {
            let (name, runs) = (if all.len() == 1 { "image" } else { "images" }, runs(&all));
            return format!("the cycle: {name} {runs} -> {ANYONE}");
        };
        let chain: Vec<usize> = std::iter::successors(Some(start), awaited).collect();
        match self.images[chain[chain.len() - 1]].end {
            Some(end @ (End::Failed | End::Finished)) => {
                format!("the chain: {}, which {}", arrows(&chain), end.words())
            }
            Some(End::Stopped) | None => format!("the cycle: {} -> {ANYONE}", arrows(&chain)),
        }
    }
}

/// The images that could end the wait of an image that waits for no particular image.
const ANYONE: &str = "any image, and all of them wait or have ended";

impl Wait {
    fn of(job: &Job, index: usize) -> Self {
        let control = job.region.control(index);
        let end = match control.stage() {
            Stage::Absent | Stage::Running => None,
            Stage::Stopped => Some(End::Stopped),
            Stage::Finished => Some(End::Finished),
            Stage::Failed => Some(End::Failed),
        };
        match end {
            Some(gone @ (End::Finished | End::Failed)) => Self {
                words: gone.words().into(),
                awaited: None,
                end,
            },
            Some(End::Stopped) | None => Self {
                words: control.waiting.words.get(),
                awaited: move_of(job, index),
                end,
            },
        }
    }

    fn is_gone(&self) -> bool {
        matches!(self.end, Some(End::Finished | End::Failed))
    }
}

impl End {
    fn words(self) -> &'static str {
        match self {
            Self::Stopped => "has come to the end of the program",
            Self::Finished => "has finished",
            Self::Failed => "has failed",
        }
    }
}

/// The image that an image waits for. An image in a barrier waits for its partner of one round, which may be in the
/// barrier as well: then the image that has not entered counts.
fn move_of(job: &Job, index: usize) -> Option<usize> {
    let record = |index| &job.region.control(index).waiting;
    let barrier = record(index).barrier();
    let mut awaited = record(index).awaited()?;
    // Each of them waits in an earlier round than the one before, because the rounds do not change.
    for _ in 0..usize::BITS {
        let is_there = barrier.is_some() && record(awaited).barrier() == barrier;
        match record(awaited).awaited() {
            Some(next) if is_there => awaited = next,
            _ => break,
        }
    }
    Some(awaited)
}

/// Shortens a list that is too long to read.
fn abridge(names: &[String], separator: &str) -> String {
    match names.len() {
        0..=NAMES => names.join(separator),
        count => format!(
            "{}{separator}{} more{separator}{}",
            names[..NAMES - 2].join(separator),
            count - NAMES + 1,
            names[count - 1]
        ),
    }
}

/// "image 3 -> image 1 -> image 2".
fn arrows(images: &[usize]) -> String {
    let names: Vec<String> = images
        .iter()
        .map(|index| format!("image {index}"))
        .collect();
    abridge(&names, " -> ")
}

/// "0 to 5, 7, 9 to 12", of images in increasing order.
fn runs(images: &[usize]) -> String {
    let follow = |one: &usize, next: &usize| one + 1 == *next;
    let name = |run: &[usize]| match run {
        [] => String::new(),
        [only] => only.to_string(),
        [one, other] => format!("{one} and {other}"),
        [first, .., last] => format!("{first} to {last}"),
    };
    let names: Vec<String> = images.chunk_by(follow).map(name).collect();
    abridge(&names, ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(awaited: &[Option<usize>]) -> Report {
        let wait = |(index, &awaited): (usize, &Option<usize>)| Wait {
            words: format!("is in sync_all at x.rs:{index}:5"),
            awaited,
            end: None,
        };
        Report {
            images: awaited.iter().enumerate().map(wait).collect(),
        }
    }

    #[track_caller]
    fn assert_ends_with(report: &Report, expected: &str) {
        let text = report.text();
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn every_image_has_a_line() {
        let mut report = report(&[Some(1), None, Some(1), None]);
        report.images[1].end = Some(End::Stopped);
        report.images[3].words = "has failed".into();
        report.images[3].end = Some(End::Failed);
        assert_eq!(
            report.text(),
            "coarray: deadlock: no image can go on\n  \
               image 0 is in sync_all at x.rs:0:5, waiting for image 1, which has come to the end of the program\n  \
               image 1 is in sync_all at x.rs:1:5, waiting for any image\n  \
               image 2 is in sync_all at x.rs:2:5, waiting for image 1, which has come to the end of the program\n  \
               image 3 has failed\n\
             the cycle: image 0 -> image 1 -> any image, and all of them wait or have ended"
        );
    }

    #[test]
    fn every_cycle_is_named_from_its_lowest_image_on() {
        let awaited = [
            None,
            Some(0),
            Some(4),
            Some(2),
            Some(3),
            Some(6),
            Some(5),
            Some(2),
        ];
        assert_ends_with(
            &report(&awaited),
            ", waiting for image 2\n\
             the cycle: image 2 -> image 4 -> image 3 -> image 2\n\
             the cycle: image 5 -> image 6 -> image 5",
        );
    }

    #[test]
    fn without_a_cycle_of_images_it_says_where_the_waiting_ends() {
        let anyone = "any image, and all of them wait or have ended";
        assert_ends_with(
            &report(&[None, None, None]),
            &format!("\nthe cycle: images 0 to 2 -> {anyone}"),
        );
        assert_ends_with(
            &report(&[None, None]),
            &format!("\nthe cycle: images 0 and 1 -> {anyone}"),
        );
        assert_ends_with(
            &report(&[None]),
            &format!("\nthe cycle: image 0 -> {anyone}"),
        );
        assert_ends_with(
            &report(&[None, Some(2), Some(0)]),
            &format!("\nthe cycle: image 1 -> image 2 -> image 0 -> {anyone}"),
        );
        let mut lost = report(&[Some(1), None]);
        lost.images[1].end = Some(End::Failed);
        assert_ends_with(&lost, "\nthe chain: image 0 -> image 1, which has failed");
    }

    #[test]
    fn many_images_share_lines_and_those_of_a_cycle_come_first() {
        let mut report = report(&[Some(70); 100]);
        for wait in &mut report.images {
            wait.words = "is in sync_all at x.rs:1:5".into();
        }
        report.images[70].awaited = Some(80);
        report.images[80].awaited = Some(70);
        for index in 0..40 {
            report.images[index].words = format!("waits at x.rs:{index}:9");
        }
        let text = report.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1..3],
            [
                "  images 40 to 69 and 71 to 99: each is in sync_all at x.rs:1:5, waiting for image 70"
                    .replace(" and", ","),
                "  image 70 is in sync_all at x.rs:1:5, waiting for image 80".into(),
            ]
        );
        assert_eq!(lines.len(), 1 + LINES + 2);
        assert_eq!(lines[LINES + 1], "  and 10 more");
        assert_eq!(
            lines[LINES + 2],
            "the cycle: image 70 -> image 80 -> image 70"
        );
    }

    #[test]
    fn the_end_of_a_long_chain_comes_first() {
        let mut chain: Vec<_> = (0..100).map(|index| Some(index + 1)).collect();
        chain[99] = None;
        let text = report(&chain).text();
        assert!(
            text.lines()
                .nth(1)
                .is_some_and(|line| line.starts_with("  image 99 ")),
            "{text}"
        );
    }

    #[test]
    fn long_reports_keep_their_end() {
        let ring: Vec<_> = (0..1000).map(|index| Some((index + 1) % 1000)).collect();
        let mut report = report(&ring);
        for wait in &mut report.images {
            wait.words.insert_str(0, &"a long story ".repeat(50));
        }
        let text = report.text();
        assert!(text.len() < 8192, "{}", text.len());
        assert!(
            text.ends_with("image 12 -> image 13 -> 985 more -> image 999 -> image 0"),
            "{text}"
        );
    }
}
