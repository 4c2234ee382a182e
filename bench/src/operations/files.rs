//! A file that all images write together: an array of `f64` in three dimensions with a halo, as in [`halos`](super::halos),
//! in the folder for temporary files. Image 0 removes the file before: to replace what is there would have some file systems
//! bring the new file to the disk at once, and wait for the old one to be there.
//!
//! # The bounds
//! Image 0 alone removes a file, makes it anew, and writes as many bytes one after the other, without a header, a mebibyte at a
//! time from private memory, as `dd` does. The other images wait.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use coarray::collectives::co_broadcast;
use coarray::grid::HaloArray;
use coarray::{error_stop_with, sync_all, this_image};
use coarray_io::write_npy;

use super::halos::{UNTOUCHED, divided};
use super::{Operation, Part, Trial};
use crate::stopwatch::Action;

/// `write_npy(path, &array)`.
pub const WRITE_NPY: Operation = Operation {
    name: "write_npy",
    sizes: &[1 << 20, 16 << 20, 128 << 20],
    prepare: |bytes, _| Trial {
        own: together(bytes),
        bound: vec![Part::new(1.0, alone(bytes))],
    },
};

/// The block size of `dd` for speed.
const PIECE: usize = 1 << 20;

/// Collective. All images write the file, ready to run; checked once.
fn together(bytes: usize) -> Action {
    let file = Temporary::new("npy");
    let array = divided(bytes).and_then(|blocks| HaloArray::filled(&blocks, 1, UNTOUCHED));
    let array = array.unwrap_or_else(|error| stop(&error));
    let write = move || {
        file.remove();
        write_npy(&file.path, &array).unwrap_or_else(|error| stop(&error));
        file.path.clone()
    };
    check(&write(), bytes);
    Box::new(move |times| {
        for _ in 0..times {
            write();
        }
    })
}

/// Image 0 writes a file, ready to run; checked once.
fn alone(bytes: usize) -> impl FnMut(usize) {
    let file = Temporary::new("raw");
    let is_writer = this_image() == 0;
    // Written once, so that the pages exist.
    let memory = vec![
        UNTOUCHED;
        if is_writer {
            bytes / size_of::<f64>()
        } else {
            0
        }
    ];
    let memory: Vec<u8> = memory.into_iter().flat_map(f64::to_le_bytes).collect();
    let write = move || {
        file.remove();
        if is_writer {
            write_alone(&file.path, &memory).unwrap_or_else(|error| stop(&error));
        }
        file.path.clone()
    };
    check(&write(), bytes);
    move |times| {
        for _ in 0..times {
            write();
        }
    }
}

fn write_alone(file: &Path, memory: &[u8]) -> io::Result<()> {
    let mut file = File::create(file)?;
    memory
        .chunks(PIECE)
        .try_for_each(|piece| file.write_all(piece))
}

/// A file ends with the bytes of the numbers, all of which are the same.
fn check(file: &Path, bytes: usize) {
    if this_image() == 0 {
        let found = fs::read(file).unwrap_or_else(|error| stop(&error));
        let numbers = found.len().checked_sub(bytes).map(|start| &found[start..]);
        let is_right = |number: &[u8]| number == UNTOUCHED.to_le_bytes();
        assert!(
            numbers.is_some_and(|numbers| numbers.chunks(size_of::<f64>()).all(is_right)),
            "{} does not hold what was written",
            file.display()
        );
    }
    sync_all();
}

fn stop(error: &dyn std::fmt::Display) -> ! {
    error_stop_with(1, format_args!("cobench: {error}"))
}

/// The path of a file of this job, equal on all images, which is removed at the end.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// Collective.
    fn new(extension: &str) -> Self {
        let mut job = std::process::id();
        co_broadcast(&mut job, 0);
        let name = format!("cobench-{job}.{extension}");
        Self {
            path: std::env::temp_dir().join(name),
        }
    }

    /// Image 0 removes the file, if it is there.
    fn remove(&self) {
        if this_image() == 0 {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.remove();
    }
}
