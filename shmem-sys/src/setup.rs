//! Start and end of the library, and information about it. OpenSHMEM 1.4, 9.1 and 9.2.

use std::ffi::{c_char, c_int};

unsafe extern "C" {
    /// Collective. Starts the library; only the thread that called this may make calls.
    pub fn shmem_init();

    /// Collective. Starts the library for the requested use of threads, one of `SHMEM_THREAD_*`, and writes the use
    /// that it provides. Returns 0 on success.
    pub fn shmem_init_thread(requested: c_int, provided: *mut c_int) -> c_int;

    /// Collective. Waits for all, and ends the library. See
    /// [`work_around_known_crashes`](crate::work_around_known_crashes).
    pub fn shmem_finalize();

    /// Ends all processes of the job at once, with this exit code.
    pub fn shmem_global_exit(status: c_int) -> !;

    /// The number of this process, from 0.
    pub fn shmem_my_pe() -> c_int;

    /// How many processes the job has.
    pub fn shmem_n_pes() -> c_int;

    /// Writes the use of threads that the library provides.
    pub fn shmem_query_thread(provided: *mut c_int);

    /// Writes the version of the specification that the library follows.
    pub fn shmem_info_get_version(major: *mut c_int, minor: *mut c_int);

    /// Writes the vendor's name, as a C string of at most [`SHMEM_MAX_NAME_LEN`](crate::SHMEM_MAX_NAME_LEN) bytes.
    pub fn shmem_info_get_name(name: *mut c_char);
}
