//! The collective operations and their names in reports.

use crate::lockfree::arrival::Signature;

/// The collective operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Operation {
    /// Creation of a coarray.
    Create = 1,
    /// Start of an open phase.
    Open,
    /// End of an open phase.
    Close,
    /// Start of a read-only phase.
    Publish,
    /// End of a read-only phase.
    Unpublish,
    /// `sync_all`.
    SyncAll,
    /// `co_broadcast`.
    CoBroadcast,
    /// `co_sum`.
    CoSum,
    /// `co_min`.
    CoMin,
    /// `co_max`.
    CoMax,
    /// `co_reduce`.
    CoReduce,
    /// `co_sum_to`.
    CoSumTo,
    /// `co_min_to`.
    CoMinTo,
    /// `co_max_to`.
    CoMaxTo,
    /// `co_reduce_to`.
    CoReduceTo,
    /// `co_all`.
    CoAll,
    /// `co_any`.
    CoAny,
    /// `co_count`.
    CoCount,
    /// `co_gather`.
    CoGather,
    /// `co_allgather`.
    CoAllgather,
    /// `co_scatter`.
    CoScatter,
    /// `co_alltoall`.
    CoAlltoall,
    /// `co_gatherv`.
    CoGatherv,
    /// `co_allgatherv`.
    CoAllgatherv,
    /// `co_scatterv`.
    CoScatterv,
    /// `co_alltoallv`.
    CoAlltoallv,
    /// `co_reduce_scatter`.
    CoReduceScatter,
    /// `co_scan`.
    CoScan,
    /// `co_exscan`.
    CoExscan,
    /// `co_sum_reproducible`.
    CoSumReproducible,
    /// `co_total_reproducible`.
    CoTotalReproducible,
    /// `co_min_loc`.
    CoMinLoc,
    /// `co_max_loc`.
    CoMaxLoc,
    /// `co_min_loc_to`.
    CoMinLocTo,
    /// `co_max_loc_to`.
    CoMaxLocTo,
    /// `co_broadcast_value`.
    CoBroadcastValue,
    /// `co_gather_values`.
    CoGatherValues,
    /// `co_allgather_values`.
    CoAllgatherValues,
    /// `Team::form`.
    FormTeam,
    /// Start of `Team::change`.
    ChangeTeam,
    /// End of `Team::change`.
    EndTeam,
    /// `sync_team`.
    SyncTeam,
    /// `HaloArray::gather_global`.
    GatherGlobal,
    /// `HaloArray::gather_slice`.
    GatherSlice,
    /// `HaloArray::scatter_global`.
    ScatterGlobal,
    /// `gmove`.
    Gmove,
    /// Creation of a coarray as a part of a larger type, which is compared too.
    CreatePart,
    /// End of the program.
    End,
}

pub(crate) const OPERATIONS: [Operation; 48] = [
    Operation::Create,
    Operation::Open,
    Operation::Close,
    Operation::Publish,
    Operation::Unpublish,
    Operation::SyncAll,
    Operation::CoBroadcast,
    Operation::CoSum,
    Operation::CoMin,
    Operation::CoMax,
    Operation::CoReduce,
    Operation::CoSumTo,
    Operation::CoMinTo,
    Operation::CoMaxTo,
    Operation::CoReduceTo,
    Operation::CoAll,
    Operation::CoAny,
    Operation::CoCount,
    Operation::CoGather,
    Operation::CoAllgather,
    Operation::CoScatter,
    Operation::CoAlltoall,
    Operation::CoGatherv,
    Operation::CoAllgatherv,
    Operation::CoScatterv,
    Operation::CoAlltoallv,
    Operation::CoReduceScatter,
    Operation::CoScan,
    Operation::CoExscan,
    Operation::CoSumReproducible,
    Operation::CoTotalReproducible,
    Operation::CoMinLoc,
    Operation::CoMaxLoc,
    Operation::CoMinLocTo,
    Operation::CoMaxLocTo,
    Operation::CoBroadcastValue,
    Operation::CoGatherValues,
    Operation::CoAllgatherValues,
    Operation::FormTeam,
    Operation::ChangeTeam,
    Operation::EndTeam,
    Operation::SyncTeam,
    Operation::GatherGlobal,
    Operation::GatherSlice,
    Operation::ScatterGlobal,
    Operation::Gmove,
    Operation::CreatePart,
    Operation::End,
];

impl Operation {
    /// The operation with this number.
    pub(crate) fn of_code(code: u32) -> Option<Self> {
        let has_code = |operation: &Self| *operation as u32 == code;
        OPERATIONS.into_iter().find(has_code)
    }

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "creation of a coarray",
            Self::Open => "open",
            Self::Close => "the end of the open phase",
            Self::Publish => "publish",
            Self::Unpublish => "the end of the read-only phase",
            Self::SyncAll => "sync_all",
            Self::CoBroadcast => "co_broadcast",
            Self::CoSum => "co_sum",
            Self::CoMin => "co_min",
            Self::CoMax => "co_max",
            Self::CoReduce => "co_reduce",
            Self::CoSumTo => "co_sum_to",
            Self::CoMinTo => "co_min_to",
            Self::CoMaxTo => "co_max_to",
            Self::CoReduceTo => "co_reduce_to",
            Self::CoAll => "co_all",
            Self::CoAny => "co_any",
            Self::CoCount => "co_count",
            Self::CoGather => "co_gather",
            Self::CoAllgather => "co_allgather",
            Self::CoScatter => "co_scatter",
            Self::CoAlltoall => "co_alltoall",
            Self::CoGatherv => "co_gatherv",
            Self::CoAllgatherv => "co_allgatherv",
            Self::CoScatterv => "co_scatterv",
            Self::CoAlltoallv => "co_alltoallv",
            Self::CoReduceScatter => "co_reduce_scatter",
            Self::CoScan => "co_scan",
            Self::CoExscan => "co_exscan",
            Self::CoSumReproducible => "co_sum_reproducible",
            Self::CoTotalReproducible => "co_total_reproducible",
            Self::CoMinLoc => "co_min_loc",
            Self::CoMaxLoc => "co_max_loc",
            Self::CoMinLocTo => "co_min_loc_to",
            Self::CoMaxLocTo => "co_max_loc_to",
            Self::CoBroadcastValue => "co_broadcast_value",
            Self::CoGatherValues => "co_gather_values",
            Self::CoAllgatherValues => "co_allgather_values",
            Self::FormTeam => "Team::form",
            Self::ChangeTeam => "Team::change",
            Self::EndTeam => "the end of Team::change",
            Self::SyncTeam => "sync_team",
            Self::GatherGlobal => "gather_global",
            Self::GatherSlice => "gather_slice",
            Self::ScatterGlobal => "scatter_global",
            Self::Gmove => "gmove",
            Self::CreatePart => "creation",
            Self::End => "the end of the program",
        }
    }

    /// Whether `signature` is a signature of this operation.
    pub(crate) fn is_in(self, signature: &Signature) -> bool {
        signature[0] & 0xffff == self as u64
    }
}
