//! Memory that all images map, and that no library manages.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use coarray::collectives::co_broadcast;
use coarray::{error_stop_with, sync_all, this_image};
use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, memfd_create};

/// Collective. Maps `length` zero bytes that all images share. The job ends if they cannot be made or found.
pub fn map(length: usize) -> MmapRaw {
    try_map(length).unwrap_or_else(|error| {
        error_stop_with(1, format_args!("cobench: cannot share memory: {error}"))
    })
}

fn try_map(length: usize) -> io::Result<MmapRaw> {
    // coarray-check: allow, an error of image 0 ends the job.
    let made = if this_image() == 0 {
        let file = File::from(memfd_create("cobench", MemfdFlags::CLOEXEC)?);
        file.set_len(length as u64)?;
        Some(file)
    } else {
        None
    };
    let mut place = match &made {
        Some(file) => [u64::from(std::process::id()), descriptor(file)],
        None => [0; 2],
    };
    co_broadcast(&mut place, 0);
    let file = match &made {
        Some(file) => file.try_clone()?,
        // The file has no name, but its creator's descriptor has one.
        None => File::options()
            .read(true)
            .write(true)
            .open(format!("/proc/{}/fd/{}", place[0], place[1]))?,
    };
    let mapping = MmapOptions::new().len(length).map_raw(&file)?;
    // The creator's descriptor stays open until here.
    sync_all();
    Ok(mapping)
}

fn descriptor(file: &File) -> u64 {
    u64::from(file.as_raw_fd().unsigned_abs())
}
