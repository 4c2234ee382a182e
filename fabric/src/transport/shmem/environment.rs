//! What the environment says, and must say before the library starts: room in the symmetric heap, and what keeps it from
//! crashing.

use std::env;
use std::fs;

use shmem_sys::FINALIZE_MAY_HANG_WITH_CONTEXTS;

use crate::system::display_size::Bytes;

/// The settings of the size: of OpenSHMEM, and of Open MPI, which knows only the other one.
const SIZES: [&str; 2] = ["SHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE"];

/// Bytes of the symmetric heap beside the heap of the image: control structures, mailboxes, and what the library needs
/// itself. It costs address space only.
const BESIDES: usize = 256 << 20;

/// Where Open MPI takes the symmetric heap from. Of its components only this one always takes memory that can be mapped a second
/// time, as parts must be; the usual one, `ucx`, asks the transports of UCX, and has private memory if none of them shares any.
const SOURCE: (&str, &str) = ("OMPI_MCA_sshmem", "sysv");

/// The setting of those transports, and the names of those that share memory between processes.
const TRANSPORTS: &str = "UCX_TLS";
const SHARING: [&str; 7] = ["all", "mm", "posix", "shm", "sm", "sysv", "xpmem"];

/// The setting of how many contexts an image has.
const CONTEXTS: &str = "COARRAY_SHMEM_CONTEXTS";

/// How many contexts an image has at most, the default one among them. Each has connections to all images.
pub(super) fn contexts() -> Result<usize, String> {
    let Some(wish) = env::var_os(CONTEXTS) else {
        return Ok(if FINALIZE_MAY_HANG_WITH_CONTEXTS {
            1
        } else {
            4
        });
    };
    number_of_contexts(&wish.to_string_lossy())
}

fn number_of_contexts(wish: &str) -> Result<usize, String> {
    let number = wish.parse().ok();
    number
        .filter(|number| (1..=64).contains(number))
        .ok_or_else(|| format!("{CONTEXTS}={wish}: expected a number of contexts from 1 to 64"))
}

/// Sets what is not set. The library and this process read the environment without a lock: other threads must not exist.
pub(super) fn prepare(heap: usize) -> Result<(), String> {
    let needed = heap.saturating_add(BESIDES);
    let too_small: Vec<_> = SIZES
        .into_iter()
        .filter(|name| size(name) < needed)
        .collect();
    if !is_only_thread() {
        return if too_small.is_empty() {
            Ok(())
        } else {
            Err(format!(
                "the program has started threads before its images, so that it is too late to set {} to {needed}, which OpenSHMEM \
                 needs; start the images first, or set the two, and OMPI_MCA_osc=^rdma, for the whole job",
                SIZES.join(" and ")
            ))
        };
    }
    // SAFETY: there is no other thread that could read the environment.
    unsafe {
        for name in too_small {
            env::set_var(name, needed.to_string());
        }
        if env::var(TRANSPORTS).is_ok_and(|transports| !share_memory(&transports))
            && env::var_os(SOURCE.0).is_none()
        {
            env::set_var(SOURCE.0, SOURCE.1);
        }
        shmem_sys::work_around_known_crashes();
    }
    Ok(())
}

/// What a setting says, or 0.
fn size(name: &str) -> usize {
    let setting = env::var(name).ok().and_then(|text| text.parse().ok());
    setting.map_or(0, |Bytes(size)| size)
}

/// Whether some of these transports of UCX share memory.
fn share_memory(transports: &str) -> bool {
    // With the mark, those that are not used are named.
    let is_shared = |name: &str| SHARING.contains(&name.trim());
    transports.starts_with('^') || transports.split(',').any(is_shared)
}

fn is_only_thread() -> bool {
    fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_numbers_of_contexts_are_refused() {
        for wrong in ["0", "65", "-1", "four", ""] {
            let error = number_of_contexts(wrong).unwrap_err();
            assert!(
                error.starts_with(&format!("COARRAY_SHMEM_CONTEXTS={wrong}: expected")),
                "{error}"
            );
        }
        assert_eq!(number_of_contexts("64"), Ok(64));
    }

    #[test]
    fn transports_that_share_memory_are_known() {
        for sharing in ["all", "sm,tcp", "tcp, posix", "^tcp", "rc,shm,self"] {
            assert!(share_memory(sharing), "{sharing}");
        }
        for other in ["tcp,self", "self", "rc,ud", "tcp"] {
            assert!(!share_memory(other), "{other}");
        }
    }
}
