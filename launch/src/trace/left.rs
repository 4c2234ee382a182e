//! What images of a cluster have left when all of them were killed: it is added to their timeline later.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::trace::beside::{RECORDS, files};
use crate::trace::{TraceFile, Traced, TracedImage};
use coarray_runtime::{JobMemory, Origin, Timebase};

/// Adds to the timeline at this path what images had recorded when they were killed. Returns what is to be said about that, in whole lines.
///
/// # Errors
/// A line that says why it cannot be done.
pub(crate) fn recover(timeline: PathBuf) -> Result<String, String> {
    let files = files(&timeline);
    if files.is_empty() {
        let path = timeline.display();
        return Err(format!(
            "coarun: nothing is left to be added to {path}: there is no file {path}{RECORDS}N\n"
        ));
    }
    let mut text = String::new();
    let mut target = TraceFile::open(timeline)?;
    for path in files {
        let unreadable =
            |error: &io::Error| format!("coarun: cannot read {}: {error}\n", path.display());
        let memory = open(&path).map_err(|error| unreadable(&error))?;
        let before = target.length();
        let added = target.add(&traced(&memory));
        if let (Err(_), Some(before)) = (&added, before) {
            // It is added as a whole the next time.
            let _ = target.file.set_len(before);
        }
        text += &added?;
        fs::remove_file(&path).map_err(|error| unreadable(&error))?;
    }
    Ok(text)
}

fn open(path: &Path) -> io::Result<JobMemory> {
    let file = File::options().read(true).write(true).open(path)?;
    // SAFETY: `JobMemory::create_records` made it, which the layout says that it begins with, and whoever mapped it is gone.
    let memory = unsafe { JobMemory::attach(file)? };
    match memory.is_traced() {
        true => Ok(memory),
        false => Err(io::Error::other("there are no records in it")),
    }
}

/// What these records are of.
fn traced(memory: &JobMemory) -> Traced<'_> {
    let parts = 0..memory.dimensions().images;
    let all: Vec<(usize, Origin)> = parts
        .filter_map(|part| Some((part, memory.origin(part)?)))
        .collect();
    let begins = all.iter().filter_map(|&(part, _)| memory.begun(part));
    let known = all.iter().filter_map(|&(part, _)| memory.last_known(part));
    let first = all.first().map(|(_, origin)| origin.clone());
    let first = first.unwrap_or_default();
    Traced {
        timebase: Timebase::until(known.max().unwrap_or_default(), begins),
        host: first.host,
        host_name: first.host_name,
        shift: first.shift,
        images: all
            .iter()
            .map(|(part, origin)| TracedImage {
                number: origin.number,
                process: Some(origin.process),
                memory,
                part: *part,
            })
            .collect(),
    }
}
