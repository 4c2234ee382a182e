//! The table of the fastest algorithms, as a file.

use std::fmt::Write as _;

use crate::sample::Row;

/// The fastest algorithm of one collective operation, for one size and number of images.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    collective: String,
    images: usize,
    bytes: usize,
    algorithm: String,
    nanoseconds: f64,
}

impl Choice {
    /// The one with the smallest median; none if nothing was measured.
    pub fn new(row: &Row, images: usize) -> Option<Self> {
        let medians = row
            .samples
            .iter()
            .map(|(algorithm, samples)| (algorithm, samples.median()));
        let (algorithm, nanoseconds) = medians.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        Some(Self {
            collective: row.operation.clone(),
            images,
            bytes: row.bytes,
            algorithm: algorithm.clone(),
            nanoseconds,
        })
    }
}

/// The file's text: for each collective and number of images, the first size of each algorithm's range.
pub fn to_toml(choices: &[Choice]) -> String {
    let mut text =
        String::from("# Written by `cobench tune`: the fastest algorithms on this machine.\n");
    let mut last: Option<&Choice> = None;
    for choice in choices {
        let continues = last.is_some_and(|last| {
            last.collective == choice.collective
                && last.images == choice.images
                && last.algorithm == choice.algorithm
        });
        last = Some(choice);
        if continues {
            continue;
        }
        let Choice {
            collective,
            images,
            bytes,
            algorithm,
            nanoseconds,
        } = choice;
        let _ = write!(
            text,
            "\n[[choice]] # {nanoseconds:.0} ns\ncollective = \"{collective}\"\nimages = {images}\n\
             bytes = {bytes}\nalgorithm = \"{algorithm}\"\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Line, Rows};

    #[test]
    fn the_fastest_is_chosen_and_ranges_are_merged() {
        let mut rows = Rows::default();
        for text in [
            "co_sum 8 flat 10 11 12",
            "co_sum 8 ring 9 30 31",
            "co_sum 32 flat 12",
            "co_sum 32 ring 13",
            "co_sum 128 flat 50",
            "co_sum 128 ring 40",
        ] {
            rows.add(Line::parse(text).unwrap());
        }
        let choices: Vec<_> = rows
            .0
            .iter()
            .filter_map(|row| Choice::new(row, 2))
            .collect();
        let found: Vec<_> = choices
            .iter()
            .map(|choice| (choice.bytes, choice.algorithm.as_str()))
            .collect();
        assert_eq!(found, [(8, "flat"), (32, "flat"), (128, "ring")]);
        let text = to_toml(&choices);
        assert_eq!(text.matches("[[choice]]").count(), 2, "{text}");
        assert!(
            text.contains("bytes = 128\nalgorithm = \"ring\"\n"),
            "{text}"
        );
    }
}
