//! The comparisons of `cobench fabrics`, and the targets of their ratios.

use crate::operations::rows_of;
use crate::options::Fabric;
use crate::peer::Peer;

/// A program that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Operations of coarrays.
    Coarray {
        /// The fabric that carries the images.
        fabric: Fabric,
        /// Whether images of a node reach each other's memory by loads and stores.
        is_direct: bool,
    },
    /// The same in C.
    C(Peer),
}

/// An operation on a fabric, and its reference.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Its name in our program.
    pub operation: &'static str,
    /// Its name in the reference.
    pub counterpart: &'static str,
    /// The fabric that it is measured on.
    pub fabric: Fabric,
    /// Whether images of a node reach each other's memory by loads and stores.
    pub is_direct: bool,
    /// The program to compare with.
    pub reference: Program,
    /// The calls of the reference, in a few words.
    pub call: &'static str,
    /// The target of the ratio, by size.
    pub limit: Limit,
}

impl Comparison {
    /// The program with the operation.
    pub fn subject(&self) -> Program {
        Program::Coarray {
            fabric: self.fabric,
            is_direct: self.is_direct,
        }
    }
}

/// Images that share memory, without a library in between.
const PROCESSES: Program = Program::Coarray {
    fabric: Fabric::Processes,
    is_direct: true,
};

/// The target of a ratio, by size; none if there is no target.
type Limit = fn(usize) -> Option<f64>;

/// Both are loads, stores and instructions of the processor.
const AS_ON_PROCESSES: Limit = |_| Some(1.3);

const NO_SLOWER: Limit = |_| Some(1.0);

/// A call may take a quarter longer; the bandwidth of many bytes may be 5 % less.
const AS_IN_C: Limit = |bytes| Some(if bytes < BULK { 1.25 } else { 1.0 / 0.95 });

/// From this size on the bytes take the time, not the call.
const BULK: usize = 64 << 10;

/// A signal, alone or behind data.
const SIGNAL: Limit = |_| Some(1.3);

/// A lock that goes from image to image.
const HAND_OVER: Limit = |_| Some(1.5);

/// A barrier that checks what it is entered for.
const TWICE: Limit = |_| Some(2.0);

/// A collective operation that compares calls before it moves data.
const COLLECTIVE: Limit = |_| Some(1.5);

/// The same beside one whose data lie in symmetric memory: from this size on ours are compared in coarrays.
const SHORT_COLLECTIVE: Limit = |bytes| (bytes < 16 << 10).then_some(1.5);

/// Items that travel together, beside a call for each.
const TOGETHER: Limit = |_| Some(1.0 / 20.0);

const OPEN: Limit = |_| None;

/// Operations on single words.
const WORDS: [&str; 4] = ["put", "get", "fetch_add", "compare_exchange"];

const BARRIER: &str = "sync_all";

/// Operations on lists of indices, and loops that do the same.
const LISTS: [(&str, &str, &str); 3] = [
    ("list_gather", "loop_gather", "a loop of gets"),
    ("list_scatter", "loop_scatter", "a loop of puts"),
    ("list_add", "loop_add", "a loop of additions"),
];

/// An indirect operation, and the same in C.
struct InC {
    operation: &'static str,
    peer: Peer,
    counterpart: &'static str,
    /// The calls, in a few words.
    call: &'static str,
    limit: Limit,
}

const fn in_c(operation: &'static str, peer: Peer, call: &'static str, limit: Limit) -> InC {
    InC {
        operation,
        peer,
        counterpart: operation,
        call,
        limit,
    }
}

impl InC {
    const fn named(self, counterpart: &'static str) -> Self {
        Self {
            counterpart,
            ..self
        }
    }
}

const MPI: &[InC] = &[
    in_c("put_quiet", Peer::MpiRma, "MPI_Put, MPI_Win_flush", AS_IN_C),
    in_c("bulk_put", Peer::MpiRma, "MPI_Put, MPI_Win_flush", AS_IN_C),
    in_c("bulk_get", Peer::MpiRma, "MPI_Get, MPI_Win_flush", OPEN),
    in_c(
        "list_gather",
        Peer::MpiRma,
        "MPI_Get each, MPI_Win_flush",
        OPEN,
    )
    .named("list_gather_each"),
    in_c(
        "list_gather",
        Peer::MpiRma,
        "MPI_Get, MPI_Type_create_indexed_block",
        OPEN,
    )
    .named("list_gather_indexed"),
    in_c(
        "list_gather",
        Peer::MpiRma,
        "MPI_Send, packed by hand",
        OPEN,
    )
    .named("list_gather_packed"),
    in_c(
        "list_scatter",
        Peer::MpiRma,
        "MPI_Put each, MPI_Win_flush",
        OPEN,
    )
    .named("list_scatter_each"),
    in_c(
        "list_scatter",
        Peer::MpiRma,
        "MPI_Put, MPI_Type_create_indexed_block",
        OPEN,
    )
    .named("list_scatter_indexed"),
    in_c(
        "list_scatter",
        Peer::MpiRma,
        "MPI_Send, packed by hand",
        OPEN,
    )
    .named("list_scatter_packed"),
    in_c(
        "list_add",
        Peer::MpiRma,
        "MPI_Accumulate each, MPI_Win_flush",
        OPEN,
    )
    .named("list_add_each"),
    in_c(
        "list_add",
        Peer::MpiRma,
        "MPI_Accumulate, MPI_Type_create_indexed_block",
        OPEN,
    )
    .named("list_add_indexed"),
    in_c("list_add", Peer::MpiRma, "MPI_Send, packed by hand", OPEN).named("list_add_packed"),
    in_c(
        "fetch_add",
        Peer::MpiRma,
        "MPI_Fetch_and_op, MPI_Win_flush",
        OPEN,
    ),
    in_c(
        "compare_exchange",
        Peer::MpiRma,
        "MPI_Compare_and_swap, MPI_Win_flush",
        OPEN,
    ),
    in_c("event_pingpong", Peer::Mpi, "MPI_Send", SIGNAL),
    in_c(
        "notify_pingpong",
        Peer::MpiRma,
        "MPI_Put, MPI_Win_flush, MPI_Send",
        SIGNAL,
    )
    .named("put_send_pingpong"),
    in_c(
        "mutex",
        Peer::MpiRma,
        "MPI_Fetch_and_op: ticket lock",
        HAND_OVER,
    )
    .named("ticket_lock"),
    in_c(BARRIER, Peer::Mpi, "MPI_Barrier", TWICE),
    in_c("co_broadcast", Peer::Mpi, "MPI_Bcast", COLLECTIVE),
    in_c("co_sum", Peer::Mpi, "MPI_Allreduce", COLLECTIVE),
    in_c("co_scan", Peer::Mpi, "MPI_Scan", COLLECTIVE),
    in_c("co_gather", Peer::Mpi, "MPI_Gather", COLLECTIVE),
    in_c("co_allgather", Peer::Mpi, "MPI_Allgather", COLLECTIVE),
    in_c("co_scatter", Peer::Mpi, "MPI_Scatter", COLLECTIVE),
    in_c("co_alltoall", Peer::Mpi, "MPI_Alltoall", COLLECTIVE),
    in_c(
        "co_reduce_scatter",
        Peer::Mpi,
        "MPI_Reduce_scatter",
        COLLECTIVE,
    ),
    in_c("co_broadcast_symmetric", Peer::Mpi, "MPI_Bcast", COLLECTIVE).named("co_broadcast"),
    in_c("co_gather_symmetric", Peer::Mpi, "MPI_Gather", COLLECTIVE).named("co_gather"),
    in_c(
        "co_allgather_symmetric",
        Peer::Mpi,
        "MPI_Allgather",
        COLLECTIVE,
    )
    .named("co_allgather"),
    in_c("co_scatter_symmetric", Peer::Mpi, "MPI_Scatter", COLLECTIVE).named("co_scatter"),
    in_c(
        "co_alltoall_symmetric",
        Peer::Mpi,
        "MPI_Alltoall",
        COLLECTIVE,
    )
    .named("co_alltoall"),
];

const SHMEM: &[InC] = &[
    in_c("put_quiet", Peer::Shmem, "shmem_p, shmem_quiet", AS_IN_C),
    in_c(
        "bulk_put",
        Peer::Shmem,
        "shmem_putmem, shmem_quiet",
        AS_IN_C,
    ),
    in_c("bulk_get", Peer::Shmem, "shmem_getmem", OPEN),
    in_c(
        "list_gather",
        Peer::Shmem,
        "shmem_get_nbi each, shmem_quiet",
        OPEN,
    )
    .named("list_gather_each"),
    in_c(
        "list_scatter",
        Peer::Shmem,
        "shmem_p each, shmem_quiet",
        OPEN,
    )
    .named("list_scatter_each"),
    in_c(
        "list_add",
        Peer::Shmem,
        "shmem_atomic_add each, shmem_quiet",
        OPEN,
    )
    .named("list_add_each"),
    in_c("fetch_add", Peer::Shmem, "shmem_atomic_fetch_add", OPEN),
    in_c(
        "compare_exchange",
        Peer::Shmem,
        "shmem_atomic_compare_swap",
        OPEN,
    ),
    in_c("event_pingpong", Peer::Shmem, "shmem_atomic_inc", SIGNAL).named("inc_pingpong"),
    in_c(
        "notify_pingpong",
        Peer::Shmem,
        "shmem_putmem, shmem_fence, shmem_atomic_inc",
        SIGNAL,
    )
    .named("put_inc_pingpong"),
    in_c(
        "mutex",
        Peer::Shmem,
        "shmem_atomic_fetch_inc: ticket lock",
        HAND_OVER,
    )
    .named("ticket_lock"),
    in_c(BARRIER, Peer::Shmem, "shmem_barrier_all", TWICE),
    in_c("co_broadcast", Peer::Shmem, "shmem_broadcast64", COLLECTIVE),
    in_c("co_sum", Peer::Shmem, "shmem_double_sum_to_all", COLLECTIVE),
    in_c("co_allgather", Peer::Shmem, "shmem_fcollect64", COLLECTIVE),
    in_c(
        "co_alltoall",
        Peer::Shmem,
        "shmem_alltoall64",
        SHORT_COLLECTIVE,
    ),
    in_c(
        "co_broadcast_symmetric",
        Peer::Shmem,
        "shmem_broadcast64",
        COLLECTIVE,
    )
    .named("co_broadcast"),
    in_c(
        "co_allgather_symmetric",
        Peer::Shmem,
        "shmem_fcollect64",
        COLLECTIVE,
    )
    .named("co_allgather"),
    in_c(
        "co_alltoall_symmetric",
        Peer::Shmem,
        "shmem_alltoall64",
        COLLECTIVE,
    )
    .named("co_alltoall"),
];

/// All comparisons of a fabric, in the order of the table.
pub fn comparisons(fabric: Fabric) -> Vec<Comparison> {
    let compare = |is_direct, operation, reference, call, limit| Comparison {
        operation,
        counterpart: operation,
        fabric,
        is_direct,
        reference,
        call,
        limit,
    };
    let in_c = match fabric {
        // This comparison shows the cost of the layers above a fabric.
        Fabric::Processes | Fabric::Threads => {
            let on_processes =
                |one: &InC| compare(false, one.operation, PROCESSES, "direct access", OPEN);
            let operations = MPI.chunk_by(|one, next| one.operation == next.operation);
            return operations.map(|same| on_processes(&same[0])).collect();
        }
        Fabric::Mpi => MPI,
        Fabric::Shmem => SHMEM,
    };
    let words = WORDS
        .into_iter()
        .map(|operation| compare(true, operation, PROCESSES, "processes", AS_ON_PROCESSES));
    let barriers = in_c.iter().filter(|one| one.operation == BARRIER);
    let barriers = barriers
        .map(|one| compare(true, BARRIER, Program::C(one.peer), one.call, NO_SLOWER))
        .collect::<Vec<_>>();
    let indirect = in_c.iter().map(|one| Comparison {
        counterpart: one.counterpart,
        ..compare(
            false,
            one.operation,
            Program::C(one.peer),
            one.call,
            one.limit,
        )
    });
    let lists = LISTS.into_iter().map(|(operation, counterpart, call)| {
        let is_direct = false;
        let reference = Program::Coarray { fabric, is_direct };
        let limit = TOGETHER;
        Comparison {
            counterpart,
            ..compare(is_direct, operation, reference, call, limit)
        }
    });
    words.chain(barriers).chain(lists).chain(indirect).collect()
}

/// What a program measures: the name there, and how many rows it prints.
pub type Measured = (&'static str, usize);

/// The programs that the comparisons need, and what each measures.
pub fn programs(comparisons: &[Comparison]) -> Vec<(Program, Vec<Measured>)> {
    let mut programs: Vec<(Program, Vec<Measured>)> = Vec::new();
    for comparison in comparisons {
        let rows = rows_of(comparison.operation);
        let both = [
            (comparison.reference, comparison.counterpart),
            (comparison.subject(), comparison.operation),
        ];
        for (program, name) in both {
            let index = programs.iter().position(|&(known, _)| known == program);
            let index = index.unwrap_or_else(|| {
                programs.push((program, Vec::new()));
                programs.len() - 1
            });
            let measured = &mut programs[index].1;
            if !measured.contains(&(name, rows)) {
                measured.push((name, rows));
            }
        }
    }
    programs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations;

    #[test]
    fn all_that_is_compared_is_measured() {
        let names: Vec<&str> = operations::names();
        for fabric in [Fabric::Processes, Fabric::Mpi, Fabric::Shmem] {
            for comparison in comparisons(fabric) {
                assert!(names.contains(&comparison.operation), "{comparison:?}");
                let [one, other] = [
                    (comparison.subject(), comparison.operation),
                    (comparison.reference, comparison.counterpart),
                ];
                assert_ne!(one, other);
            }
        }
    }

    #[test]
    fn calls_and_bytes_have_limits_of_their_own() {
        let all = comparisons(Fabric::Shmem);
        let limit = |operation, is_direct, bytes| {
            let is_it =
                |one: &&Comparison| one.operation == operation && one.is_direct == is_direct;
            (all.iter().find(is_it).unwrap().limit)(bytes)
        };
        assert_eq!(limit("put", true, 8), Some(1.3));
        assert_eq!(limit("sync_all", true, 0), Some(1.0));
        assert_eq!(limit("put_quiet", false, 8), Some(1.25));
        assert_eq!(limit("bulk_put", false, 8 << 10), Some(1.25));
        let bandwidth = 1.0 / limit("bulk_put", false, 4 << 20).unwrap();
        assert!((bandwidth - 0.95).abs() < 1e-9, "{bandwidth}");
        assert_eq!(limit("sync_all", false, 0), Some(2.0));
    }

    #[test]
    fn each_program_is_run_once_a_round() {
        let all = [comparisons(Fabric::Mpi), comparisons(Fabric::Shmem)].concat();
        let programs = programs(&all);
        for (index, (program, operations)) in programs.iter().enumerate() {
            assert!(programs[..index].iter().all(|(other, _)| other != program));
            for (index, operation) in operations.iter().enumerate() {
                assert!(!operations[..index].contains(operation), "{program:?}");
            }
        }
        // Processes; each fabric in both ways; three peers.
        assert_eq!(programs.len(), 8);
    }
}
