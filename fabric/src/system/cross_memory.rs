//! Memory of other processes of the same user, which the kernel copies from one to the other.

use std::io;

use rustix::process::{PTracer, getppid, set_ptracer};

/// Lets the process that started this one, and all that it started, read this one's memory. Where the kernel has no such
/// restriction, it changes nothing.
pub fn permit_siblings() {
    if let Some(parent) = getppid().filter(|parent| !parent.is_init()) {
        // A kernel without this restriction refuses it.
        let _ = set_ptracer(PTracer::ProcessID(parent));
    }
}

/// Copies `length` bytes from `address` in the memory of `process`.
///
/// # Errors
/// The process is gone, or the kernel does not permit it, or there is no memory. Then some of the bytes may have been copied.
///
/// # Safety
/// `target` is valid for writes of `length` bytes.
pub unsafe fn read(process: u32, address: usize, target: *mut u8, length: usize) -> io::Result<()> {
    let mut done = 0;
    while done < length {
        let left = length - done;
        let local = libc::iovec {
            iov_base: target.wrapping_add(done).cast(),
            iov_len: left,
        };
        let remote = libc::iovec {
            iov_base: std::ptr::without_provenance_mut(address + done),
            iov_len: left,
        };
        // SAFETY: both vectors have one element. The local one is valid for writes, as the caller vouches; the kernel checks the other.
        let copied =
            unsafe { libc::process_vm_readv(process as libc::pid_t, &local, 1, &remote, 1, 0) };
        match usize::try_from(copied) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(copied) => done += copied,
            Err(_) => return Err(io::Error::last_os_error()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_a_process_is_copied_and_what_is_not_there_is_an_error() {
        let values: Vec<u8> = (0..100_000).map(|index| index as u8).collect();
        let mut copy = vec![0; values.len()];
        let (own, length) = (std::process::id(), copy.len());
        let mut read_at = |address| {
            // SAFETY: the copy is valid for writes of its length.
            unsafe { read(own, address, copy.as_mut_ptr(), length) }
        };
        match read_at(values.as_ptr().addr()) {
            Ok(()) => assert!(read_at(8).is_err()),
            // Some containers do not permit it.
            Err(error) => return assert_ne!(error.raw_os_error(), Some(libc::EFAULT)),
        }
        assert_eq!(copy, values);
    }
}
