//! The layout of a descriptor in its owner's heap: what an image contributes to one asynchronous collective.
//!
//! ```text
//! | link, signature, lengths (a cache line) | payload | name of the source file | subject |
//! ```
//!
//! A long payload has a block of its own, which the owner can free while other images still need the descriptor's link.
//!
//! The two texts are for the report of a mismatch. Each descriptor has a copy, because processes may map each other's
//! static texts at other addresses or not at all.

use std::marker::PhantomData;
use std::ptr;

use crate::call::Call;
use crate::lockfree::arrival::Signature;
use crate::lockfree::log::Link;

/// Alignment of descriptors and payloads.
pub(crate) const ALIGN: usize = 64;

/// The longest text, in bytes.
const TEXT: usize = 196;

/// The fixed part at the start of a descriptor.
#[derive(Debug)]
#[repr(C, align(64))]
struct Head {
    link: Link,
    signature: Signature,
    payload: u64,
    /// Distance in bytes from the descriptor to its payload; negative if the payload's block is lower in the heap.
    distance: i64,
    line: u32,
    column: u16,
    file: u8,
    subject: u8,
}

/// The distance of a payload inside the descriptor.
const INSIDE: i64 = size_of::<Head>() as i64;

const _: () = assert!(TEXT <= u8::MAX as usize);

const _: () = assert!(size_of::<Head>() == ALIGN && align_of::<Head>() == ALIGN);

/// A descriptor to be written.
pub(crate) struct DescriptorBuilder<'a> {
    call: &'a Call,
    pieces: &'a [&'a [u8]],
    payload: usize,
    file: &'a str,
    subject: &'a str,
}

impl<'a> DescriptorBuilder<'a> {
    /// The descriptor of `call`, to which the image contributes the concatenated `pieces`.
    ///
    /// # Panics
    /// If the pieces are longer than an address space.
    pub(crate) fn new(call: &'a Call, pieces: &'a [&'a [u8]]) -> Self {
        let payload = pieces.iter().try_fold(0_usize, |sum, piece| {
            sum.checked_add(piece.len())
                .filter(|&sum| sum < isize::MAX as usize)
        });
        Self {
            call,
            pieces,
            payload: payload.expect("the values of one image fit its address space"),
            // The end of a path is the file's name.
            file: tail(call.caller().file()),
            subject: head(call.subject()),
        }
    }

    /// Size without the payload, in bytes.
    pub(crate) fn bare_size(&self) -> usize {
        size_of::<Head>() + self.file.len() + self.subject.len()
    }

    /// Size of the payload, in bytes.
    pub(crate) fn payload_size(&self) -> usize {
        self.payload
    }

    /// Writes the descriptor at `place`, and its payload at `separate` or else inside the descriptor.
    ///
    /// # Safety
    /// * `place` and `separate` are aligned to [`ALIGN`] and lie in one heap.
    /// * `separate` is valid for writes of [`payload_size`](Self::payload_size) bytes and `place` for writes of
    ///   [`bare_size`](Self::bare_size) bytes; without `separate`, `place` is valid for writes of the sum.
    /// * Nobody else accesses these bytes during the call.
    pub(crate) unsafe fn write(&self, place: *mut u8, separate: Option<*mut u8>) {
        let caller = self.call.caller();
        let distance = match separate {
            Some(separate) => separate.addr().wrapping_sub(place.addr()) as i64,
            None => INSIDE,
        };
        let head = Head {
            link: Link::default(),
            signature: *self.call.signature(),
            payload: self.payload as u64,
            distance,
            line: caller.line(),
            column: caller.column().try_into().unwrap_or(u16::MAX),
            file: self.file.len() as u8,
            subject: self.subject.len() as u8,
        };
        let texts = [self.file.as_bytes(), self.subject.as_bytes()];
        // SAFETY: `place` is aligned for `Head`, whose alignment is `ALIGN` (asserted above), and valid for writes of
        // the head and the texts, `bare_size` bytes together, and `separate` or the rest of `place` for `payload_size`
        // bytes, the length of all pieces: the caller vouches for these ranges. So `place.add` stays inside the range.
        unsafe {
            place.cast::<Head>().write(head);
            let inside = place.add(size_of::<Head>());
            let end = write_all(separate.unwrap_or(inside), self.pieces);
            write_all(separate.map_or(end, |_| inside), &texts);
        }
    }
}

/// Writes the pieces one after the other; returns the end.
///
/// # Safety
/// `place` is valid for writes of the length of all pieces, and no piece overlaps these bytes.
unsafe fn write_all(place: *mut u8, pieces: &[&[u8]]) -> *mut u8 {
    pieces.iter().fold(place, |place, piece| {
        // SAFETY: pieces are slices, so valid for reads; `place` is valid for writes of this and all later pieces and
        // overlaps none, as the caller vouches; so `add` stays inside that range or at its end.
        unsafe {
            ptr::copy_nonoverlapping(piece.as_ptr(), place, piece.len());
            place.add(piece.len())
        }
    })
}

fn tail(text: &str) -> &str {
    let start = text.len().saturating_sub(TEXT);
    let start = (start..=text.len()).find(|&start| text.is_char_boundary(start));
    &text[start.unwrap_or(text.len())..]
}

fn head(text: &str) -> &str {
    let ends = 0..=text.len().min(TEXT);
    let end = ends.rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// A descriptor that its owner has posted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptor<'a> {
    place: *const u8,
    lives: PhantomData<&'a Head>,
}

impl<'a> Descriptor<'a> {
    /// Bytes at the start of a descriptor from which [`length`](Self::length) can be computed.
    pub(crate) const HEAD: usize = size_of::<Head>();

    /// Offset of an inside payload from the start of the descriptor.
    pub(crate) const INSIDE: usize = INSIDE as usize;

    /// The descriptor at `place`.
    ///
    /// # Safety
    /// During `'a`, one of these holds:
    /// * A [`DescriptorBuilder`] wrote a descriptor at `place`, in a heap for the whole of which the pointer is valid
    ///   for reads; the write is visible to this image, and nothing there changes but the link.
    /// * A copy of a descriptor, or of its first bytes, is at `place`, aligned to [`ALIGN`] and unchanged; then the
    ///   methods read no further than the copy.
    pub(crate) unsafe fn at(place: *const u8) -> Self {
        Self {
            place,
            lives: PhantomData,
        }
    }

    fn head(self) -> &'a Head {
        // SAFETY: `at` was called with a pointer to a descriptor, which begins with an initialised `Head`, aligned to
        // `ALIGN`. During `'a` nothing in it changes but the link, which is an atomic.
        unsafe { &*self.place.cast::<Head>() }
    }

    pub(crate) fn link(self) -> &'a Link {
        &self.head().link
    }

    pub(crate) fn signature(self) -> &'a Signature {
        &self.head().signature
    }

    /// How many bytes the owner contributes.
    pub(crate) fn payload_size(self) -> usize {
        self.head().payload as usize
    }

    /// Where the payload is.
    pub(crate) fn payload(self) -> *const u8 {
        self.place.wrapping_offset(self.head().distance as isize)
    }

    /// Size of the descriptor in bytes, including an inside payload.
    pub(crate) fn length(self) -> usize {
        let head = self.head();
        self.texts() + usize::from(head.file) + usize::from(head.subject)
    }

    /// Offset of the texts.
    fn texts(self) -> usize {
        let head = self.head();
        let is_inside = head.distance == INSIDE;
        size_of::<Head>() + if is_inside { head.payload as usize } else { 0 }
    }

    /// The source line of the owner's call, and its subject.
    pub(crate) fn call_texts(self) -> [String; 2] {
        let &Head {
            line,
            column,
            file,
            subject,
            ..
        } = self.head();
        let start = self.texts();
        let text = |start: usize, length: u8| {
            // SAFETY: the builder wrote texts of these lengths behind the head or behind the inside payload, and nobody
            // writes them again.
            let bytes = unsafe { self.part(start as isize, length as usize) };
            String::from_utf8_lossy(bytes).into_owned()
        };
        let (file, subject) = (text(start, file), text(start + file as usize, subject));
        [format!("{file}:{line}:{column}"), subject]
    }

    /// # Safety
    /// `length` initialised bytes lie at `distance` from the descriptor in the same heap or copy, and nobody writes
    /// them during `'a`.
    unsafe fn part(self, distance: isize, length: usize) -> &'a [u8] {
        // SAFETY: the pointer that `at` got is valid for the whole heap or copy, so `offset` stays inside one
        // allocation and the slice is valid for reads; the caller vouches for `length` initialised bytes that nobody
        // writes during `'a`. `u8` needs no alignment.
        unsafe { std::slice::from_raw_parts(self.place.offset(distance), length) }
    }
}
