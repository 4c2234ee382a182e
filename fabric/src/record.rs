//! The layout of a record in its owner's heap: what an image contributes to one asynchronous collective.
//!
//! ```text
//! | link, tag, lengths (a cache line) | payload | name of the source file | subject |
//! ```
//!
//! The two texts are for the report of a mismatch. Processes may see each other's texts at other addresses, or
//! not at all, so each record has a copy.

use std::marker::PhantomData;
use std::ptr;

use crate::call::{self, Call};
use crate::card::Tag;
use crate::posts::Link;
use crate::team::Team;

/// Alignment of a record, and of its payload.
pub(crate) const ALIGN: usize = 64;

/// Most bytes of each text.
const TEXT: usize = 196;

/// The start of a record.
#[derive(Debug)]
#[repr(C, align(64))]
struct Head {
    link: Link,
    tag: Tag,
    payload: u64,
    line: u32,
    column: u32,
    file: u32,
    subject: u32,
}

const _: () = assert!(size_of::<Head>() == ALIGN && align_of::<Head>() == ALIGN);

/// A record that is to be written.
pub(crate) struct Draft<'a> {
    call: &'a Call,
    pieces: &'a [&'a [u8]],
    payload: usize,
    file: &'a str,
    subject: &'a str,
}

impl<'a> Draft<'a> {
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

    /// How many bytes the record takes.
    pub(crate) fn size(&self) -> usize {
        size_of::<Head>() + self.payload + self.file.len() + self.subject.len()
    }

    /// Writes the record.
    ///
    /// # Safety
    /// `place` is aligned to [`ALIGN`] and valid for writes of [`size`](Self::size) bytes, which nobody else
    /// touches.
    pub(crate) unsafe fn write(&self, place: *mut u8) {
        let caller = self.call.caller();
        let head = Head {
            link: Link::default(),
            tag: *self.call.tag(),
            payload: self.payload as u64,
            line: caller.line(),
            column: caller.column(),
            file: self.file.len() as u32,
            subject: self.subject.len() as u32,
        };
        let texts = [self.file.as_bytes(), self.subject.as_bytes()];
        // SAFETY: the head and the pieces after it are `size` bytes together, which the caller vouches for.
        unsafe {
            place.cast::<Head>().write(head);
            let mut end = place.add(size_of::<Head>());
            for piece in self.pieces.iter().chain(&texts) {
                ptr::copy_nonoverlapping(piece.as_ptr(), end, piece.len());
                end = end.add(piece.len());
            }
        }
    }
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
pub(crate) struct Record<'a> {
    place: *const u8,
    lives: PhantomData<&'a Head>,
}

impl<'a> Record<'a> {
    /// The record at that place.
    ///
    /// # Safety
    /// A [`Draft`] was written there, which this image can see, and only links change there during `'a`.
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

    pub(crate) fn tag(self) -> &'a Tag {
        &self.head().tag
    }

    /// What the owner contributes.
    pub(crate) fn payload(self) -> &'a [u8] {
        self.part(0, self.head().payload as usize)
    }

    /// The owner's call in words.
    pub(crate) fn describe(self, team: &Team) -> String {
        let Head {
            payload,
            line,
            column,
            file,
            subject,
            ..
        } = self.head();
        let (payload, length) = (*payload as usize, *file as usize);
        let file = String::from_utf8_lossy(self.part(payload, length));
        let subject = String::from_utf8_lossy(self.part(payload + length, *subject as usize));
        let caller = format!("{file}:{line}:{column}");
        call::describe(*self.tag(), &subject, &caller, team)
    }

    fn part(self, start: usize, length: usize) -> &'a [u8] {
        // SAFETY: the parts follow the head, with the lengths that it says; nobody writes them.
        unsafe { std::slice::from_raw_parts(self.place.add(size_of::<Head>() + start), length) }
    }
}
