//! Which algorithm a collective operation uses: a table by kind of operation, number of images and bytes.

use std::collections::BTreeMap;
use std::fmt::Write;

use thiserror::Error;

use crate::call::algorithm::{Algorithm, Kind};
use crate::call::choice_text::{Entries, read};
use crate::lockfree::barrier::Barrier;
use crate::lockfree::card::WORDS;

/// A rule: up to so many images and so many bytes, use this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule<A> {
    /// For teams of up to so many images; 0: any number.
    pub images: u64,
    /// For operations on up to so many bytes; 0: any number.
    pub bytes: u64,
    /// What to use.
    pub algorithm: A,
}

/// Which algorithms to use: for each kind of operation rules, of which the first that applies counts. Where
/// none does, the built-in choice.
///
/// # Examples
/// ```
/// use coarray_fabric::{Algorithm, Choices, Kind};
///
/// let choices = Choices::parse(
///     "# images up to, bytes up to (0: any), algorithm
///      co_broadcast = [[8, 1024, 'flat'], [0, 0, 'binomial']]",
/// )?;
/// assert_eq!(choices.algorithm(Kind::Broadcast, 4, 1000), Algorithm::Flat);
/// assert_eq!(choices.algorithm(Kind::Broadcast, 4, 2000), Algorithm::Binomial);
/// # Ok::<(), coarray_fabric::ChoiceError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    algorithms: BTreeMap<Kind, Vec<Rule<Algorithm>>>,
    barriers: Vec<Rule<Barrier>>,
}

/// What is wrong with a table of choices.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    /// It cannot be read, or its entries are not lists of `[images, bytes, "algorithm"]`.
    #[error("{0}; a line looks like: co_broadcast = [[8, 1024, \"flat\"], [0, 0, \"binomial\"]]")]
    Form(String),
    /// It has rules for something that is no operation.
    #[error("`{name}` is no operation with a choice: there are {known}")]
    Kind {
        /// What was found.
        name: String,
        /// All names.
        known: String,
    },
    /// It names an algorithm that the operation does not have.
    #[error("{kind}, rule {rule}: `{name}` is no algorithm for it: there are {known}")]
    Algorithm {
        /// The operation.
        kind: &'static str,
        /// The number of the rule, from 1.
        rule: usize,
        /// What was found.
        name: String,
        /// All names.
        known: String,
    },
}

/// The name under which a table has the rules for barriers.
const BARRIERS: &str = "sync_all";

impl Choices {
    /// Reads a table.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, ChoiceError> {
        let mut choices = Self::default();
        for (name, entries) in read(text).map_err(ChoiceError::Form)? {
            if name == BARRIERS {
                choices.barriers = rules(BARRIERS, entries, &Barrier::ALL, Barrier::name)?;
                continue;
            }
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
            let Some(kind) = kind else {
                let kinds = Kind::ALL.into_iter().map(Kind::name);
                let known = list(kinds.chain([BARRIERS]));
                return Err(ChoiceError::Kind { name, known });
            };
            let rules = rules(kind.name(), entries, kind.algorithms(), Algorithm::name)?;
            choices.algorithms.insert(kind, rules);
        }
        Ok(choices)
    }

    /// Adds a rule, after those for the same kind of operation.
    pub fn add(&mut self, kind: Kind, rule: Rule<Algorithm>) {
        self.algorithms.entry(kind).or_default().push(rule);
    }

    /// Adds a rule for barriers, after the others.
    pub fn add_barrier(&mut self, rule: Rule<Barrier>) {
        self.barriers.push(rule);
    }

    /// The table as text that [`parse`](Self::parse) reads.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::from("# images up to, bytes up to (0: any number), algorithm\n");
        for (kind, rules) in &self.algorithms {
            write_rules(&mut text, kind.name(), rules, Algorithm::name);
        }
        write_rules(&mut text, BARRIERS, &self.barriers, Barrier::name);
        text
    }

    /// The algorithm for an operation on so many bytes in a team of so many images.
    #[must_use]
    pub fn algorithm(&self, kind: Kind, images: usize, bytes: usize) -> Algorithm {
        self.plan(images, false).algorithm(kind, bytes)
    }

    /// The choices for teams of so many images, which may be apart: on several nodes that share no memory.
    pub(crate) fn plan(&self, images: usize, apart: bool) -> Plan {
        let rules = if apart { &APART[..] } else { &BUILT_IN };
        let unlimited = |limit: u64| if limit == 0 { u64::MAX } else { limit };
        Plan(Kind::ALL.map(|kind| {
            let built_in = rules.iter().filter(|rule| rule.0 == kind);
            let built_in = built_in.map(|&(_, images, bytes, algorithm)| Rule {
                images,
                bytes,
                algorithm,
            });
            let own = self.algorithms.get(&kind).into_iter().flatten().copied();
            own.chain(built_in)
                .filter(|rule| images as u64 <= unlimited(rule.images))
                .map(|rule| (unlimited(rule.bytes), rule.algorithm))
                .collect()
        }))
    }

    /// The barrier of a team of so many images; none if the table does not say.
    #[must_use]
    pub fn barrier(&self, images: usize) -> Option<Barrier> {
        let applies = |rule: &&Rule<Barrier>| rule.images == 0 || images as u64 <= rule.images;
        let rule = self.barriers.iter().find(applies)?;
        Some(rule.algorithm)
    }
}

/// The built-in rules: measured with 2 to 8 images on two cores. Beyond a few tens of images, one image cannot
/// serve all others.
///
/// Of two images each must read all of the other's values anyhow, so sharing the additions only costs a meeting. With more
/// of them sharing pays from a few thousand bytes on, and where images wait for cores from somewhat more.
const BUILT_IN: [(Kind, u64, u64, Algorithm); 19] = [
    (Kind::Broadcast, 32, 0, Algorithm::Flat),
    (Kind::Broadcast, 0, 0, Algorithm::SquareRoot),
    (Kind::Reduce, 2, 0, Algorithm::Flat),
    (Kind::Reduce, 32, 8192, Algorithm::Flat),
    (Kind::Reduce, 0, 2048, Algorithm::RecursiveDoubling),
    (Kind::Reduce, 0, 0, Algorithm::Shares),
    (Kind::ReduceTo, 32, 0, Algorithm::Flat),
    (Kind::ReduceTo, 0, 2048, Algorithm::Binomial),
    (Kind::ReduceTo, 0, 0, Algorithm::Shares),
    (Kind::Gather, 0, 0, Algorithm::Flat),
    (Kind::Allgather, 0, 0, Algorithm::Flat),
    (Kind::Scatter, 0, 0, Algorithm::Flat),
    (Kind::Alltoall, 0, 0, Algorithm::Pairwise),
    (Kind::ReduceScatter, 0, 0, Algorithm::Flat),
    (Kind::Scan, 32, 0, Algorithm::Flat),
    (Kind::Scan, 0, 0, Algorithm::RecursiveDoubling),
    (Kind::SumReproducible, 32, 2048, Algorithm::Flat),
    (Kind::SumReproducible, 0, 0, Algorithm::Shares),
    (Kind::TotalReproducible, 0, 0, Algorithm::Flat),
];

/// The built-in rules for teams whose images are on several nodes that share no memory.
///
/// What fits the cards of a meeting passes with it, and nothing is left to be read. Everything else goes up and down
/// the nodes where that is possible: the fewest messages between them.
const APART: [(Kind, u64, u64, Algorithm); 18] = [
    (Kind::Broadcast, 0, CARD, Algorithm::Flat),
    (Kind::Broadcast, 0, 0, Algorithm::TwoLevel),
    (Kind::Reduce, 0, CARD, Algorithm::Flat),
    (Kind::Reduce, 0, 0, Algorithm::TwoLevel),
    (Kind::ReduceTo, 0, CARD, Algorithm::Flat),
    (Kind::ReduceTo, 0, 0, Algorithm::TwoLevel),
    (Kind::Gather, 0, CARD, Algorithm::Flat),
    (Kind::Gather, 0, 0, Algorithm::TwoLevel),
    (Kind::Allgather, 0, CARD, Algorithm::Flat),
    (Kind::Allgather, 0, 0, Algorithm::TwoLevel),
    (Kind::Scatter, 0, 0, Algorithm::TwoLevel),
    (Kind::Alltoall, 0, 0, Algorithm::Pairwise),
    (Kind::ReduceScatter, 0, 2048, Algorithm::Binomial),
    (Kind::ReduceScatter, 0, 0, Algorithm::Flat),
    (Kind::Scan, 0, CARD, Algorithm::Flat),
    (Kind::Scan, 0, 0, Algorithm::RecursiveDoubling),
    (Kind::SumReproducible, 0, 0, Algorithm::Shares),
    (Kind::TotalReproducible, 0, 0, Algorithm::TwoLevel),
];

/// How many bytes fit the card of a meeting.
const CARD: u64 = (WORDS * size_of::<u64>()) as u64;

/// The choices for the teams of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan([Vec<(u64, Algorithm)>; Kind::ALL.len()]);

impl Plan {
    /// The algorithm for an operation on so many bytes.
    #[inline]
    pub(crate) fn algorithm(&self, kind: Kind, bytes: usize) -> Algorithm {
        let rules = &self.0[kind as usize];
        let rule = rules.iter().find(|(limit, _)| bytes as u64 <= *limit);
        // The last rule is for any number of bytes.
        rule.or(rules.last())
            .map_or(Algorithm::Flat, |&(_, algorithm)| algorithm)
    }
}

fn rules<A: Copy>(
    kind: &'static str,
    entries: Entries,
    possible: &[A],
    name_of: impl Fn(A) -> &'static str,
) -> Result<Vec<Rule<A>>, ChoiceError> {
    let rule = |(index, (images, bytes, name)): (usize, (u64, u64, String))| {
        let found = possible.iter().find(|&&one| name_of(one) == name);
        match found {
            Some(&algorithm) => Ok(Rule {
                images,
                bytes,
                algorithm,
            }),
            None => Err(ChoiceError::Algorithm {
                kind,
                rule: index + 1,
                name,
                known: list(possible.iter().map(|&one| name_of(one))),
            }),
        }
    };
    entries.into_iter().enumerate().map(rule).collect()
}

fn list(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn write_rules<A: Copy>(
    text: &mut String,
    name: &str,
    rules: &[Rule<A>],
    name_of: impl Fn(A) -> &'static str,
) {
    if rules.is_empty() {
        return;
    }
    // Writing to a string does not fail.
    let _ = writeln!(text, "\n{name} = [");
    for rule in rules {
        let algorithm = name_of(rule.algorithm);
        let _ = writeln!(
            text,
            "    [{}, {}, \"{algorithm}\"],",
            rule.images, rule.bytes
        );
    }
    text.push_str("]\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_applies_counts() {
        let choices = Choices::parse(
            "co_reduce = [[4, 64, 'flat'], [4, 0, 'ring'], [0, 8, 'binomial']]\n\
             sync_all = [[2, 0, 'flat'], [0, 0, 'tree']]",
        )
        .unwrap();
        let of = |images, bytes| choices.algorithm(Kind::Reduce, images, bytes);
        assert_eq!(of(4, 64), Algorithm::Flat);
        assert_eq!(of(4, 65), Algorithm::Ring);
        assert_eq!(of(5, 8), Algorithm::Binomial);
        assert_eq!(of(5, 1 << 20), Algorithm::Shares);
        assert_eq!(choices.barrier(2), Some(Barrier::Flat));
        assert_eq!(choices.barrier(3), Some(Barrier::Tree));
    }

    #[test]
    fn a_table_that_is_written_is_read_alike() {
        let mut choices = Choices::default();
        for kind in Kind::ALL {
            for (number, &algorithm) in kind.algorithms().iter().enumerate() {
                let images = number as u64;
                choices.add(
                    kind,
                    Rule {
                        images,
                        bytes: 1 << number,
                        algorithm,
                    },
                );
            }
        }
        for algorithm in Barrier::ALL {
            choices.add_barrier(Rule {
                images: 3,
                bytes: 0,
                algorithm,
            });
        }
        assert_eq!(Choices::parse(&choices.text()), Ok(choices));
    }

    #[test]
    fn every_built_in_choice_is_possible() {
        for kind in Kind::ALL {
            for images in [1, 2, 3, 8, 33, 1000] {
                let plans = [false, true].map(|apart| Choices::default().plan(images, apart));
                for bytes in [0, 8, 2048, 2049, 1 << 20, 1 << 30] {
                    for plan in &plans {
                        let algorithm = plan.algorithm(kind, bytes);
                        assert!(
                            kind.algorithms().contains(&algorithm),
                            "{kind:?} {algorithm}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn between_nodes_that_share_no_memory_what_no_card_has_room_for_goes_by_nodes() {
        let own = Choices::parse("co_broadcast = [[0, 100, 'binomial']]").unwrap();
        let plan = own.plan(3, true);
        let by = |kind, bytes| plan.algorithm(kind, bytes);
        assert_eq!(by(Kind::Reduce, 24), Algorithm::Flat);
        assert_eq!(by(Kind::Broadcast, 24), Algorithm::Binomial);
        let kinds = Kind::ALL.into_iter();
        for kind in kinds.filter(|kind| kind.algorithms().contains(&Algorithm::TwoLevel)) {
            assert_eq!(by(kind, 101), Algorithm::TwoLevel, "{kind:?}");
        }
    }

    #[test]
    fn errors_name_the_rule_and_what_is_possible() {
        let error = Choices::parse("co_scan = [[0, 0, 'flat'], [0, 0, 'rign']]").unwrap_err();
        assert_eq!(
            error.to_string(),
            "co_scan, rule 2: `rign` is no algorithm for it: there are flat, recursive_doubling, chain"
        );
        let error = Choices::parse("co_sum = []").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`co_sum` is no operation with a choice: there are co_broadcast, "),
            "{error}"
        );
        let error = Choices::parse("co_scan = [[0, 'flat']]").unwrap_err();
        assert!(error.to_string().contains("a line looks like"), "{error}");
        let error = Choices::parse("co_scan = \n").unwrap_err();
        assert!(error.to_string().contains("line 1"), "{error}");
    }
}
