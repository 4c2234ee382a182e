//! Counts of right and wrong verdicts, and the table of them.

use std::fmt::Write;

use crate::case::{Case, GROUPS, Group};
use crate::cases;
use crate::published::{DIFFERENCES, SCORES};
use crate::trial::{self, Outcome};

/// How often a run of a case was judged rightly.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Count {
    /// Races that were reported as they are marked.
    pub true_positives: u32,
    /// Runs of which something was reported that does not race.
    pub false_positives: u32,
    /// Runs without a race, of which nothing was reported.
    pub true_negatives: u32,
    /// Races that were not reported.
    pub false_negatives: u32,
}

impl Count {
    /// So many true and false positives, and true and false negatives.
    #[must_use]
    pub const fn new(
        true_positives: u32,
        false_positives: u32,
        true_negatives: u32,
        false_negatives: u32,
    ) -> Self {
        Self {
            true_positives,
            false_positives,
            true_negatives,
            false_negatives,
        }
    }

    /// Which part of what was reported does race.
    #[must_use]
    pub const fn precision(&self) -> Option<f64> {
        ratio(
            self.true_positives,
            self.true_positives + self.false_positives,
        )
    }

    /// Which part of what races was reported.
    #[must_use]
    pub const fn recall(&self) -> Option<f64> {
        ratio(
            self.true_positives,
            self.true_positives + self.false_negatives,
        )
    }

    /// Which part of all verdicts is right.
    #[must_use]
    pub const fn accuracy(&self) -> Option<f64> {
        let right = self.true_positives + self.true_negatives;
        ratio(right, right + self.false_positives + self.false_negatives)
    }

    /// Counts one verdict.
    fn add(&mut self, is_racy: bool, outcome: &Outcome) {
        *match outcome {
            Outcome::AsMarked if is_racy => &mut self.true_positives,
            Outcome::AsMarked => &mut self.true_negatives,
            Outcome::Missed(_) => &mut self.false_negatives,
            Outcome::False(_) | Outcome::Broken(_) => &mut self.false_positives,
        } += 1;
    }

    fn plus(self, other: Self) -> Self {
        Self::new(
            self.true_positives + other.true_positives,
            self.false_positives + other.false_positives,
            self.true_negatives + other.true_negatives,
            self.false_negatives + other.false_negatives,
        )
    }
}

const fn ratio(part: u32, all: u32) -> Option<f64> {
    if all == 0 {
        return None;
    }
    Some(part as f64 / all as f64)
}

/// Which runs are made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Only the case of this name, or all.
    pub case: Option<String>,
    /// The numbers of images.
    pub images: Vec<usize>,
    /// How often each case runs on each number of images.
    pub runs: u32,
    /// Whether the check is on. Without it only the end of each program is judged.
    pub check: bool,
}

/// How often a case whose race depends on luck runs at most, until the race is seen.
const TRIES: u32 = 200;

/// What came out of a [`Plan`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Score {
    /// The counts of each group.
    pub groups: Vec<(Group, Count)>,
    /// What went wrong first in each case, with the name of the case and the number of images.
    pub wrong: Vec<(&'static str, usize, Outcome)>,
}

/// Makes all runs of a plan.
#[must_use]
pub fn of(plan: &Plan) -> Score {
    let mut score = Score {
        groups: Vec::new(),
        wrong: Vec::new(),
    };
    for group in GROUPS {
        let mut count = Count::default();
        for case in cases::of(group) {
            if plan.case.as_ref().is_some_and(|name| name != case.name) {
                continue;
            }
            for &images in plan.images.iter().filter(|&&n| n >= case.least_images) {
                let mut wrong = None;
                for outcome in outcomes(case, images, plan) {
                    count.add(case.is_racy, &outcome);
                    if outcome != Outcome::AsMarked {
                        wrong.get_or_insert(outcome);
                    }
                }
                score
                    .wrong
                    .extend(wrong.map(|outcome| (case.name, images, outcome)));
            }
        }
        score.groups.push((group, count));
    }
    score
}

/// The verdicts on a case: one for each run, or one for as many as it takes if the race depends on luck.
fn outcomes(case: &Case, images: usize, plan: &Plan) -> Vec<Outcome> {
    let run = || trial::run(case, images, plan.check);
    if !case.is_by_luck || !plan.check {
        return (0..plan.runs).map(|_| run()).collect();
    }
    let mut last = run();
    for _ in 1..TRIES.max(plan.runs) {
        if !matches!(last, Outcome::Missed(_)) {
            break;
        }
        last = run();
    }
    vec![last]
}

impl Score {
    /// The table, and what went wrong.
    #[must_use]
    pub fn table(&self, plan: &Plan) -> String {
        let mut text = format!(
            "{:22}{:>7}{:>7}{:>8}{:>8}{:>8}{:>8}{:>11}{:>9}{:>10}\n",
            "", "clean", "racy", "TP", "FP", "TN", "FN", "precision", "recall", "accuracy"
        );
        let mut all = (Count::default(), [0; 2]);
        for &(group, count) in &self.groups {
            let cases = [false, true].map(|racy| {
                let is_meant = |case: &&Case| {
                    case.is_racy == racy && plan.case.as_ref().is_none_or(|name| name == case.name)
                };
                cases::of(group).filter(is_meant).count()
            });
            all = (
                all.0.plus(count),
                [all.1[0] + cases[0], all.1[1] + cases[1]],
            );
            row(&mut text, &group.to_string(), count, cases);
        }
        row(&mut text, "all", all.0, all.1);
        text.push('\n');
        for (name, images, outcome) in &self.wrong {
            let (what, why) = match outcome {
                Outcome::AsMarked => continue,
                Outcome::Missed(why) => ("missed", why),
                Outcome::False(why) => ("false report", why),
                Outcome::Broken(why) => ("broken", why),
            };
            let _ = writeln!(text, "{name} on {images} images: {what}: {}", why.trim());
        }
        if self.wrong.is_empty() {
            let _ = writeln!(text, "all is as marked");
        }
        text
    }
}

fn row(text: &mut String, name: &str, count: Count, cases: [usize; 2]) {
    let _ = writeln!(
        text,
        "{name:22}{:>7}{:>7}{:>8}{:>8}{:>8}{:>8}{:>11}{:>9}{:>10}",
        cases[0],
        cases[1],
        count.true_positives,
        count.false_positives,
        count.true_negatives,
        count.false_negatives,
        rounded(count.precision()),
        rounded(count.recall()),
        rounded(count.accuracy()),
    );
}

fn rounded(score: Option<f64>) -> String {
    score.map_or("-".to_string(), |score| {
        // Nothing but all is 1.00.
        format!("{:.2}", (score * 100.0).floor() / 100.0)
    })
}

/// What others' tools score on their programs, and why that is something else.
#[must_use]
pub fn published() -> String {
    let mut text = format!(
        "others, on RMARaceBench{:>58}{:>9}{:>10}\n",
        "precision", "recall", "accuracy"
    );
    for published in SCORES {
        let (precision, recall) = (published.precision, published.recall);
        let accuracy = published
            .accuracy
            .map_or("-".to_string(), |accuracy| format!("{accuracy:.2}"));
        let name = format!("{}, {}", published.tool, published.model);
        let _ = writeln!(
            text,
            "{name:70}{precision:>11.2}{recall:>9.2}{accuracy:>10}"
        );
    }
    text + "\n" + DIFFERENCES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_ratios_and_only_all_is_one() {
        let count = Count::new(3, 1, 999, 0);
        assert_eq!((count.precision(), count.recall()), (Some(0.75), Some(1.0)));
        assert_eq!(rounded(count.accuracy()), "0.99");
        assert_eq!(rounded(Count::default().recall()), "-");
    }

    #[test]
    fn verdicts_are_counted_by_what_is_so_and_what_was_said() {
        let mut count = Count::default();
        let text = String::new;
        count.add(true, &Outcome::AsMarked);
        count.add(true, &Outcome::Missed(text()));
        count.add(true, &Outcome::False(text()));
        count.add(false, &Outcome::AsMarked);
        count.add(false, &Outcome::Broken(text()));
        assert_eq!(count, Count::new(1, 2, 1, 1));
    }
}
