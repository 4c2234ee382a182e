//! What `cobench --help` prints.

use crate::engines::engine::Engine;
use crate::kernels::list::KERNELS;
use crate::operations;
use crate::peers::Peer;

/// The help text.
pub fn help() -> String {
    let peers = Peer::ALL.iter().map(|peer| peer.name());
    let lists = [
        (
            "{operations}",
            folded("only these operations: ", operations::names()),
        ),
        ("{kernels}", KERNELS.map(|kernel| kernel.name).join(", ")),
        ("{engines}", Engine::ALL.map(Engine::name).join(", ")),
        (
            "{peers}",
            folded("also measure these peers, in turn with coarray: ", peers),
        ),
    ];
    let fill = |text: String, (place, list): &(&str, String)| text.replace(place, list);
    lists.iter().fold(TEXT.to_owned(), fill)
}

/// Columns of a terminal that the text may take.
const WIDTH: usize = 120;

/// Where the explanation of an option begins.
const INDENT: usize = 20;

/// Names after the beginning of their explanation, in as many lines as they need.
fn folded<'names>(beginning: &str, names: impl Iterator<Item = &'names str>) -> String {
    let mut text = beginning.to_owned();
    let mut column = INDENT + beginning.len();
    let mut names = names.peekable();
    while let Some(name) = names.next() {
        let comma = if names.peek().is_some() { "," } else { "" };
        let width = name.len() + comma.len();
        if column + width > WIDTH {
            text.truncate(text.trim_end().len());
            text += "\n";
            text += &" ".repeat(INDENT);
            column = INDENT;
        }
        text += name;
        text += comma;
        if !comma.is_empty() {
            text += " ";
        }
        column += width + 1;
    }
    text
}

const TEXT: &str = "\
Measures coarray beside the bare hardware and beside its peers, at the same moment.

usage: cobench micro [--images N] [--fabric F] [--only NAME,...] [--peer NAME,...] [--json] [--plot DIR] [--quick]
       cobench peers [the same options]
       cobench kernels [--images N] [--fabric F] [--only NAME,...] [--json] [--quick]
       cobench engines [--images N] [--rounds N] [--engine NAME,...] [--only NAME,...] [--json] [--quick]
       cobench busy [--images N,...] [--loops N,...] [--rounds N] [--json] [--quick]
       cobench tune [--images N,...] [--output FILE] [--quick]
       cobench scale [--images N] [--fabric F] [--only NAME,...] [--json] [--plot DIR] [--quick]
       cobench model [--images N,...] [--only NAME,...] [--bytes N] [--latency T] [--overhead T] [--gap T]
                     [--gap-per-byte T] [--per-node N] [--json] [--plot DIR] [--quick]
       cobench model --measured [--images N,...] [--only NAME,...] [--json] [--quick]

  micro             time single operations: one row for each operation and size
  peers             the same and the kernels, beside every peer that is installed
  kernels           run whole programs: {kernels}
  engines           time operations on MPI and OpenSHMEM, beside processes and the same calls in C
  busy              time operations that wait on two cores, beside programs that compute, and Open MPI's
  tune              find the fastest algorithm of each collective operation, and write them down
  scale             run life and the kernels on 1, 2, 4, ... images: what do more of them gain?
  model             predict barriers and collective operations for up to millions of images, by the LogGP model

  --images N        number of images; tune and busy take several (default: one on each core; tune: 2,4,8; busy: 2,3,4,8)
  --loops N,...     how many programs compute beside the images of busy (default: 0,1,2,4)
  --fabric F        what images are: processes or threads (default: processes)
  --rounds N        how often each program is started (default: 15; busy: 3)
  --engine NAME,... {engines} (default: mpi,shmem)
  --only NAME,...   {operations}
                    peers and kernels: also {kernels}
  --peer NAME,...   {peers}
  --json            print one JSON object a line instead of a table
  --plot DIR        also draw what was measured, as SVG files in this folder
  --output FILE     where tune writes (default: collectives.toml)
  --quick           one short round, to see that everything works

Each row of micro says how long the operation takes: median, min, and p99, which 99 of a hundred do not exceed; of
batches of 0.1 ms, or 1 ms with more images than cores. Beside it stands what the bare hardware needs for it in the same
program at the same moment (raw), or co_sum in the case of the reproducible sums, and how many times as long the operation
takes (ratio, the median over pairs of batches that followed each other); and, for a peer, how long it takes there and how
many times as long as with coarray (speedup, the median over rounds). Time runs from the first image's start to the
last one's end. With no more images than cores each has a core of its own. The size is that of one image's values, or of
one block where an image has one for each.

Kernels are programs of their own that lie beside cobench, the Parallel Research Kernels and RandomAccess of the HPC
Challenge. Each checks its result. Beside its rate, in the units of those kernels, stands the time of an iteration; the first
is not counted.

Engines takes a cobench that is built with the features mpi and shmem; mpirun and shmemrun start it. Where images reach each
other's memory directly, operations are compared with those on processes, and sync_all with the barrier of the library;
with COARRAY_SHARED_MEMORY=0, which makes everything go through the library (fabric), with the same calls in C. The engine processes
shows what our own fabric costs. The ratio says how many times as long the operation takes (median over rounds), the
target how many times as long it may.

Busy times each single operation on image 0: the median, the mean, and p99.9. On average it may take ten times as long as the median
without loops, or 100us if that is more, and no longer than in Open MPI with mpi_yield_when_idle. Nothing is bound to a core.

Tune compares all algorithms of each kind of operation and all barriers, takes about a minute for each number of images,
and writes what is faster than the built-in choice by 5 % in most rounds. Jobs read the file in the folder where they
start, or the one that COARRAY_TUNING_FILE names.

Scale runs each program up to --images, on a problem that stays the same (strong scaling) and on one that grows with the
images (weak scaling). Speedup is by the rate of one image in the same round, efficiency is speedup by images.

Model moves a clock for each image by the messages of an algorithm: latency 1us, overhead 0.3us at each end, gap 0.4us between
messages of one image, gap per byte 0.05ns, unless the options say otherwise. Of --bytes are one image's values, or
one block where an image has one for each (8); on a node are --per-node images (64), which only the two-level algorithms
care for. It tells how many messages carry data, how many are mere signals, and the most of one image. The meeting with
which the library checks each turn is not in the times of collectives: it is one sync_all more. With --measured the
parameters are those of this machine, and predictions stand beside measurements.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_folded() {
        let names = ["operation"; 40];
        let folded = format!(
            "{:INDENT$}{}",
            "  --only",
            folded("only these: ", names.into_iter())
        );
        assert!(folded.lines().count() > 3);
        for (number, line) in folded.lines().enumerate() {
            assert!(line.len() <= WIDTH, "{line}");
            assert!(
                number == 0 || line.starts_with(&" ".repeat(INDENT)),
                "{line}"
            );
        }
        let words: Vec<_> = folded.split_whitespace().collect();
        assert_eq!(words[3..].join(" "), names.join(", "));
    }
}
