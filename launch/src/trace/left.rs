//! What images of a cluster have recorded when all of them are killed: each node has a file beside the timeline, which is there until the node
//! has added to that.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::trace::{TraceFile, Traced, TracedImage};
use coarray_runtime::{JobMemory, Origin, Timebase};

/// Between the name of a timeline and the number of a node in the names of these files.
const RECORDS: &str = ".records-";

/// Where the node with this number records, for a timeline at that path.
#[cfg(feature = "cluster")]
pub(super) fn path_of_node(timeline: &Path, node: usize) -> PathBuf {
    let mut path = timeline.as_os_str().to_owned();
    path.push(format!("{RECORDS}{node}"));
    path.into()
}

/// Removes the file of a node at the end, whatever that is, unless the process is killed.
#[cfg(feature = "cluster")]
#[derive(Debug)]
pub(crate) struct RemoveAtEnd(PathBuf);

#[cfg(feature = "cluster")]
impl RemoveAtEnd {
    /// The file of the node with this number.
    pub(crate) fn of(timeline: &Path, node: usize) -> Self {
        Self(path_of_node(timeline, node))
    }
}

#[cfg(feature = "cluster")]
impl Drop for RemoveAtEnd {
    fn drop(&mut self) {
        // There may be none.
        let _ = fs::remove_file(&self.0);
    }
}

/// The files of all nodes that have not added to the timeline at this path, in the order of their numbers.
fn files(timeline: &Path) -> Vec<PathBuf> {
    let folder = match timeline.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return Vec::new(),
    };
    let name = timeline.file_name().unwrap_or_default().to_string_lossy();
    let number = |path: &Path| -> Option<usize> {
        let found = path.file_name()?.to_str()?;
        found
            .strip_prefix(&*name)?
            .strip_prefix(RECORDS)?
            .parse()
            .ok()
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(usize, PathBuf)> = entries
        .filter_map(|entry| Some((number(&entry.path())?, entry.path())))
        .collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

/// Removes them.
pub(super) fn remove(timeline: &Path) {
    for path in files(timeline) {
        // Whoever removed it meanwhile is welcome.
        let _ = fs::remove_file(path);
    }
}

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
