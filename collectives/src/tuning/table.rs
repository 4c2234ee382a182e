//! The tuning table: which algorithm a collective operation uses, by kind of operation, number of images and bytes.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use coarray_runtime::{Barrier, Placement, Plan, Rule, Rules};

use super::algorithm::{Algorithm, Kind};
use super::built_in::{
    APART, BETWEEN_NODES, BUILT_IN, BuiltIn, IN_A_CROWD, IN_PLACE, IN_PLACE_IN_A_CROWD,
};
use super::table_text::{Entries, read};
use coarray_fabric::system::processor::is_intel;

/// Which algorithms to use: rules for each kind of operation. The first that applies counts; if none does, the first built-in
/// one.
///
/// # Examples
/// ```
/// use coarray_collectives::{Algorithm, Kind, TuningTable};
///
/// let table = TuningTable::parse(
///     "# images up to, bytes up to (0: any), algorithm
///      co_broadcast = [[8, 1024, 'flat'], [0, 0, 'binomial']]",
/// )?;
/// assert_eq!(table.algorithm(Kind::Broadcast, 4, 1000), Algorithm::Flat);
/// assert_eq!(table.algorithm(Kind::Broadcast, 4, 2000), Algorithm::Binomial);
/// # Ok::<(), coarray_collectives::TuningError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TuningTable {
    algorithms: BTreeMap<Kind, Vec<Rule<Algorithm>>>,
    barriers: Vec<Rule<Barrier>>,
}

/// What is wrong with a tuning table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TuningError {
    /// It cannot be read, or its entries are not lists of `[images, bytes, "algorithm"]`.
    Form(String),
    /// It has rules for something that is no operation.
    Kind {
        /// What was found.
        name: String,
        /// All names.
        known: String,
    },
    /// It names an algorithm that the operation does not have.
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

impl fmt::Display for TuningError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(what) => write!(
                formatter,
                "{what}; a line looks like: co_broadcast = [[8, 1024, \"flat\"], [0, 0, \
                 \"binomial\"]]"
            ),
            Self::Kind { name, known } => write!(
                formatter,
                "`{name}` is no operation with a choice: there are {known}"
            ),
            Self::Algorithm {
                kind,
                rule,
                name,
                known,
            } => write!(
                formatter,
                "{kind}, rule {rule}: `{name}` is no algorithm for it: there are {known}"
            ),
        }
    }
}

impl std::error::Error for TuningError {}

/// The name under which a table has the rules for barriers.
const BARRIERS: &str = "sync_all";

impl TuningTable {
    /// Reads a table.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, TuningError> {
        let mut table = Self::default();
        for (name, entries) in read(text).map_err(TuningError::Form)? {
            if name == BARRIERS {
                table.barriers = rules_from(BARRIERS, entries, &Barrier::ALL, Barrier::name)?;
                continue;
            }
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
            let Some(kind) = kind else {
                let kinds = Kind::ALL.into_iter().map(Kind::name);
                let known = list(kinds.chain([BARRIERS]));
                return Err(TuningError::Kind { name, known });
            };
            let rules = rules_from(kind.name(), entries, kind.algorithms(), Algorithm::name)?;
            table.algorithms.insert(kind, rules);
        }
        Ok(table)
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

    /// The algorithm for an operation on `bytes` bytes in a team of `images` images that share memory and have a core each.
    #[must_use]
    pub fn algorithm(&self, kind: Kind, images: usize, bytes: usize) -> Algorithm {
        self.algorithm_at(Placement::Node, kind, images, bytes)
    }

    /// The same, for images placed in another way.
    #[must_use]
    pub fn algorithm_at(
        &self,
        placement: Placement,
        kind: Kind,
        images: usize,
        bytes: usize,
    ) -> Algorithm {
        chosen(&self.rules().plan(images, placement), kind, bytes)
    }

    /// The rules of the table and then the built-in ones, in the form that the runtime uses.
    #[must_use]
    pub fn rules(&self) -> Rules {
        let with = |built_in: &[BuiltIn]| {
            let of_kind = |kind| {
                let own = self.algorithms.get(&kind).into_iter().flatten().copied();
                let built_in = built_in.iter().filter(|rule| rule.0 == kind);
                let built_in = built_in.map(|&(_, images, bytes, algorithm)| Rule {
                    images,
                    bytes,
                    algorithm,
                });
                let number = |rule: Rule<Algorithm>| Rule {
                    images: rule.images,
                    bytes: rule.bytes,
                    algorithm: rule.algorithm as u8,
                };
                own.chain(built_in).map(number).collect()
            };
            Kind::ALL.map(of_kind).into()
        };
        let (in_place, in_a_crowd): (&[BuiltIn], &[BuiltIn]) = match is_intel() {
            true => (&IN_PLACE, &IN_PLACE_IN_A_CROWD),
            false => (&[], &[]),
        };
        Rules {
            intra_node: with(&[in_place, &BUILT_IN].concat()),
            crowded: with(&[in_a_crowd, &IN_A_CROWD, &BUILT_IN].concat()),
            inter_node: with(&BETWEEN_NODES),
            apart: with(&[&APART[..], &BETWEEN_NODES].concat()),
            barriers: self.barriers.clone(),
        }
    }
}

/// The algorithm in a plan that was made of [`rules`](TuningTable::rules).
#[inline]
pub(crate) fn chosen(plan: &Plan, kind: Kind, bytes: usize) -> Algorithm {
    Algorithm::ALL[usize::from(plan.algorithm(kind as usize, bytes))]
}

fn rules_from<A: Copy>(
    kind: &'static str,
    entries: Entries,
    possible: &[A],
    name_of: impl Fn(A) -> &'static str,
) -> Result<Vec<Rule<A>>, TuningError> {
    let rule = |(index, (images, bytes, name)): (usize, (u64, u64, String))| {
        let found = possible.iter().find(|&&one| name_of(one) == name);
        match found {
            Some(&algorithm) => Ok(Rule {
                images,
                bytes,
                algorithm,
            }),
            None => Err(TuningError::Algorithm {
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
        let table = TuningTable::parse(
            "co_reduce = [[4, 64, 'flat'], [4, 0, 'ring'], [0, 8, 'binomial']]\n\
             sync_all = [[2, 0, 'flat'], [0, 0, 'tree']]",
        )
        .unwrap();
        let of = |images, bytes| table.algorithm(Kind::Reduce, images, bytes);
        assert_eq!(of(4, 64), Algorithm::Flat);
        assert_eq!(of(4, 65), Algorithm::Ring);
        assert_eq!(of(5, 8), Algorithm::Binomial);
        assert_eq!(of(5, 1 << 20), Algorithm::ReduceScatterAllgather);
        assert_eq!(table.rules().barrier(2), Some(Barrier::Flat));
        assert_eq!(table.rules().barrier(3), Some(Barrier::Tree));
    }

    #[test]
    fn a_table_that_is_written_is_read_alike() {
        let mut table = TuningTable::default();
        for kind in Kind::ALL {
            for (number, &algorithm) in kind.algorithms().iter().enumerate() {
                let images = number as u64;
                table.add(
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
            table.add_barrier(Rule {
                images: 3,
                bytes: 0,
                algorithm,
            });
        }
        assert_eq!(TuningTable::parse(&table.text()), Ok(table));
    }

    #[test]
    fn every_built_in_choice_is_possible() {
        for kind in Kind::ALL {
            for images in [1, 2, 3, 8, 33, 1000] {
                let rules = TuningTable::default().rules();
                let placements = [
                    Placement::Node,
                    Placement::CrowdedNode,
                    Placement::Nodes,
                    Placement::Apart,
                ];
                let plans = placements.map(|placement| rules.plan(images, placement));
                for bytes in [0, 8, 2048, 2049, 1 << 20, 1 << 30] {
                    for plan in &plans {
                        let algorithm = chosen(plan, kind, bytes);
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
    fn between_nodes_data_larger_than_a_payload_go_by_nodes() {
        let own = TuningTable::parse("co_broadcast = [[0, 100, 'binomial']]").unwrap();
        let plan = own.rules().plan(3, Placement::Nodes);
        let by = |kind, bytes| chosen(&plan, kind, bytes);
        assert_eq!(by(Kind::Reduce, 24), Algorithm::Flat);
        assert_eq!(by(Kind::Broadcast, 24), Algorithm::Binomial);
        let kinds = Kind::ALL.into_iter();
        for kind in kinds.filter(|kind| kind.algorithms().contains(&Algorithm::Hierarchical)) {
            assert_eq!(by(kind, 101), Algorithm::Hierarchical, "{kind:?}");
        }
    }

    #[test]
    fn in_a_crowd_long_scans_go_from_image_to_image() {
        let rules = TuningTable::default().rules();
        let scan =
            |placement, images, bytes| chosen(&rules.plan(images, placement), Kind::Scan, bytes);
        assert_eq!(scan(Placement::CrowdedNode, 8, 2048), Algorithm::Eager);
        assert_eq!(scan(Placement::CrowdedNode, 8, 1 << 16), Algorithm::Flat);
        assert_eq!(scan(Placement::CrowdedNode, 8, 1 << 20), Algorithm::Chain);
        assert_eq!(scan(Placement::Node, 8, 1 << 20), Algorithm::Flat);
        let many = scan(Placement::CrowdedNode, 33, 1 << 20);
        assert_eq!(many, Algorithm::RecursiveDoubling);
    }

    #[test]
    fn errors_name_the_rule_and_what_is_possible() {
        let error = TuningTable::parse("co_scan = [[0, 0, 'flat'], [0, 0, 'rign']]").unwrap_err();
        assert_eq!(
            error.to_string(),
            "co_scan, rule 2: `rign` is no algorithm for it: there are flat, recursive_doubling, chain, eager"
        );
        let error = TuningTable::parse("co_sum = []").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`co_sum` is no operation with a choice: there are co_broadcast, "),
            "{error}"
        );
        let error = TuningTable::parse("co_scan = [[0, 'flat']]").unwrap_err();
        assert!(error.to_string().contains("a line looks like"), "{error}");
        let error = TuningTable::parse("co_scan = \n").unwrap_err();
        assert!(error.to_string().contains("line 1"), "{error}");
    }
}
