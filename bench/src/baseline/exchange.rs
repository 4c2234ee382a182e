//! Which bytes go from which image to which.

use coarray::{num_images, this_image};

/// What this image gives to others and gets from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Bytes that it gives.
    pub out: usize,
    /// The images that it gets something from.
    pub from: Vec<usize>,
    /// Bytes that it gets from each of them.
    pub each: usize,
}

impl Exchange {
    /// Each image gives `bytes` bytes to all others.
    pub fn to_all(bytes: usize) -> Self {
        let others = (1..num_images()).map(|distance| (this_image() + distance) % num_images());
        Self {
            out: bytes,
            from: others.collect(),
            each: bytes,
        }
    }

    /// Each image gives `bytes` bytes to each of the others, to each its own.
    pub fn to_each(bytes: usize) -> Self {
        let all = Self::to_all(bytes);
        Self {
            out: all.from.len() * bytes,
            ..all
        }
    }

    /// Each image gives `bytes` bytes to the root.
    pub fn to_root(bytes: usize, root: usize) -> Self {
        let all = Self::to_all(bytes);
        match this_image() == root {
            true => Self { out: 0, ..all },
            false => all.without_receiving(),
        }
    }

    /// The root gives `bytes` bytes to all others.
    pub fn from_root(bytes: usize, root: usize) -> Self {
        match this_image() == root {
            true => Self::to_all(bytes).without_receiving(),
            false => Self {
                out: 0,
                from: vec![root],
                each: bytes,
            },
        }
    }

    /// The root gives `bytes` bytes to each of the others, to each its own.
    pub fn from_root_each(bytes: usize, root: usize) -> Self {
        match this_image() == root {
            true => Self::to_each(bytes).without_receiving(),
            false => Self::from_root(bytes, root),
        }
    }

    /// Each image gives `bytes` bytes to the next one.
    pub fn to_next(bytes: usize) -> Self {
        let is_last = this_image() + 1 == num_images();
        Self {
            out: if is_last { 0 } else { bytes },
            from: this_image().checked_sub(1).into_iter().collect(),
            each: bytes,
        }
    }

    fn without_receiving(self) -> Self {
        Self {
            from: Vec::new(),
            ..self
        }
    }
}
