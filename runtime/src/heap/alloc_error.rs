//! The error of an allocation that does not fit, with everything one needs to make it fit.

use std::fmt;

use crate::job::image_failed::ImageFailed;
use coarray_fabric::system::display_size::Bytes;
use coarray_fabric::system::type_name::short;

/// How many users an error lists.
const LISTED: usize = 5;

/// Coarrays of one type that were created at one place in the program.
///
/// # Examples
/// See [`AllocError`].
///
/// # Source
/// Its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeapUser {
    /// Their bytes on this image, together.
    pub bytes: usize,
    /// Their number.
    pub count: usize,
    /// The type.
    pub subject: &'static str,
    /// The place, as file:line:column.
    pub caller: String,
}

/// Why an allocation failed. All images get the error of a collective allocation, and nothing else changes.
///
/// # Examples
/// A program that asks who takes its memory:
/// ```
/// use coarray::AllocError;
/// use coarray::prelude::*;
///
/// let largest = coarray::Launch::new(2).heap(1 << 20).run(|| {
///     let _field = Coarray::<[f64; 1 << 16]>::zeroed();
///     let _flags = Coarray::<[u8; 1 << 10]>::zeroed();
///     match Coarray::<[f64; 1 << 17]>::try_zeroed() {
///         Err(AllocError::HeapExhausted { users, .. }) => users[0].bytes,
///         other => panic!("{other:?}"),
///     }
/// });
/// assert_eq!(largest.unwrap(), [8 << 16; 2]);
/// ```
///
/// # Source
/// Fortran 2018 `allocate` with `stat` and `errmsg`, clauses 9.7.4 and 9.7.5.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllocError {
    /// The size does not fit in an address space.
    TooLarge {
        /// The leading extent asked for.
        length: usize,
        /// The type of one element.
        subject: &'static str,
    },
    /// The heap that was reserved for each image is full.
    HeapExhausted {
        /// Bytes requested on each image.
        requested: usize,
        /// Their purpose.
        subject: &'static str,
        /// Bytes of heap reserved for each image.
        heap: usize,
        /// An image whose heap has no room.
        full: usize,
        /// This image.
        image: usize,
        /// Bytes in use on this image.
        used: usize,
        /// Of these, bytes that this image dropped and other images have not released.
        waiting: usize,
        /// The users of the others, largest first.
        users: Vec<HeapUser>,
    },
    /// The machine has no memory left for pages that were reserved.
    NoMemory {
        /// Bytes requested on each image.
        requested: usize,
        /// Their purpose.
        subject: &'static str,
        /// An image that got none.
        image: usize,
        /// The operating system's reason, if this image is that one.
        reason: String,
        /// The users of memory on this image, largest first.
        users: Vec<HeapUser>,
    },
    /// Images that must take part have failed.
    ImageFailed(
        /// These images.
        ImageFailed,
    ),
}

impl fmt::Display for AllocError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { length, subject } => write!(
                formatter,
                "cannot allocate {length} x {}: the size in bytes overflows",
                short(subject)
            ),
            Self::HeapExhausted {
                requested,
                subject,
                heap,
                full,
                image,
                used,
                waiting,
                users,
            } => write!(
                formatter,
                "cannot allocate {} for {}: image {full} has no room; of the heap of {} \
                 an image, {} are in use on image {image}{}\n{}set COARRAY_HEAP to more \
                 than {}",
                Bytes(*requested),
                short(subject),
                Bytes(*heap),
                Bytes(*used),
                AwaitingRelease(*waiting),
                HeapUsers(users),
                Bytes(heap.saturating_add(*requested))
            ),
            Self::NoMemory {
                requested,
                subject,
                image,
                reason,
                users,
            } => write!(
                formatter,
                "cannot allocate {} for {}: image {image} got no memory from the system \
                 ({reason})\n{}use fewer images, a smaller problem, or a machine with \
                 more memory",
                Bytes(*requested),
                short(subject),
                HeapUsers(users)
            ),
            Self::ImageFailed(what) => write!(formatter, "cannot create a coarray: {what}"),
        }
    }
}

impl std::error::Error for AllocError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::ImageFailed(source) => Some(source),
            _ => None,
        }
    }
}

impl From<ImageFailed> for AllocError {
    fn from(error: ImageFailed) -> Self {
        Self::ImageFailed(error)
    }
}

/// The text of the error: `unwrap`, and a `main` that returns the error, print who uses the memory and what to do.
impl fmt::Debug for AllocError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

struct AwaitingRelease(usize);

impl fmt::Display for AwaitingRelease {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            bytes => write!(
                formatter,
                ", {} of them in coarrays that this image dropped and others did not",
                Bytes(bytes)
            ),
        }
    }
}

struct HeapUsers<'a>(&'a [HeapUser]);

impl fmt::Display for HeapUsers<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        writeln!(formatter, "largest users:")?;
        for HeapUser {
            bytes,
            count,
            subject,
            caller,
        } in self.0.iter().take(LISTED)
        {
            let many = if *count == 1 {
                String::new()
            } else {
                format!("{count} x ")
            };
            writeln!(
                formatter,
                "  {:>10}  {many}{} created at {caller}",
                Bytes(*bytes).to_string(),
                short(subject)
            )?;
        }
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => writeln!(formatter, "  and {more} more"),
        }
    }
}
