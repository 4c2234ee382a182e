//! What `cobench --help` prints.

use crate::operations::OPERATIONS;
use crate::peers::Peer;

/// The help text.
pub fn help() -> String {
    let operations = OPERATIONS.iter().map(|operation| operation.name);
    let peers = Peer::ALL.iter().map(|peer| peer.name());
    let text = TEXT
        .replace("{operations}", &operations.collect::<Vec<_>>().join(", "))
        .replace("{peers}", &peers.collect::<Vec<_>>().join(", "));
    let lines: Vec<String> = text.lines().map(folded).collect();
    lines.join("\n")
}

/// Columns of a terminal that the text may take.
const WIDTH: usize = 120;

/// Where the explanation of an option begins.
const INDENT: usize = 20;

/// A line, or as many as it needs.
fn folded(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    let mut indent = 0;
    while indent + rest.len() > WIDTH
        && let Some(end) = rest[..WIDTH - indent].rfind(", ")
    {
        text += &rest[..=end];
        indent = INDENT;
        text += "\n";
        text += &" ".repeat(indent);
        rest = &rest[end + 2..];
    }
    text + rest
}

const TEXT: &str = "\
Measures coarray beside the bare hardware and beside its peers, at the same moment.

usage: cobench micro [--images N] [--fabric F] [--only NAME,...] [--peer NAME,...] [--json] [--quick]
       cobench peers [the same options]
       cobench tune [--images N,...] [--output FILE] [--quick]

  micro             time single operations: one row for each operation and size
  peers             the same, beside every peer that is installed
  tune              find the fastest algorithm of each collective operation, and write them down

  --images N        number of images; tune takes several (default: one on each core; tune: 2,4,8)
  --fabric F        what images are: processes or threads (default: processes)
  --only NAME,...   only these operations: {operations}
  --peer NAME,...   also measure these peers, in turn with coarray: {peers}
  --json            print one JSON object a line instead of a table
  --output FILE     where tune writes (default: collectives.toml)
  --quick           one short round, to see that everything works

Each row of micro says how long the operation takes: median, min, and p99, which 99 of a hundred do not exceed; of
batches of 0.1 ms, or 1 ms with more images than cores. Beside it stands what the bare hardware needs for it in the same
program at the same moment (raw), or co_sum in the case of the reproducible sums, and how many times as long the operation
takes (ratio, the median over pairs of batches that followed each other); and, for a peer, how long it takes there and how
many times as long as with coarray (speedup, the median over rounds). Time runs from the first image's start to the
last one's end. With no more images than cores each has a core of its own. The size is that of one image's values, or of
one block where an image has one for each.

Tune compares all algorithms of each kind of operation and all barriers, takes about a minute for each number of images,
and writes what is faster than the built-in choice by 5 % in most rounds. Jobs read the file in the folder where they
start, or the one that COARRAY_COLLECTIVES names.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_folded() {
        let list = format!("{:INDENT$}{}", "  --only", ["operation"; 40].join(", "));
        let folded = folded(&list);
        assert!(folded.lines().count() > 3);
        for (number, line) in folded.lines().enumerate() {
            assert!(line.len() <= WIDTH, "{line}");
            assert!(
                number == 0 || line.starts_with(&" ".repeat(INDENT)),
                "{line}"
            );
        }
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&folded), words(&list));
    }
}
