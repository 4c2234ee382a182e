//! Pumps the output of images from their pipes to our own streams.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::io::{Errno, ioctl_fionread, read};

use crate::children::Children;
use crate::nonblocking_stdout::NonblockingStdout;
use crate::output::{Display, Lines, Source, Stream};
use crate::terminal;
use coarray_runtime::Settings;

/// The most bytes buffered for the readers of our output. Beyond that images block.
const BACKLOG: usize = 256 << 10;

/// Bytes to read at once.
const BUFFER: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct Pump {
    lines: Lines,
    outlets: [NonblockingStdout; 2],
    /// Both our streams are taken to be the same terminal.
    is_one_terminal: bool,
    buffer: Vec<u8>,
}

impl Pump {
    pub(crate) fn new(settings: &Settings) -> Self {
        let display = Display {
            label: settings.label,
            terminals: terminal::own(),
        };
        Self {
            lines: Lines::new(settings.images, display),
            outlets: Stream::ALL.map(NonblockingStdout::new),
            is_one_terminal: display.terminals == [true; 2],
            buffer: vec![0; BUFFER],
        }
    }

    /// Where to wait for something to read.
    pub(crate) fn sources<'a>(&self, children: &'a Children) -> Vec<(Source, &'a OwnedFd)> {
        let streams = Stream::ALL.into_iter();
        streams
            .filter(|&stream| self.lines.backlog(stream) < BACKLOG)
            .flat_map(|stream| {
                children
                    .iter()
                    .enumerate()
                    .filter_map(move |(image, process)| {
                        Some((Source { image, stream }, process.pipe(stream)?))
                    })
            })
            .collect()
    }

    /// Where to wait for room to write.
    pub(crate) fn outlets(&self) -> impl Iterator<Item = &NonblockingStdout> {
        Stream::ALL
            .into_iter()
            .filter(|&stream| self.lines.backlog(stream) > 0)
            .map(|stream| &self.outlets[stream as usize])
            .filter(|stdout| stdout.rest().is_none())
    }

    /// Reads once from `source`, and returns how many bytes that were.
    pub(crate) fn read(&mut self, source: Source, children: &mut Children) -> usize {
        let Some(pipe) = children[source.image].pipe(source.stream) else {
            return 0;
        };
        match read(pipe, &mut self.buffer) {
            Ok(length) if length > 0 => {
                let bytes = &self.buffer[..length];
                self.lines.feed(source, bytes, Instant::now());
                length
            }
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Ok(_) | Err(_) => {
                self.close(source, children);
                0
            }
        }
    }

    /// Reads what ended images left in their pipes. Does not wait for processes that they left
    /// behind, which may hold the pipes open and go on writing.
    pub(crate) fn read_the_rest(&mut self, children: &mut Children) {
        for stream in Stream::ALL {
            for image in 0..children.len() {
                let source = Source { image, stream };
                self.drain(source, children);
                self.close(source, children);
            }
        }
    }

    /// Says on our standard error what became of an ended image, after all that it wrote. Its pipes
    /// stay open for processes that it left behind.
    pub(crate) fn note(&mut self, image: usize, text: &str, children: &mut Children) {
        for stream in Stream::ALL {
            let source = Source { image, stream };
            self.drain(source, children);
            self.lines.finish(source);
        }
        self.lines.note(text, false);
    }

    /// Says how the job ended on our standard error, after all that was read. `behind_a_key`: a terminal shows one that
    /// was pressed, and stays behind it.
    pub(crate) fn conclude(&mut self, text: &str, behind_a_key: bool) {
        self.lines.note(text, behind_a_key);
    }

    /// Reads what now waits in a pipe.
    fn drain(&mut self, source: Source, children: &mut Children) {
        let Some(pipe) = children[source.image].pipe(source.stream) else {
            return;
        };
        let mut left = ioctl_fionread(pipe).unwrap_or(0);
        while left > 0 {
            match self.read(source, children) {
                0 => break,
                length => left = left.saturating_sub(length as u64),
            }
        }
    }

    fn close(&mut self, source: Source, children: &mut Children) {
        children[source.image].close(source.stream);
        self.lines.finish(source);
    }

    /// Writes what our readers take at once. On an error, what the stream did not take is
    /// forgotten.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        self.lines.pass_prompts(Instant::now());
        for stream in Stream::ALL {
            let is_first = stream == Stream::Output || self.lines.backlog(Stream::Output) == 0;
            if is_first || !self.is_one_terminal {
                let ready = self.lines.ready(stream);
                let result = self.outlets[stream as usize].write_what_fits(ready);
                result.inspect_err(|_| ready.clear())?;
            }
        }
        Ok(())
    }

    /// When to [`write`](Self::write) even if nothing else happens.
    pub(crate) fn due(&self) -> Option<Instant> {
        let rests = self.outlets.iter().filter_map(NonblockingStdout::rest);
        rests.chain(self.lines.due()).min()
    }

    /// Whether all that was read has been written, but for unfinished lines.
    pub(crate) fn is_done(&self) -> bool {
        self.lines.is_written()
    }

    /// Forgets what could not be written yet to our standard output.
    pub(crate) fn discard_output(&mut self) {
        self.lines.ready(Stream::Output).clear();
    }
}
