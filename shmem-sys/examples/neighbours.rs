//! Every process writes its number into its neighbour's memory: `shmemrun -n 2 target/debug/examples/neighbours`.

use shmem_sys::{
    int, shmem_barrier_all, shmem_calloc, shmem_finalize, shmem_free, shmem_init, shmem_my_pe,
    shmem_n_pes,
};

fn main() {
    // SAFETY: the only thread there is starts the library before it uses it, and ends it afterwards; the block is symmetric
    // and read after the barrier that completes the writes.
    unsafe {
        shmem_sys::work_around_known_crashes();
        shmem_init();
        let (me, all) = (shmem_my_pe(), shmem_n_pes());
        let from = shmem_calloc(1, size_of::<i32>()).cast::<i32>();
        assert!(!from.is_null(), "the symmetric heap is full");
        shmem_barrier_all();

        int::p(from, me, (me + 1) % all);
        shmem_barrier_all();
        println!("process {me} of {all} heard from {}", *from);

        shmem_free(from.cast());
        shmem_finalize();
    }
}
