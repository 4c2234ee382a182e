//! Every family of calls, between processes: each test starts itself as a job of the library's launcher.

#[path = "support/job.rs"]
mod job;

use std::ffi::{c_int, c_long, c_void};
use std::ptr;

use job::{Pe, in_job, in_job_by, zeroed};
use shmem_sys::*;

#[test]
fn the_library_says_what_it_is() {
    // SAFETY: `in_job` has started the library, and all PEs are here. The pointers are to local variables of the documented types, and
    // `name` is one byte longer than the longest name.
    in_job(2, |Pe { me, all }| unsafe {
        assert!((0..all).contains(&me) && all == 2);
        let (mut major, mut minor, mut provided) = (-1, -1, -1);
        shmem_info_get_version(&mut major, &mut minor);
        assert_eq!((major, minor), (SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION));
        let mut name = vec![0; SHMEM_MAX_NAME_LEN + 1];
        shmem_info_get_name(name.as_mut_ptr().cast());
        let length = name.iter().position(|&byte: &u8| byte == 0).unwrap();
        assert_eq!(
            str::from_utf8(&name[..length]).unwrap(),
            SHMEM_VENDOR_STRING
        );
        shmem_query_thread(&mut provided);
        assert!((SHMEM_THREAD_SINGLE..=SHMEM_THREAD_MULTIPLE).contains(&provided));
        assert_eq!(shmem_pe_accessible(1 - me), 1);
    });
}

#[test]
fn memory_is_symmetric_and_aligned() {
    // SAFETY: `in_job` has started the library, and all PEs are here. They allocate and free alike; the block has 20,000 bytes, of which
    // none is accessed, and `zeroes` 100.
    in_job(2, |Pe { me, .. }| unsafe {
        let block = shmem_align(4096, 10_000);
        assert!(!block.is_null() && block.addr().is_multiple_of(4096));
        assert_eq!(shmem_addr_accessible(block, 1 - me), 1);
        let reached = shmem_ptr(block, me);
        assert!(reached == block || reached.is_null());
        let block = shmem_realloc(block, 20_000);
        assert!(!block.is_null());
        shmem_free(block);
        let zeroes = zeroed::<u8>(100);
        assert!((0..100).all(|place| *zeroes.add(place) == 0));
        shmem_free(zeroes.cast());
        let plain = shmem_malloc(8);
        assert!(!plain.is_null());
        shmem_free(plain);
    });
}

#[test]
fn typed_transfers_arrive() {
    macro_rules! transfers {
        ($me:ident; $($module:ident: $type:ty, $value:expr;)*) => {$({
            let cells = zeroed::<$type>(8);
            let mine: [$type; 3] = [$value, 1 as $type, 2 as $type];
            $module::put(cells, mine.as_ptr(), 3, 1 - $me);
            $module::p(cells.add(3), $value, 1 - $me);
            $module::put_nbi(cells.add(4), mine.as_ptr(), 1, 1 - $me);
            $module::iput(cells.add(5), mine.as_ptr(), 2, 2, 2, 1 - $me);
            shmem_barrier_all();
            let expected = [$value, 1 as $type, 2 as $type, $value, $value, $value, 0 as $type, 2 as $type];
            let here: [$type; 8] = cells.cast::<[$type; 8]>().read();
            assert_eq!(here, expected, stringify!($module));
            let mut there = [0 as $type; 8];
            $module::get(there.as_mut_ptr(), cells, 4, 1 - $me);
            $module::get_nbi(there.as_mut_ptr().add(4), cells.add(4), 4, 1 - $me);
            shmem_quiet();
            assert_eq!(there, expected, stringify!($module));
            assert_eq!($module::g(cells.add(3), 1 - $me), $value, stringify!($module));
            let mut strided = [0 as $type; 2];
            $module::iget(strided.as_mut_ptr(), cells.add(1), 1, 6, 2, 1 - $me);
            assert_eq!(strided, [1 as $type, 2 as $type], stringify!($module));
            shmem_free(cells.cast());
        })*};
    }
    // SAFETY: `in_job` has started the library, and all PEs are here. `cells` has 8 elements on each PE, and no call goes beyond: the last
    // of `iput` is 7, of `iget` is 7. The sources live until `shmem_quiet`. PEs read what others put after a barrier.
    in_job(2, |Pe { me, .. }| unsafe {
        transfers! { me;
            float: f32, 1.5; double: f64, -2.25; char: std::ffi::c_char, 7; schar: i8, -7; short: i16, -300; int: c_int, -70_000;
            long: c_long, -5_000_000_000; longlong: i64, -6_000_000_000; uchar: u8, 200; ushort: u16, 60_000;
            uint: u32, 4_000_000_000; ulong: u64, u64::MAX; ulonglong: u64, u64::MAX - 1; int8: i8, -8; int16: i16, -16;
            int32: i32, -32; int64: i64, -64; uint8: u8, 8; uint16: u16, 16; uint32: u32, 32; uint64: u64, 64;
            size: usize, usize::MAX; ptrdiff: isize, isize::MIN;
        }
    });
}

#[test]
fn untyped_transfers_arrive() {
    macro_rules! sizes {
        ($me:ident; $($module:ident: $bytes:literal;)*) => {$({
            let cells = zeroed::<u8>(8 * $bytes);
            let mine: [u8; 2 * $bytes] = std::array::from_fn(|place| place as u8 + 1);
            $module::put(cells.cast(), mine.as_ptr().cast(), 2, 1 - $me);
            $module::put_nbi(cells.add(2 * $bytes).cast(), mine.as_ptr().cast(), 2, 1 - $me);
            $module::iput(cells.add(4 * $bytes).cast(), mine.as_ptr().cast(), 2, 1, 2, 1 - $me);
            shmem_barrier_all();
            let mut there = [0_u8; 4 * $bytes];
            $module::get(there.as_mut_ptr().cast(), cells.cast(), 2, 1 - $me);
            $module::get_nbi(there.as_mut_ptr().add(2 * $bytes).cast(), cells.add(2 * $bytes).cast(), 2, 1 - $me);
            shmem_quiet();
            assert_eq!(there, [mine, mine].concat()[..], stringify!($module));
            let mut strided = [0_u8; 2 * $bytes];
            $module::iget(strided.as_mut_ptr().cast(), cells.add(4 * $bytes).cast(), 1, 2, 2, 1 - $me);
            assert_eq!(strided, mine, stringify!($module));
            shmem_free(cells.cast());
        })*};
    }
    // SAFETY: `in_job` has started the library, and all PEs are here. As in `typed_transfers_arrive`: `cells` has 8 elements of each size,
    // later 20 bytes, on each PE, and no call goes beyond. The sources live until `shmem_quiet`.
    in_job(2, |Pe { me, .. }| unsafe {
        sizes! { me; bits8: 1; bits16: 2; bits32: 4; bits64: 8; bits128: 16; }

        let cells = zeroed::<u8>(20).cast::<c_void>();
        let (mine, mut there) = ([3_u8; 10], [0_u8; 20]);
        shmem_putmem(cells, mine.as_ptr().cast(), 10, 1 - me);
        shmem_putmem_nbi(cells.byte_add(10), mine.as_ptr().cast(), 10, 1 - me);
        shmem_barrier_all();
        shmem_getmem(there.as_mut_ptr().cast(), cells, 10, 1 - me);
        shmem_getmem_nbi(
            there.as_mut_ptr().add(10).cast(),
            cells.byte_add(10),
            10,
            1 - me,
        );
        shmem_quiet();
        assert_eq!(there, [3; 20]);
        shmem_free(cells);
    });
}

#[test]
fn contexts_transfer_and_complete_apart() {
    // SAFETY: `in_job` has started the library, and all PEs are here. `cells` has 4 elements on each PE, and no call goes beyond. A context
    // is used only if it was created, by its thread, until it is destroyed. The cells are read after a barrier.
    in_job(2, |Pe { me, .. }| unsafe {
        for options in [
            0,
            SHMEM_CTX_PRIVATE,
            SHMEM_CTX_SERIALIZED,
            SHMEM_CTX_NOSTORE,
        ] {
            let mut ctx = ptr::null_mut();
            if shmem_ctx_create(options, &mut ctx) != 0 {
                continue;
            }
            let cells = zeroed::<c_long>(4);
            let mine = [5, 6];
            long::ctx_put(ctx, cells, mine.as_ptr(), 2, 1 - me);
            shmem_ctx_fence(ctx);
            long::ctx_p(ctx, cells.add(2), 7, 1 - me);
            shmem_ctx_putmem_nbi(ctx, cells.add(3).cast(), mine.as_ptr().cast(), 8, 1 - me);
            shmem_ctx_quiet(ctx);
            assert_eq!(long::ctx_g(ctx, cells.add(2), 1 - me), 7);
            assert_eq!(long::ctx_atomic_fetch_add(ctx, cells, 10, 1 - me), 5);
            shmem_ctx_quiet(ctx);
            shmem_barrier_all();
            assert_eq!(cells.cast::<[c_long; 4]>().read(), [15, 6, 7, 5]);
            shmem_ctx_destroy(ctx);
            shmem_free(cells.cast());
        }
        let default = shmem_ctx_default();
        let cell = zeroed::<c_int>(1);
        int::ctx_p(default, cell, 9, 1 - me);
        shmem_ctx_quiet(default);
        assert_eq!(int::ctx_g(default, cell, 1 - me), 9);
        shmem_barrier_all();
        shmem_free(cell.cast());
    });
}

#[test]
fn atomics_change_a_word_in_one_step() {
    macro_rules! counters {
        ($pe:ident; $($module:ident: $type:ty;)*) => {$({
            let cell = zeroed::<$type>(1);
            for _ in 0..1000 {
                $module::atomic_fetch_add(cell, 2, 0);
                $module::atomic_add(cell, 1, 0);
                $module::atomic_inc(cell, 0);
                $module::atomic_fetch_inc(cell, 0);
            }
            shmem_barrier_all();
            assert_eq!($module::atomic_fetch(cell, 0), 5000 * $pe.all as $type, stringify!($module));
            shmem_barrier_all();
            if $pe.me == 0 {
                assert_eq!($module::atomic_swap(cell, 7, 1), 0, stringify!($module));
                // Open MPI's of 32 bits overwrites its own stack: see the README.
                if size_of::<$type>() == 8 || !SHMEM_VENDOR_STRING.contains("open-mpi") {
                    assert_eq!($module::atomic_compare_swap(cell, 8, 9, 1), 7, stringify!($module));
                    assert_eq!($module::atomic_compare_swap(cell, 7, 10, 1), 7, stringify!($module));
                    assert_eq!($module::atomic_fetch(cell, 1), 10, stringify!($module));
                }
                $module::atomic_set(cell, 11, 1);
                shmem_quiet();
                assert_eq!($module::atomic_fetch(cell, 1), 11, stringify!($module));
            }
            shmem_barrier_all();
            shmem_free(cell.cast());
        })*};
    }
    // SAFETY: `in_job` has started the library, and all PEs are here. `cell` is a symmetric word of the type of the call, to which PEs do
    // nothing but atomics, and that is freed after a barrier.
    in_job(2, |pe| unsafe {
        counters! { pe; int: c_int; long: c_long; longlong: i64; uint: u32; ulong: u64; ulonglong: u64; }
        let cell = zeroed::<f64>(1);
        if pe.me == 0 {
            double::atomic_set(cell, 1.5, 1);
            shmem_quiet();
            assert_eq!(double::atomic_swap(cell, 2.5, 1), 1.5);
            assert_eq!(double::atomic_fetch(cell, 1), 2.5);
        }
        shmem_barrier_all();
        shmem_free(cell.cast());
    });
}

#[test]
fn atomics_on_bits_change_a_word_in_one_step() {
    macro_rules! bits {
        ($pe:ident; $($module:ident: $type:ty;)*) => {$({
            let cell = zeroed::<$type>(1);
            $module::atomic_or(cell, 1 << $pe.me, 0);
            shmem_barrier_all();
            if $pe.me == 1 {
                assert_eq!($module::atomic_fetch_or(cell, 4, 0), 3, stringify!($module));
                assert_eq!($module::atomic_fetch_and(cell, 6, 0), 7, stringify!($module));
                assert_eq!($module::atomic_fetch_xor(cell, 3, 0), 6, stringify!($module));
                $module::atomic_xor(cell, 8, 0);
                $module::atomic_and(cell, 12, 0);
                shmem_quiet();
                assert_eq!($module::atomic_fetch_or(cell, 0, 0), 12, stringify!($module));
            }
            shmem_barrier_all();
            shmem_free(cell.cast());
        })*};
    }
    // With shared memory, UCX gets the operations wrong that fetch: see the README.
    // SAFETY: `in_job` has started the library, and all PEs are here. `cell` is a symmetric word of the type of the call, to which PEs do
    // nothing but atomics, and that is freed after a barrier.
    in_job_by(&[("UCX_TLS", "tcp,self")], 2, |pe| unsafe {
        bits! { pe; uint: u32; ulong: u64; ulonglong: u64; int32: i32; int64: i64; uint32: u32; uint64: u64; }
    });
}

#[test]
fn waiting_sees_what_was_put_before_the_fence() {
    // SAFETY: `in_job` has started the library, and all PEs are here. The three cells are symmetric. Each is written by one PE, and read by
    // the other when that one has put the cell behind the fence.
    in_job(2, |Pe { me, .. }| unsafe {
        let cells = zeroed::<c_long>(3);
        for round in 1..=200 {
            if me == 0 {
                long::p(cells, 10 * round, 1);
                shmem_fence();
                long::p(cells.add(1), round, 1);
                long::wait_until(cells.add(2), SHMEM_CMP_GE, round);
            } else {
                while long::test(cells.add(1), SHMEM_CMP_EQ, round) == 0 {}
                long::wait_until(cells.add(1), SHMEM_CMP_NE, round - 1);
                assert_eq!(cells.read_volatile(), 10 * round);
                long::p(cells.add(2), round, 0);
            }
        }
        shmem_sync_all();
        shmem_free(cells.cast());
    });
}

#[test]
fn signals_follow_what_they_announce() {
    // SAFETY: `in_job` has started the library, and all PEs are here. `data` has 800 bytes and `signal` 8 on each PE; `mine` lives until the
    // barrier. `data` is read after the signal that follows it.
    in_job(2, |Pe { me, .. }| unsafe {
        let data = zeroed::<u64>(100);
        let signal = zeroed::<u64>(1);
        let mine = [me as u64 + 7; 100];
        if me == 0 {
            shmem_putmem_signal(
                data.cast(),
                mine.as_ptr().cast(),
                800,
                signal,
                5,
                SHMEM_SIGNAL_SET,
                1,
            );
            shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 3);
            assert_eq!(*data, 8);
        } else {
            assert_eq!(shmem_signal_wait_until(signal, SHMEM_CMP_GT, 4), 5);
            assert!((0..100).all(|place| *data.add(place) == 7));
            let default = shmem_ctx_default();
            shmem_putmem_signal_nbi(
                data.cast(),
                mine.as_ptr().cast(),
                8,
                signal,
                1,
                SHMEM_SIGNAL_ADD,
                0,
            );
            shmem_ctx_putmem_signal(
                default,
                data.cast(),
                mine.as_ptr().cast(),
                8,
                signal,
                1,
                SHMEM_SIGNAL_ADD,
                0,
            );
            shmem_ctx_putmem_signal_nbi(
                default,
                data.cast(),
                mine.as_ptr().cast(),
                8,
                signal,
                1,
                SHMEM_SIGNAL_ADD,
                0,
            );
            shmem_quiet();
        }
        shmem_barrier_all();
        assert_eq!(shmem_signal_fetch(signal), if me == 0 { 3 } else { 5 });
        shmem_free(data.cast());
        shmem_free(signal.cast());
    });
}

#[test]
fn a_lock_has_one_holder() {
    // SAFETY: `in_job` has started the library, and all PEs are here. Lock and count are symmetric words of their types, and the count is
    // accessed under the lock, later after a barrier.
    in_job(2, |Pe { all, .. }| unsafe {
        let (lock, count) = (zeroed::<c_long>(1), zeroed::<c_long>(1));
        for round in 0..200 {
            if round % 2 == 0 {
                shmem_set_lock(lock);
            } else {
                while shmem_test_lock(lock) != 0 {}
            }
            long::p(count, long::g(count, 0) + 1, 0);
            shmem_clear_lock(lock);
        }
        shmem_barrier_all();
        assert_eq!(long::g(count, 0), 200 * c_long::from(all));
        shmem_barrier_all();
    });
}

#[test]
fn an_exit_ends_all_with_its_code() {
    // SAFETY: `run` has started the library, and all PEs are here. The calls need nothing else.
    let output = job::run(&[], 2, |Pe { me, .. }| unsafe {
        if me == 1 {
            shmem_global_exit(42);
        }
        shmem_barrier_all();
    });
    if let Some(output) = output {
        assert_eq!(output.status.code(), Some(42), "{}", job::text(&output));
    }
}
