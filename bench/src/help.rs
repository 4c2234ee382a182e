//! What `cobench --help` prints.

use crate::kernels;
use crate::operations;
use crate::peer::Peer;

/// The help text.
pub fn text() -> String {
    let lists = [
        ("{operations}", operations::names()),
        ("{kernels}", kernels::names()),
        ("{peers}", Peer::ALL.map(Peer::name).to_vec()),
    ];
    let fill =
        |text: String, (place, names): &(&str, Vec<&str>)| text.replace(place, &folded(names));
    lists.iter().fold(TEXT.to_owned(), fill)
}

/// Names in as many lines as they need where the explanations of options stand.
fn folded(names: &[&str]) -> String {
    let mut text = String::new();
    let mut column = INDENT;
    for name in names {
        if !text.is_empty() {
            text += ",";
            column += 1;
        }
        if column + 1 + name.len() + 1 > WIDTH {
            text += "\n";
            text += &" ".repeat(INDENT);
            column = INDENT;
        } else if !text.is_empty() {
            text += " ";
            column += 1;
        }
        text += name;
        column += name.len();
    }
    text
}

/// Columns of a terminal that the text may take.
const WIDTH: usize = 120;

/// Where the explanation of an option begins.
const INDENT: usize = 20;

const TEXT: &str = "\
Measures coarray beside the bare hardware and beside its peers, at the same moment.

usage: cobench micro [--images N] [--fabric F] [--only NAME,...] [--peer NAME,...] [--json] [--plot DIR] [--quick]
       cobench peers [the same options]
       cobench kernels [--images N,...] [--weak] [--fabric F] [--only NAME,...] [--json] [--plot DIR] [--quick]
       cobench fabrics [--images N] [--rounds N] [--fabric F,...] [--only NAME,...] [--json] [--quick]
       cobench busy [--images N,...] [--loops N,...] [--rounds N] [--json] [--quick]
       cobench tune [--images N,...] [--fabric F] [--output FILE] [--quick]
       cobench model [--images N,...] [--only NAME,...] [--bytes N] [--latency T] [--overhead T] [--gap T]
                     [--gap-per-byte T] [--per-node N] [--json] [--plot DIR] [--quick]
       cobench model --measured [--images N,...] [--only NAME,...] [--json] [--quick]

  micro             time single operations: one row for each operation and size
  peers             the same and the kernels, beside every peer that is installed
  kernels           run whole programs, and compare numbers of images
  fabrics           time operations on MPI and OpenSHMEM, beside processes and the same calls in C
  busy              time operations that wait on two cores, beside programs that compute, and Open MPI's
  tune              find the fastest algorithm of each collective operation, and write them down
  model             predict barriers and collective operations for up to millions of images, by the LogGP model

  --images N        number of images; kernels, tune, busy and model take several
                    (default: one on each core; tune: 2,4,8; busy: 2,3,4,8)
  --fabric F        processes or threads (default: processes); tune: mpi or shmem, too;
                    fabrics: processes, mpi or shmem (default: mpi,shmem)
  --only NAME,...   only these operations:
                    {operations}
                    only these kernels:
                    {kernels}
  --peer NAME,...   also measure these peers, in turn with coarray: {peers}
  --weak            give the kernels as much work for each image, whatever their number
  --loops N,...     how many programs compute beside the images of busy (default: 0,1,2,4)
  --rounds N        how often each program is started (default: 15; busy: 3)
  --json            print one JSON object a line instead of a table
  --plot DIR        also draw what was measured, as SVG files in this folder
  --output FILE     where tune writes (default: collectives.toml, or collectives.FABRIC.toml for mpi and shmem)
  --quick           one short round, to see that everything works

Each row of micro says how long the operation takes: median, min, and p99, which 99 of a hundred do not exceed; of
batches of 0.1 ms, or 1 ms with more images than cores. Beside it stands what the bare hardware needs for it in the
same program at the same moment (raw), or co_sum in the case of the reproducible sums, and how many times as long the
operation takes (ratio, the median over pairs of batches that followed each other); and, for a peer, how long it takes
there and how many times as long as with coarray (speedup, the median over rounds). Time runs from the first image's
start to the last one's end. Beside a collective in coarrays (_symmetric) stands the peers' in the memory that they
have for it. With no more images than cores each has a core of its own. The size is that of one image's values, or of
one block where an image has one for each.

Kernels are programs of their own that lie beside cobench: the Parallel Research Kernels, RandomAccess of the HPC
Challenge, the Game of Life, and two of bale. Each checks its result. Beside its rate, in the units of those kernels,
stands the time of an iteration; the first is not counted. On several numbers of images each solves the same problem
(strong scaling), or with --weak one that grows with them. Speedup is by the rate on the first number of images in the
same round; efficiency is speedup by images.

Fabrics takes a cobench that is built with the features mpi and shmem; mpirun and shmemrun start it. Where images
reach each other's memory directly, operations are compared with those on processes, and sync_all with the barrier of
the library; with COARRAY_SHARED_MEMORY=0, which makes everything go through the library (indirect), with the same
calls in C. The ratio says how many times as long the operation takes (median over rounds), the target how many times
as long it may.

Busy times each single operation on image 0: the median, the mean, and p99.9. On average it may take ten times as long
as the median without loops, or 100us if that is more, and no longer than in Open MPI with mpi_yield_when_idle.
Nothing is bound to a core.

Tune compares all algorithms of each kind of operation and all barriers, takes about a minute for each number of
images, and writes what is faster than the built-in choice by 5 % in most rounds. Jobs read the file in the folder
where they start, or the one that COARRAY_TUNING_FILE names. On mpi and shmem, whose launchers start the images, each
counts as a node, and jobs that span nodes read the file.

Model moves a clock for each image by the messages of an algorithm: latency 1us, overhead 0.3us at each end, gap 0.4us
between messages of one image, gap per byte 0.05ns, unless the options say otherwise. Of --bytes are one image's
values, or one block where an image has one for each (8); on a node are --per-node images (64), which only the
two-level algorithms care for. It tells how many messages carry data, how many are mere signals, and the most of one
image. The barrier in which the library checks each epoch is not in the times of collectives: it is one sync_all more.
With --measured the parameters are those of this machine, and predictions stand beside measurements.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_folded_into_lines_of_a_terminal() {
        for line in text().lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        let folded = folded(&["operation"; 40]);
        assert!(folded.lines().count() > 3);
        let words: Vec<&str> = folded.split_whitespace().collect();
        assert_eq!(words.join(" "), ["operation"; 40].join(", "));
    }

    #[test]
    fn everything_is_named() {
        for name in [operations::names(), kernels::names()].concat() {
            assert!(text().contains(name), "{name}");
        }
        assert!(Peer::ALL.iter().all(|peer| text().contains(peer.name())));
        assert!(
            crate::COMMANDS
                .iter()
                .all(|command| text().contains(command.name))
        );
    }
}
