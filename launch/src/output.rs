//! Merges what the images print, line by line, so that no line is torn by another.
//!
//! Bytes go in as they are read from the images' pipes and come out in whole lines, in order for
//! each image and stream. Without labels nothing is added to what goes to a file or a pipe,
//! whatever the bytes are. A line that grows beyond its image's share of [`ROOM`] comes out in pieces, and lines of
//! other images may come between these: holding those back could stall an image that the writer is
//! waiting for.
//!
//! A terminal has a person in front of it. There image 0, the one that can read input, may show a
//! prompt or a progress bar: its unfinished line is forwarded once it pauses, or at a carriage
//! return. If somebody else's line follows, it starts on a line of its own.

use std::io::Write;
use std::mem;
use std::time::{Duration, Instant};

/// Bytes of all unfinished lines of a stream that are kept waiting for their ends.
const ROOM: usize = 64 << 20;

/// An image's share of it is not less.
const LEAST: usize = 64 << 10;

/// How long an unfinished line rests before it is taken for a prompt.
const REST: Duration = Duration::from_millis(50);

/// The streams a process writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Output = 0,
    Error = 1,
}

impl Stream {
    pub(crate) const ALL: [Self; 2] = [Self::Output, Self::Error];
}

/// One stream of one image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) image: usize,
    pub(crate) stream: Stream,
}

/// How to show lines to whoever reads them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Display {
    /// Whether each line starts with the number of its image.
    pub(crate) label: bool,
    /// Which of our own streams are terminals.
    pub(crate) terminals: [bool; 2],
}

/// The lines of all images on their way to our own streams.
#[derive(Debug)]
pub(crate) struct Lines {
    display: Display,
    /// An image's share of the room.
    longest: usize,
    /// Digits of the largest image number.
    width: usize,
    /// What each source has written of a line that is not complete.
    unfinished: Vec<[Vec<u8>; 2]>,
    /// When to pass on the unfinished lines of image 0.
    due: [Option<Instant>; 2],
    /// What can be written to each of our streams.
    ready: [Vec<u8>; 2],
    /// Whose line was left without an end on each of our streams. Two terminals are taken to be the
    /// same one, which uses the first entry.
    open: [Option<Source>; 2],
}

impl Lines {
    pub(crate) fn new(images: usize, display: Display) -> Self {
        Self {
            display,
            longest: (ROOM / images).max(LEAST),
            width: (images - 1).to_string().len(),
            unfinished: vec![Default::default(); images],
            due: [None; 2],
            ready: Default::default(),
            open: [None; 2],
        }
    }

    /// Takes what `source` wrote, at the time `now`.
    pub(crate) fn feed(&mut self, source: Source, bytes: &[u8], now: Instant) {
        let stream = source.stream as usize;
        let may_prompt = source.image == 0 && self.display.terminals[stream];
        let ends_line = |&byte: &u8| byte == b'\n' || (may_prompt && byte == b'\r');

        let unfinished = &mut self.unfinished[source.image][stream];
        let before = unfinished.len();
        unfinished.extend_from_slice(bytes);
        let length = unfinished.len();
        let whole = bytes
            .iter()
            .rposition(ends_line)
            .map_or(0, |last| before + last + 1);
        self.pass(
            source,
            if length - whole > self.longest {
                length
            } else {
                whole
            },
        );

        if may_prompt {
            let rests = !self.unfinished[0][stream].is_empty();
            self.due[stream] = rests.then(|| now + REST);
        }
    }

    /// When [`pass_prompts`](Self::pass_prompts) will have something to do if nothing else comes.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due.into_iter().flatten().min()
    }

    /// Passes on those unfinished lines that have rested long enough.
    pub(crate) fn pass_prompts(&mut self, now: Instant) {
        for stream in Stream::ALL {
            if self.due[stream as usize].is_some_and(|due| due <= now) {
                self.due[stream as usize] = None;
                self.pass_all(Source { image: 0, stream });
            }
        }
    }

    /// Passes on the last line of `source`, which writes no more.
    pub(crate) fn finish(&mut self, source: Source) {
        self.pass_all(source);
        if source.image == 0 {
            self.due[source.stream as usize] = None;
        }
        if self.display.label && *self.open(source.stream) == Some(source) {
            *self.open(source.stream) = None;
            self.ready(source.stream).push(b'\n');
        }
    }

    /// Takes whole lines that are from none of the images, for our own standard error. They are no
    /// continuation of what stands there; `is_open` if that is a line of which nothing is known here.
    pub(crate) fn note(&mut self, text: &str, is_open: bool) {
        if self.open(Stream::Error).take().is_some() || is_open {
            self.ready(Stream::Error).push(b'\n');
        }
        self.ready(Stream::Error).extend_from_slice(text.as_bytes());
    }

    /// What can be written to our own `stream`. The caller removes what it has written.
    pub(crate) fn ready(&mut self, stream: Stream) -> &mut Vec<u8> {
        &mut self.ready[stream as usize]
    }

    /// Bytes that can be written to our own `stream`.
    pub(crate) fn backlog(&self, stream: Stream) -> usize {
        self.ready[stream as usize].len()
    }

    /// Whether all that can be written has been.
    pub(crate) fn is_written(&self) -> bool {
        self.ready.iter().all(Vec::is_empty)
    }

    fn pass_all(&mut self, source: Source) {
        let length = self.unfinished[source.image][source.stream as usize].len();
        self.pass(source, length);
    }

    /// Makes the first `length` bytes of an unfinished line ready.
    fn pass(&mut self, source: Source, length: usize) {
        let place = (source.image, source.stream as usize);
        let mut bytes = mem::take(&mut self.unfinished[place.0][place.1]);
        if self.display.label {
            for line in bytes[..length].split_inclusive(|&byte| byte == b'\n') {
                self.append(source, line);
            }
        } else if length > 0 {
            self.append(source, &bytes[..length]);
        }
        bytes.drain(..length);
        self.unfinished[place.0][place.1] = bytes;
    }

    /// Appends a line, a part of one, or (without labels) several lines.
    fn append(&mut self, source: Source, piece: &[u8]) {
        let Source { image, stream } = source;
        let Display { label, terminals } = self.display;
        let (open, width) = (*self.open(stream), self.width);
        let ready = self.ready(stream);
        if open != Some(source) {
            if open.is_some() && (label || terminals[stream as usize]) {
                ready.push(b'\n');
            }
            if label {
                write!(ready, "[{image:>width$}] ").expect("a Vec takes everything");
            }
        }
        ready.extend_from_slice(piece);
        *self.open(stream) = (!piece.ends_with(b"\n")).then_some(source);
    }

    fn open(&mut self, stream: Stream) -> &mut Option<Source> {
        let shared = self.display.terminals == [true; 2];
        &mut self.open[if shared { 0 } else { stream as usize }]
    }
}

#[cfg(test)]
mod tests;
