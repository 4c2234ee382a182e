//! The region: one file that all images of a node map, with a part for each image at a fixed stride.
//!
//! Words and copies in it that others may race for are in `direct`; which images share a region is in `nodes`; what this process
//! has mapped, and whether an address may stand for memory of another node, in `apart`.

pub mod direct;
pub mod locality;
pub mod nodes;
pub(crate) mod overlay;
pub mod region;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod streaming;
