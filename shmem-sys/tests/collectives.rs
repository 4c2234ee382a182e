//! Collectives, between processes: each test starts itself as a job of the library's launcher.

#[path = "support/job.rs"]
mod job;

use std::ffi::{c_int, c_void};

use job::{Pe, in_job, synchronisation, zeroed};
use shmem_sys::*;

#[test]
fn collectives_reach_all() {
    // SAFETY: `in_job` has started the library, and all PEs are here. `source` and `target` have two elements for each PE, which is the most
    // that a call reads or writes. `sync` has as many as the largest of these calls needs, all of the initial value, and between two
    // calls there is a barrier.
    in_job(4, |Pe { me, all }| unsafe {
        let pes = all as usize;
        let (source, target) = (zeroed::<u64>(2 * pes), zeroed::<u64>(2 * pes));
        for place in 0..2 * pes {
            *source.add(place) = 100 * me as u64 + place as u64;
        }
        let values = |count| {
            (0..count)
                .map(|place| *target.add(place))
                .collect::<Vec<_>>()
        };
        let in_order = |each: usize| {
            (0..pes * each).map(move |place| (100 * (place / each) + place % each) as u64)
        };
        let sync = synchronisation(
            [
                SHMEM_BCAST_SYNC_SIZE,
                SHMEM_COLLECT_SYNC_SIZE,
                SHMEM_ALLTOALL_SYNC_SIZE,
                SHMEM_ALLTOALLS_SYNC_SIZE,
                SHMEM_BARRIER_SYNC_SIZE,
            ]
            .into_iter()
            .max()
            .unwrap(),
        );
        let (to, from) = (target.cast::<c_void>(), source.cast::<c_void>());

        shmem_broadcast64(to, from, 2, 1, 0, 0, all, sync);
        shmem_barrier_all();
        assert!(me == 1 || values(2) == [100, 101]);
        shmem_barrier_all();
        shmem_fcollect64(to, from, 2, 0, 0, all, sync);
        shmem_barrier_all();
        assert_eq!(values(2 * pes), in_order(2).collect::<Vec<_>>());
        shmem_barrier_all();
        shmem_collect32(to, from, 2, 0, 0, all, sync);
        shmem_barrier_all();
        assert_eq!(values(pes), in_order(1).collect::<Vec<_>>());
        shmem_barrier_all();
        shmem_alltoall64(to, from, 1, 0, 0, all, sync);
        shmem_barrier_all();
        assert_eq!(
            values(pes),
            (0..pes)
                .map(|other| 100 * other as u64 + me as u64)
                .collect::<Vec<_>>()
        );
        shmem_barrier_all();
        shmem_alltoalls64(to, from, 2, 1, 1, 0, 0, all, sync);
        shmem_barrier_all();
        assert!((0..pes).all(|other| *target.add(2 * other) == 100 * other as u64 + me as u64));
        // Those with even numbers, which are two apart.
        if me % 2 == 0 {
            shmem_barrier(0, 1, all / 2, sync);
            shmem_sync(0, 1, all / 2, sync);
        }
        shmem_barrier_all();
        for block in [to, from, sync.cast()] {
            shmem_free(block);
        }
    });
}

#[test]
fn reductions_combine_elements() {
    // SAFETY: `in_job` has started the library, and all PEs are here. `source` and `target` have at least the one element of each call,
    // `work` and `sync` as many as a reduction needs, and between two calls there is a barrier.
    in_job(4, |Pe { me, all }| unsafe {
        let (source, target) = (zeroed::<c_int>(4), zeroed::<c_int>(4));
        let work = zeroed::<c_int>(3.max(SHMEM_REDUCE_MIN_WRKDATA_SIZE));
        let sync = synchronisation(SHMEM_REDUCE_SYNC_SIZE);
        for place in 0..4 {
            *source.add(place) = (me + 1) << place;
        }
        let reductions: [(unsafe extern "C" fn(_, _, _, _, _, _, _, _), c_int); 7] = [
            (int::sum_to_all, 10),
            (int::prod_to_all, 24),
            (int::max_to_all, 4),
            (int::min_to_all, 1),
            (int::and_to_all, 0),
            (int::or_to_all, 7),
            (int::xor_to_all, 4),
        ];
        for (reduce, expected) in reductions {
            reduce(target, source.cast_const(), 1, 0, 0, all, work, sync);
            shmem_barrier_all();
            assert_eq!(*target, expected);
            shmem_barrier_all();
        }
        let (halves, sums) = (zeroed::<f64>(1), zeroed::<f64>(1));
        let work_of_doubles = zeroed::<f64>(SHMEM_REDUCE_MIN_WRKDATA_SIZE.max(1));
        *halves = 0.5;
        double::sum_to_all(sums, halves, 1, 0, 0, all, work_of_doubles, sync);
        assert_eq!(*sums, 2.0);
        shmem_barrier_all();
    });
}
