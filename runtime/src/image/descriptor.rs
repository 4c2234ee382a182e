//! The layout of a record in its owner's heap: what an image contributes to one asynchronous collective.
//!
//! ```text
//! | link, signature, lengths (a cache line) | payload | name of the source file | subject |
//! ```
//!
//! A long payload is in a block of its own, which the owner can free while the record is still needed for its link.
//!
//! The two texts are for the report of a mismatch. Processes may see each other's texts at other addresses, or
//! not at all, so each record has a copy.

use std::marker::PhantomData;
use std::ptr;

use crate::call::Call;
use crate::lockfree::arrival::Signature;
use crate::lockfree::log::Link;

/// Alignment of a record, and of its payload.
pub(crate) const ALIGN: usize = 64;

/// Most bytes of each text.
const TEXT: usize = 196;

/// The start of a record.
#[derive(Debug)]
#[repr(C, align(64))]
struct Head {
    link: Link,
    signature: Signature,
    payload: u64,
    /// How far after the record the payload begins, or before.
    distance: i64,
    line: u32,
    column: u16,
    file: u8,
    subject: u8,
}

/// The distance of a payload that is part of the record.
const INSIDE: i64 = size_of::<Head>() as i64;

const _: () = assert!(TEXT <= u8::MAX as usize);

const _: () = assert!(size_of::<Head>() == ALIGN && align_of::<Head>() == ALIGN);

/// A record that is to be written.
pub(crate) struct DescriptorBuilder<'a> {
    call: &'a Call,
    pieces: &'a [&'a [u8]],
    payload: usize,
    file: &'a str,
    subject: &'a str,
}

impl<'a> DescriptorBuilder<'a> {
    /// For a call to which an image contributes these bytes, one piece after the other.
    ///
    /// # Panics
    /// If they are more than an address space has.
    pub(crate) fn new(call: &'a Call, pieces: &'a [&'a [u8]]) -> Self {
        let payload = pieces.iter().try_fold(0_usize, |sum, piece| {
            sum.checked_add(piece.len())
                .filter(|&sum| sum < isize::MAX as usize)
        });
        Self {
            call,
            pieces,
            payload: payload.expect("the values of one image fit its address space"),
            // The name of the file is at the end.
            file: tail(call.caller().file()),
            subject: head(call.subject()),
        }
    }

    /// How many bytes the record takes without its payload.
    pub(crate) fn bare_size(&self) -> usize {
        size_of::<Head>() + self.file.len() + self.subject.len()
    }

    /// How many bytes the payload takes.
    pub(crate) fn payload_size(&self) -> usize {
        self.payload
    }

    /// Writes the record, and its payload to `apart` if it is not to be part of it.
    ///
    /// # Safety
    /// `place` and `apart` lie in one heap, are aligned to [`ALIGN`], and are valid for writes of
    /// [`bare_size`](Self::bare_size) and [`payload_size`](Self::payload_size) bytes, or `place` of the sum of these
    /// without `apart`; nobody else touches those bytes.
    pub(crate) unsafe fn write(&self, place: *mut u8, apart: Option<*mut u8>) {
        let caller = self.call.caller();
        let distance = match apart {
            Some(apart) => apart.addr().wrapping_sub(place.addr()) as i64,
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
        // SAFETY: the head and the texts are `bare_size` bytes together and the pieces are `payload_size`, for which the
        // caller vouches.
        unsafe {
            place.cast::<Head>().write(head);
            let inside = place.add(size_of::<Head>());
            let end = write_all(apart.unwrap_or(inside), self.pieces);
            write_all(apart.map_or(end, |_| inside), &texts);
        }
    }
}

/// Writes pieces one after the other; returns where they end.
///
/// # Safety
/// `place` is valid for writes of all of them.
unsafe fn write_all(place: *mut u8, pieces: &[&[u8]]) -> *mut u8 {
    pieces.iter().fold(place, |place, piece| {
        // SAFETY: the caller vouches for the place.
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

/// A record that its owner has posted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descriptor<'a> {
    place: *const u8,
    lives: PhantomData<&'a Head>,
}

impl<'a> Descriptor<'a> {
    /// Bytes at the start of a record that say how long it is.
    pub(crate) const HEAD: usize = size_of::<Head>();

    /// Where the payload of a record is that is part of it, from its start.
    pub(crate) const INSIDE: usize = INSIDE as usize;

    /// The record at that place.
    ///
    /// # Safety
    /// A [`DescriptorBuilder`] was written there, in a heap for the whole of which the pointer is valid; this image can see it, and
    /// only links change there during `'a`. Or a copy of one is there, without what is not asked for.
    pub(crate) unsafe fn at(place: *const u8) -> Self {
        Self {
            place,
            lives: PhantomData,
        }
    }

    fn head(self) -> &'a Head {
        // SAFETY: who made this vouched for the record, which starts with its head.
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

    /// What the owner contributes.
    ///
    /// # Safety
    /// The owner leaves the payload where it is during `'a`.
    pub(crate) unsafe fn payload(self) -> &'a [u8] {
        // SAFETY: the payload has that length and begins at that distance, in the same heap; nobody writes it.
        unsafe { self.part(self.head().distance as isize, self.payload_size()) }
    }

    /// How many bytes the record takes, with its payload if that is part of it.
    pub(crate) fn length(self) -> usize {
        let head = self.head();
        self.texts() + usize::from(head.file) + usize::from(head.subject)
    }

    /// Where its texts begin.
    fn texts(self) -> usize {
        let head = self.head();
        let is_inside = head.distance == INSIDE;
        size_of::<Head>() + if is_inside { head.payload as usize } else { 0 }
    }

    /// Where the owner called, and on what.
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
            // SAFETY: the texts follow the head, or the payload behind it, with the lengths that it says.
            let bytes = unsafe { self.part(start as isize, length as usize) };
            String::from_utf8_lossy(bytes).into_owned()
        };
        let (file, subject) = (text(start, file), text(start + file as usize, subject));
        [format!("{file}:{line}:{column}"), subject]
    }

    /// # Safety
    /// So many bytes lie at that distance from the record in the same heap, and nobody writes them during `'a`.
    unsafe fn part(self, distance: isize, length: usize) -> &'a [u8] {
        // SAFETY: the caller vouches for it.
        unsafe { std::slice::from_raw_parts(self.place.offset(distance), length) }
    }
}
