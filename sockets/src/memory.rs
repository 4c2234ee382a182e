//! The memory of this image that others reach, and the way between memory and a connection.

use std::io::{self, Read, Write};

use coarray_fabric::direct;
use coarray_fabric::memory::region::Region;

/// Bytes that are copied at once. A multiple of any element's alignment, so that no element is torn.
const PIECE: usize = 1 << 16;

/// The part of this image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    start: *mut u8,
    length: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread. It is accessed by `direct` and by atomic words, which may race.
unsafe impl Send for Memory {}

impl Memory {
    /// # Safety
    /// The result is used only while the region is mapped.
    pub(crate) unsafe fn of(region: &Region, image: usize) -> Self {
        Self {
            start: region.part_address(image, 0),
            length: region.dimensions().stride,
        }
    }

    /// The address of `length` bytes at `offset`.
    ///
    /// # Errors
    /// If they are not all in the part.
    pub(crate) fn place(&self, offset: usize, length: usize) -> io::Result<*mut u8> {
        match offset.checked_add(length) {
            // SAFETY: the offset is in the part, as was just compared.
            Some(end) if end <= self.length => Ok(unsafe { self.start.add(offset) }),
            _ => Err(io::Error::other(format!(
                "{length} bytes at {offset} are outside of the memory of an image"
            ))),
        }
    }
}

/// Reads `length` bytes from a connection to `target`.
///
/// # Safety
/// `target` is valid for writes of `length` bytes, which may race with accesses as `direct` allows them.
pub(crate) unsafe fn read(from: &mut impl Read, target: *mut u8, length: usize) -> io::Result<()> {
    let mut piece = vec![0; length.min(PIECE)];
    let mut done = 0;
    while done < length {
        let piece = &mut piece[..PIECE.min(length - done)];
        from.read_exact(piece)?;
        // SAFETY: the caller vouches for the target, in which this piece lies; the source is our own.
        unsafe { direct::copy(target.add(done), piece.as_ptr(), piece.len()) };
        done += piece.len();
    }
    Ok(())
}

/// Writes `length` bytes at `source` to a connection.
///
/// # Safety
/// `source` is valid for reads of `length` bytes, which may race with accesses as `direct` allows them.
pub(crate) unsafe fn write(
    to: &mut impl Write,
    source: *const u8,
    length: usize,
) -> io::Result<()> {
    let mut piece = vec![0; length.min(PIECE)];
    let mut done = 0;
    while done < length {
        let piece = &mut piece[..PIECE.min(length - done)];
        // SAFETY: the caller vouches for the source, in which this piece lies; the target is our own.
        unsafe { direct::copy(piece.as_mut_ptr(), source.add(done), piece.len()) };
        to.write_all(piece)?;
        done += piece.len();
    }
    Ok(())
}
