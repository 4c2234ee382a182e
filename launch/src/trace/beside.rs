//! What images of a cluster record before anybody writes their timeline: each node has a file beside that, which is there until the node has added
//! to it, and stays if all its images are killed.

use std::fs;
use std::path::{Path, PathBuf};

/// Between the name of a timeline and the number of a node in the names of these files.
pub(super) const RECORDS: &str = ".records-";

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
pub(super) fn files(timeline: &Path) -> Vec<PathBuf> {
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
