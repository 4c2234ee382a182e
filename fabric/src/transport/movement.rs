//! Moving blocks of bytes among many images at once, by the collective operations that a library below has of its own.

/// Which blocks of `length` bytes go where. The images that take part count from 0 in the order in which the call lists them; *all blocks* are
/// one for each of them, one behind the other in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// The block at the target of this image goes to the targets of all. There is no source.
    Broadcast(usize),
    /// The block at the source of each goes to all blocks at the target of this image. The others have no target.
    Gather(usize),
    /// All blocks at the source of this image go to the target of one each. The others have no source.
    Scatter(usize),
    /// The block at the source of each goes to all blocks at the target of each.
    Allgather,
    /// Block `i` at the source of image `j` becomes block `j` at the target of image `i`.
    Alltoall,
}
