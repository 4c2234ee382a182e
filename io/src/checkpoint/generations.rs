//! The files in a directory of checkpoints.

use std::fs;
use std::path::{Path, PathBuf};

use crate::checkpoint::header::{Header, Places, corrupt};
use crate::error::{ErrorKind, Failed};
use crate::partial;
use crate::target::{metadata, open_to_read};
use crate::transfer::read_at;

const PREFIX: &str = "generation-";
const SUFFIX: &str = ".checkpoint";

/// The file of a generation.
pub(crate) fn path_of(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{generation:06}{SUFFIX}"))
}

/// All generations in a directory, the oldest first. Files with similar names do not count.
pub(crate) fn list(folder: &Path) -> Result<Vec<u64>, Failed> {
    let number = |name: &str| {
        let rest = name.strip_prefix(PREFIX)?;
        let number = rest.strip_suffix(SUFFIX)?.parse().ok()?;
        (path_of(folder, number).file_name()? == name).then_some(number)
    };
    let read = || {
        let mut generations = Vec::new();
        for entry in fs::read_dir(folder)? {
            generations.extend(entry?.file_name().to_str().and_then(number));
        }
        generations.sort_unstable();
        Ok(generations)
    };
    read().map_err(|error| Failed::os("list the directory", &error))
}

/// The number of the next generation. Also removes the partial files of jobs that ended while they saved.
pub(crate) fn next_number(folder: &Path) -> Result<u64, Failed> {
    let start = format!(".{PREFIX}");
    partial::remove_left_in(folder, |name| name.starts_with(start.as_bytes()));
    // No save reaches the last number, so a file that has it is not ours.
    let newest = list(folder)?.into_iter().rfind(|&number| number < u64::MAX);
    Ok(newest.map_or(1, |newest| newest + 1))
}

/// Removes the generations before `newest`, except the last one of them with a right header and length. Anything that
/// is no file is left alone, and files that cannot be removed are skipped.
pub(crate) fn remove_old(folder: &Path, newest: u64) -> Result<(), Failed> {
    let mut kept = false;
    let older = list(folder)?.into_iter().filter(|&number| number < newest);
    for generation in older.rev() {
        let path = path_of(folder, generation);
        match open(&path) {
            Ok(_) if !kept => kept = true,
            Err(failed) if failed.kind == ErrorKind::NotAFile => (),
            _ => drop(fs::remove_file(path)),
        }
    }
    Ok(())
}

/// Opens a generation, if its header is right and its file has the length that the header says.
pub(crate) fn open(path: &Path) -> Result<(fs::File, Header, Places), Failed> {
    let file = open_to_read(path)?;
    let (header, places) = Header::read(|bytes, at| read_at(&file, bytes, at))?;
    let (bytes, needed) = (metadata(&file)?.len(), places.bytes());
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

/// The part of a checkpoint at this byte, in words.
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
