//! The built-in rules: which algorithm is used where no table says.

use coarray_runtime::{PAYLOAD_BYTES, PAYLOAD_BYTES_WITH_ROOT};

use super::algorithm::{Algorithm, Kind};

/// A kind of operation, the most images and the most bytes, 0 for any number, and the algorithm for it.
pub(super) type BuiltIn = (Kind, u64, u64, Algorithm);

/// The built-in rules: measured with 2 to 8 images on two cores. Beyond a few tens of images, one image cannot
/// serve all others.
///
/// Each of two images must read all values of the other anyhow, so [`Algorithm::ReduceScatterAllgather`] only costs a barrier. With more images
/// it pays from a few thousand bytes on, and from somewhat more where images wait for cores. Short values are posted where not all need all.
pub(super) const BUILT_IN: [BuiltIn; 24] = [
    (Kind::Broadcast, 32, 2048, Algorithm::Eager),
    (Kind::ReduceTo, 32, 2048, Algorithm::Eager),
    (Kind::Gather, 32, 2048, Algorithm::Eager),
    (Kind::Scatter, 32, 2048, Algorithm::Eager),
    (Kind::Scan, 32, 2048, Algorithm::Eager),
    (Kind::Broadcast, 32, 0, Algorithm::Flat),
    (Kind::Broadcast, 0, 0, Algorithm::SquareRoot),
    (Kind::Reduce, 2, 0, Algorithm::Flat),
    (Kind::Reduce, 32, 8192, Algorithm::Flat),
    (Kind::Reduce, 0, 2048, Algorithm::RecursiveDoubling),
    (Kind::Reduce, 0, 0, Algorithm::ReduceScatterAllgather),
    (Kind::ReduceTo, 32, 0, Algorithm::Flat),
    (Kind::ReduceTo, 0, 2048, Algorithm::Binomial),
    (Kind::ReduceTo, 0, 0, Algorithm::ReduceScatterAllgather),
    (Kind::Gather, 0, 0, Algorithm::Flat),
    (Kind::Allgather, 0, 0, Algorithm::Flat),
    (Kind::Scatter, 0, 0, Algorithm::Flat),
    (Kind::Alltoall, 0, 0, Algorithm::Pairwise),
    (Kind::ReduceScatter, 0, 0, Algorithm::Flat),
    (Kind::Scan, 32, 0, Algorithm::Flat),
    (Kind::Scan, 0, 0, Algorithm::RecursiveDoubling),
    (Kind::SumReproducible, 32, 2048, Algorithm::Flat),
    (
        Kind::SumReproducible,
        0,
        0,
        Algorithm::ReduceScatterAllgather,
    ),
    (Kind::TotalReproducible, 0, 0, Algorithm::Flat),
];

/// The built-in rules before those on Intel's processors, for two images with a core each. Elsewhere stores to what others have read are slower than
/// buffers, and so is what the kernel copies.
pub(super) const IN_PLACE: [BuiltIn; 9] = [
    (Kind::Reduce, 2, 1 << 20, Algorithm::Flat),
    (Kind::Reduce, 2, 0, Algorithm::InPlace),
    (Kind::Allgather, 2, 1 << 20, Algorithm::Flat),
    (Kind::Allgather, 2, 0, Algorithm::InPlace),
    (Kind::Scatter, 2, 2048, Algorithm::Eager),
    (Kind::Scatter, 2, 1 << 20, Algorithm::Flat),
    (Kind::Scatter, 2, 0, Algorithm::InPlace),
    (Kind::Alltoall, 2, 1 << 20, Algorithm::Pairwise),
    (Kind::Alltoall, 2, 0, Algorithm::InPlace),
];

/// The built-in rules before those, in jobs with more images than cores: whoever waits for others, waits for a core. Measured with 4 and 8
/// images on two cores.
///
/// What images read and combine adds up on the cores that they share. In a flat scan each reads the values of all images before it, in a chain
/// those of one, but waits for it.
pub(super) const IN_A_CROWD: [BuiltIn; 5] = [
    (Kind::Broadcast, 32, 8192, Algorithm::Eager),
    (Kind::Gather, 32, 8192, Algorithm::Eager),
    (Kind::Scan, 32, 8192, Algorithm::Eager),
    (Kind::Scan, 32, 64 << 10, Algorithm::Flat),
    (Kind::Scan, 32, 0, Algorithm::Chain),
];

/// The built-in rules before those, on Intel's processors.
pub(super) const IN_PLACE_IN_A_CROWD: [BuiltIn; 8] = [
    (Kind::Scatter, 4, 2048, Algorithm::Eager),
    (Kind::Scatter, 4, 1 << 20, Algorithm::Flat),
    (Kind::Scatter, 4, 0, Algorithm::InPlace),
    (Kind::Scatter, 32, 2048, Algorithm::Eager),
    (Kind::Scatter, 32, 64 << 10, Algorithm::Flat),
    (Kind::Scatter, 32, 0, Algorithm::InPlace),
    (Kind::Alltoall, 32, 1 << 19, Algorithm::Pairwise),
    (Kind::Alltoall, 32, 0, Algorithm::InPlace),
];

/// The built-in rules for teams whose images are on several nodes that share no memory.
///
/// Data that fit the payload of a barrier travel with it, and nothing is left to be read. All others go up and down the tree of
/// nodes where that is possible, which takes the fewest messages between nodes.
pub(super) const BETWEEN_NODES: [BuiltIn; 18] = [
    (Kind::Broadcast, 0, FROM_ROOT, Algorithm::Flat),
    (Kind::Broadcast, 0, 0, Algorithm::Hierarchical),
    (Kind::Reduce, 0, PAYLOAD, Algorithm::Flat),
    (Kind::Reduce, 0, 0, Algorithm::Hierarchical),
    (Kind::ReduceTo, 0, FROM_ROOT, Algorithm::Flat),
    (Kind::ReduceTo, 0, 0, Algorithm::Hierarchical),
    (Kind::Gather, 0, FROM_ROOT, Algorithm::Flat),
    (Kind::Gather, 0, 0, Algorithm::Hierarchical),
    (Kind::Allgather, 0, PAYLOAD, Algorithm::Flat),
    (Kind::Allgather, 0, 0, Algorithm::Hierarchical),
    (Kind::Scatter, 0, 0, Algorithm::Hierarchical),
    (Kind::Alltoall, 0, 0, Algorithm::Pairwise),
    (Kind::ReduceScatter, 0, 2048, Algorithm::Binomial),
    (Kind::ReduceScatter, 0, 0, Algorithm::Flat),
    (Kind::Scan, 0, PAYLOAD, Algorithm::Flat),
    (Kind::Scan, 0, 0, Algorithm::RecursiveDoubling),
    (
        Kind::SumReproducible,
        0,
        0,
        Algorithm::ReduceScatterAllgather,
    ),
    (Kind::TotalReproducible, 0, 0, Algorithm::Hierarchical),
];

/// The bytes of a barrier's payload, of operations without a root and with one.
const PAYLOAD: u64 = PAYLOAD_BYTES as u64;
const FROM_ROOT: u64 = PAYLOAD_BYTES_WITH_ROOT as u64;

/// The built-in rules before those, for teams of few images each of which is on a node of its own. Measured with 2 to 8 images.
///
/// A barrier and one get are fewer messages one after the other than a tree has, and nobody has to take part in between. Where one image
/// sends long values to more than a few, they go by the collectives that the fabric has, if it has some.
pub(super) const APART: [BuiltIn; 34] = [
    (Kind::Broadcast, FEW, POSTED, Algorithm::Eager),
    (Kind::Reduce, FEW, POSTED, Algorithm::Eager),
    (Kind::ReduceTo, FEW, POSTED, Algorithm::Eager),
    (Kind::Gather, FEW, POSTED, Algorithm::Eager),
    (Kind::Allgather, FEW, POSTED, Algorithm::Eager),
    (Kind::Scatter, FEW, POSTED, Algorithm::Eager),
    (Kind::Alltoall, FEW, POSTED, Algorithm::Eager),
    (Kind::ReduceScatter, FEW, POSTED, Algorithm::Eager),
    (Kind::Scan, FEW, POSTED, Algorithm::Eager),
    (Kind::Broadcast, 2, 0, Algorithm::Flat),
    (Kind::Broadcast, FEW, MOST_POSTED, Algorithm::Eager),
    (Kind::Broadcast, FEWER, 0, Algorithm::Flat),
    (Kind::Broadcast, FEW, LONG, Algorithm::Flat),
    (Kind::Broadcast, FEW, 0, Algorithm::Fabric),
    (Kind::Reduce, 2, 0, Algorithm::Flat),
    (Kind::Reduce, FEW, 8192, Algorithm::Flat),
    (Kind::Reduce, FEW, 0, Algorithm::ReduceScatterAllgather),
    (Kind::ReduceTo, 2, 0, Algorithm::Flat),
    (Kind::ReduceTo, FEW, MOST_POSTED, Algorithm::Eager),
    (Kind::ReduceTo, FEW, 8192, Algorithm::Flat),
    (Kind::ReduceTo, FEW, 0, Algorithm::ReduceScatterAllgather),
    (Kind::Gather, 2, 0, Algorithm::Flat),
    (Kind::Gather, FEW, MOST_POSTED, Algorithm::Eager),
    (Kind::Gather, FEW, 0, Algorithm::Flat),
    (Kind::Allgather, FEW, 0, Algorithm::Flat),
    (Kind::Scatter, FEWER, 0, Algorithm::Flat),
    (Kind::Scatter, FEW, LONG, Algorithm::Flat),
    (Kind::Scatter, FEW, 0, Algorithm::Fabric),
    (Kind::Alltoall, FEW, 0, Algorithm::Pairwise),
    (Kind::ReduceScatter, FEW, 0, Algorithm::Flat),
    (Kind::Scan, FEWER, 0, Algorithm::Flat),
    (Kind::Scan, FEW, MOST_POSTED, Algorithm::Eager),
    (Kind::Scan, FEW, 0, Algorithm::Flat),
    (Kind::TotalReproducible, FEW, 0, Algorithm::Flat),
];

/// The most images that one serves.
const FEW: u64 = 8;

/// The most bytes that all post.
const POSTED: u64 = 512;

/// The most bytes that one posts, or that are posted to one, if more images than two would meet in place of that.
const MOST_POSTED: u64 = 2048;

/// The most images that one serves with long values, and from how many bytes on they are long.
const FEWER: u64 = 4;
const LONG: u64 = 128 << 10;
