//! The contents of a tuning table, as numbers. The layer above gives meaning to the kinds of operations and to the
//! algorithms.

use crate::lockfree::barrier::Barrier;

/// A rule: for up to `images` images and `bytes` bytes, use `algorithm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule<A> {
    /// The largest team it applies to; 0 for any.
    pub images: u64,
    /// The largest operation in bytes it applies to; 0 for any.
    pub bytes: u64,
    /// The choice.
    pub algorithm: A,
}

/// How the layer of the algorithms reads tuning tables and names its algorithms. Each image gets it when it starts.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Parses a table, or says what is wrong with it. The empty text stands for the built-in rules.
    pub read: fn(&str) -> Result<Rules, String>,
    /// The name of an algorithm, for reports.
    pub name: fn(u64) -> Option<&'static str>,
}

/// All rules. For one kind of operation the first rule that applies counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// By kind of operation, for teams whose images all share memory.
    pub intra_node: Vec<Vec<Rule<u8>>>,
    /// The same, in jobs with more images than cores.
    pub crowded: Vec<Vec<Rule<u8>>>,
    /// The same, for teams that span nodes.
    pub inter_node: Vec<Vec<Rule<u8>>>,
    /// The same, for teams each of whose images is on a node of its own.
    pub apart: Vec<Vec<Rule<u8>>>,
    /// The barriers by team size; the built-in choice where no rule applies.
    pub barriers: Vec<Rule<Barrier>>,
}

/// Where the images of a team are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// On one node, which has a core for each image of the job.
    Node,
    /// On one node with fewer cores.
    CrowdedNode,
    /// On several nodes.
    Nodes,
    /// Each on a node of its own.
    Apart,
}

impl Rules {
    /// The rules for teams of `images` images.
    #[must_use]
    pub fn plan(&self, images: usize, placement: Placement) -> Plan {
        let kinds = match placement {
            Placement::Node => &self.intra_node,
            Placement::CrowdedNode => &self.crowded,
            Placement::Nodes => &self.inter_node,
            Placement::Apart => &self.apart,
        };
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

    /// The barrier for teams of `images` images, if a rule says.
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

/// The rules for teams of one size: by kind of operation, pairs of a limit in bytes and an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan(Vec<Vec<(u64, u8)>>);

impl Plan {
    /// The algorithm for an operation of `kind` on `bytes` bytes; 0 without any rule.
    #[inline]
    #[must_use]
    pub fn algorithm(&self, kind: usize, bytes: usize) -> u8 {
        let rules = self.0.get(kind).map_or(&[][..], Vec::as_slice);
        let rule = rules.iter().find(|(limit, _)| bytes as u64 <= *limit);
        // The last rule applies to any number of bytes.
        rule.or(rules.last()).map_or(0, |&(_, algorithm)| algorithm)
    }
}
