//! The files in a directory of checkpoints.

use std::fs;
use std::path::{Path, PathBuf};

use crate::checkpoint::header::{Header, Places, corrupt};
use crate::error::{ErrorKind, Failed};
use crate::npy::open_file;
use crate::transfer::read_at;
use crate::whole_file::PARTIAL;

const PREFIX: &str = "generation-";
const SUFFIX: &str = ".checkpoint";

/// The file of a generation.
pub(crate) fn path_of(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{generation:06}{SUFFIX}"))
}

/// All generations in a directory, the oldest first.
pub(crate) fn list(folder: &Path) -> Result<Vec<u64>, Failed> {
    let mut generations = Vec::new();
    for name in names(folder)? {
        let number = name
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.strip_suffix(SUFFIX));
        generations.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    generations.sort_unstable();
    Ok(generations)
}

fn names(folder: &Path) -> Result<Vec<String>, Failed> {
    let read = || {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    };
    read().map_err(|error| Failed::os("list the directory", &error))
}

/// Removes what `newest` has made superfluous: all generations but it and one before that is whole as far as its header
/// and length tell, and what jobs have left that ended while they wrote.
pub(crate) fn remove_old(folder: &Path, newest: u64) -> Result<(), Failed> {
    let mut kept = false;
    for generation in list(folder)?.into_iter().rev() {
        if generation >= newest {
            continue;
        }
        let path = path_of(folder, generation);
        if !kept && open(&path).is_ok() {
            kept = true;
            continue;
        }
        remove(&path)?;
    }
    for name in names(folder)? {
        if name.starts_with(&format!(".{PREFIX}")) && name.ends_with(PARTIAL) {
            remove(&folder.join(name))?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), Failed> {
    fs::remove_file(path).map_err(|error| Failed::os(&format!("remove {}", path.display()), &error))
}

/// Opens a generation whose header is right and whose file has the length that this tells of.
pub(crate) fn open(path: &Path) -> Result<(fs::File, Header, Places), Failed> {
    let file = open_file(path)?;
    let metadata = file.metadata();
    let metadata = metadata.map_err(|error| Failed::os("tell the length of the file", &error))?;
    let (header, places) = Header::read(|bytes, at| read_at(&file, bytes, at))?;
    let (bytes, needed) = (metadata.len(), places.bytes());
    if bytes > needed {
        return Err(corrupt(&format!(
            "it has {bytes} bytes, {} too many",
            bytes - needed
        )));
    }
    if bytes < needed {
        let cause = format!(
            "the file is truncated: it has {bytes} bytes of {needed}, and ends in {}",
            part_at(&header, &places, bytes)
        );
        return Err(Failed::new(ErrorKind::Truncated, cause));
    }
    Ok((file, header, places))
}

/// What is at this byte of a checkpoint, in words.
pub(crate) fn part_at(header: &Header, places: &Places, at: u64) -> String {
    if at < places.data {
        return "the header".to_owned();
    }
    if at >= places.table() {
        return "the table of checksums".to_owned();
    }
    let fields = header.fields.iter().zip(&places.fields).rev();
    let found = fields
        .into_iter()
        .find(|&(_, &start)| places.data + start <= at);
    found.map_or("the data".to_owned(), |(field, _)| {
        format!("the field {:?}", field.name)
    })
}
