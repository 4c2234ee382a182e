//! The timeline of a job: a file that the Perfetto viewer shows.

mod arrows;
pub(crate) mod beside;
pub(crate) mod left;
#[cfg(feature = "cluster")]
pub(crate) mod of_node;
mod packets;
mod protobuf;

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::trace::arrows::Arrows;
use crate::trace::packets::{Packets, Track};
use coarray_runtime::{JobMemory, Settings, Steps, Timebase};

/// So many bytes are written at once, or a little more.
const PIECE: usize = 1 << 20;

/// The file of a timeline, while the job runs.
#[derive(Debug)]
pub(crate) struct TraceFile {
    path: PathBuf,
    file: File,
    /// Whether nobody else adds to it.
    is_own: bool,
}

/// Says something on stderr. Without one there is nobody to tell.
pub(crate) fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Images of one machine, and what is known of them.
#[derive(Debug)]
pub(crate) struct Traced<'a> {
    pub(crate) images: Vec<TracedImage<'a>>,
    /// The number of the machine, which is that of an image there, and its name.
    pub(crate) host: usize,
    pub(crate) host_name: String,
    /// What is added to its times, in nanoseconds.
    pub(crate) shift: i64,
    /// What turns their times into nanoseconds.
    pub(crate) timebase: Timebase,
}

/// An image, and where its records are.
#[derive(Debug)]
pub(crate) struct TracedImage<'a> {
    pub(crate) number: usize,
    pub(crate) process: Option<u32>,
    pub(crate) memory: &'a JobMemory,
    pub(crate) part: usize,
}

impl<'a> Traced<'a> {
    /// Images of this machine, their memory and their processes, in a job that has no others.
    pub(crate) fn here(images: impl Iterator<Item = (usize, &'a JobMemory, Option<u32>)>) -> Self {
        let image = |(number, memory, process)| TracedImage {
            number,
            process,
            memory,
            part: number,
        };
        let images: Vec<_> = images.map(image).collect();
        let begins = images
            .iter()
            .filter_map(|image| image.memory.begun(image.part));
        Self {
            timebase: Timebase::new(begins),
            images,
            host: 0,
            host_name: host_name(),
            shift: 0,
        }
    }
}

/// The name of this machine.
pub(crate) fn host_name() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}

impl TraceFile {
    /// The file that the settings ask for, which is empty then; if that is impossible, says so and takes the wish out of the settings.
    pub(crate) fn begin(settings: &mut Settings) -> Option<Self> {
        let path = settings.trace.clone()?;
        match Self::open(path) {
            Ok(file) => {
                file.empty();
                // They are of an earlier job.
                beside::remove(&file.path);
                Some(Self {
                    is_own: true,
                    ..file
                })
            }
            Err(text) => {
                tell(&text);
                settings.trace = None;
                None
            }
        }
    }

    /// That file, to which this is to be added.
    ///
    /// # Errors
    /// A line that says why it cannot be used.
    pub(crate) fn open(path: PathBuf) -> Result<Self, String> {
        let file = File::options().append(true).create(true).open(&path);
        match file {
            Ok(file) => Ok(Self {
                path,
                file,
                is_own: false,
            }),
            Err(error) => Err(format!(
                "coarray: there is no timeline: cannot write {}: {error}\n",
                path.display()
            )),
        }
    }

    fn empty(&self) {
        // Something else than a file has no length.
        let _ = self.file.set_len(0);
    }

    /// Adds what these images did. Returns what is to be said about that, in whole lines.
    pub(crate) fn write(&mut self, traced: &Traced<'_>) -> String {
        self.add(traced).unwrap_or_else(|failed| failed)
    }

    /// As [`write`](Self::write), of which an error says that it failed.
    fn add(&mut self, traced: &Traced<'_>) -> Result<String, String> {
        if self.is_own {
            // A job within this one may have used it as well.
            self.empty();
        }
        let steps = |image: &TracedImage<'_>| image.memory.steps(image.part, traced.timebase);
        let all = traced.images.iter();
        let images: Vec<(usize, Steps)> = all.map(|image| (image.number, steps(image))).collect();
        let lost: u64 = images.iter().map(|(_, steps)| steps.lost).sum();
        let path = self.path.display().to_string();
        match self.write_images(traced, &images) {
            Err(error) => Err(format!(
                "coarray: cannot write the timeline {path}: {error}\n"
            )),
            Ok(()) if lost > 0 => Ok(format!(
                "coarray: the timeline {path} ends early: there was no room for {lost} more steps of images\n"
            )),
            Ok(()) => Ok(String::new()),
        }
    }

    fn write_images(&mut self, traced: &Traced<'_>, images: &[(usize, Steps)]) -> io::Result<()> {
        let arrows = Arrows::between(images);
        let mut packets = Packets::default();
        for ((number, steps), image) in images.iter().zip(&traced.images) {
            let track = Track {
                number: *number,
                process: image.process,
                host: traced.host,
                host_name: &traced.host_name,
                steps,
                shift: traced.shift,
            };
            packets.add_image(&track, &arrows, |packets| match packets.bytes().len() {
                PIECE.. => self.flush(packets),
                _ => Ok(()),
            })?;
        }
        self.flush(&mut packets)
    }

    /// Writes whole packets, or nothing.
    fn flush(&mut self, packets: &mut Packets) -> io::Result<()> {
        let before = self.length();
        let written = self.file.write_all(packets.bytes());
        if written.is_err()
            && let Some(before) = before
        {
            // A part of a packet would make all that follows unreadable.
            let _ = self.file.set_len(before);
        }
        packets.clear();
        written
    }

    /// The length of the file, if it has one.
    fn length(&self) -> Option<u64> {
        let data = self.file.metadata().ok()?;
        data.is_file().then_some(data.len())
    }
}
