//! What a tuning table says, in numbers: the kinds of operations and the algorithms that they stand for are known to the layer above.

use crate::lockfree::barrier::Barrier;

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

/// How the layer that has the algorithms reads tuning tables, and what it calls the algorithms. Each image gets it at its start.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Reads a table; the error says what is wrong with it. No text is a table, too: that of the built-in rules.
    pub read: fn(&str) -> Result<Rules, String>,
    /// The name of the algorithm with that number, for reports.
    pub name: fn(u64) -> Option<&'static str>,
}

/// All rules: of those for one kind of operation, the first that applies counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// For each kind of operation, for teams whose images all share memory.
    pub near: Vec<Vec<Rule<u8>>>,
    /// The same for teams whose images are on several nodes.
    pub far: Vec<Vec<Rule<u8>>>,
    /// How images wait for each other; by default as is fastest for so many.
    pub barriers: Vec<Rule<Barrier>>,
}

impl Rules {
    /// What applies to teams of so many images, on several nodes or not.
    #[must_use]
    pub fn plan(&self, images: usize, is_far: bool) -> Plan {
        let kinds = if is_far { &self.far } else { &self.near };
        let of_kind = |rules: &Vec<Rule<u8>>| {
            let possible = rules
                .iter()
                .filter(|rule| images as u64 <= limit(rule.images));
            possible
                .map(|rule| (limit(rule.bytes), rule.algorithm))
                .collect()
        };
        Plan(kinds.iter().map(of_kind).collect())
    }

    /// The barrier of a team of so many images, if a rule says.
    #[must_use]
    pub fn barrier(&self, images: usize) -> Option<Barrier> {
        let rule = self
            .barriers
            .iter()
            .find(|rule| images as u64 <= limit(rule.images));
        rule.map(|rule| rule.algorithm)
    }
}

fn limit(number: u64) -> u64 {
    if number == 0 { u64::MAX } else { number }
}

/// The rules for teams of one size: for each kind of operation up to how many bytes which algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan(Vec<Vec<(u64, u8)>>);

impl Plan {
    /// The number of the algorithm for an operation of that kind on so many bytes; 0 without any rule.
    #[inline]
    #[must_use]
    pub fn algorithm(&self, kind: usize, bytes: usize) -> u8 {
        let rules = self.0.get(kind).map_or(&[][..], Vec::as_slice);
        let rule = rules.iter().find(|(limit, _)| bytes as u64 <= *limit);
        // The last rule is for any number of bytes.
        rule.or(rules.last()).map_or(0, |&(_, algorithm)| algorithm)
    }
}
