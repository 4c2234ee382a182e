//! Lists of indices over all images that are leaked, unwound or wrong: no memory is written that is gone, and none beside the items.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use coarray::asynchronous::async_scope;
use coarray::grid::{Blocks, ImageGrid};
use coarray::prelude::*;
use coarray::{Launch, quiet};

use crate::text;
use crate::wakers::{panics, with_waker};

/// Jobs in which places are direct, in which operations wait in queues, in which puts overtake each other, and in which some places
/// are direct.
fn everywhere(body: impl Fn() + Sync) {
    Launch::new(3).run(&body).unwrap();
    Launch::new(3).direct(false).run(&body).unwrap();
    #[cfg(feature = "simulated")]
    for nodes in [2, 3] {
        Launch::new(3).simulated_nodes(nodes).run(&body).unwrap();
    }
}

#[test]
fn what_is_leaked_is_complete_when_the_scope_ends_also_by_a_panic() {
    everywhere(|| {
        let mut x = Coarray::<[u64]>::from_fn(4, |i| (10 * this_image() + i) as u64);
        {
            let x = x.open();
            let mut fetched = vec![99; 3];
            let panic = catch_unwind(AssertUnwindSafe(|| {
                async_scope(|scope| {
                    let all = x.global();
                    forget(all.gather_from_async(&[11, 0, 6], &mut fetched, scope));
                    panic!("in the middle");
                })
            }));
            assert_eq!(text(&*panic.unwrap_err()), "in the middle");
            assert_eq!(fetched, [23, 0, 12]);
            drop(fetched); // nobody uses it any more
            sync_all();
            let mine = [4, 8, 0].map(|item| item + this_image());
            let values = vec![7; 3];
            forget(x.global().scatter_to_async(&mine, &values));
            drop(values);
        }
        let seen: Vec<u64> = x[..3].to_vec();
        assert_eq!((seen, x[3]), (vec![7; 3], (10 * this_image() + 3) as u64));
    });
}

#[test]
fn a_waker_that_panics_leaves_no_operation_on_memory_that_is_gone() {
    let body = || {
        let mut pairs = Coarray::new([0u64; 2]);
        let mut x = Coarray::<[[u64; 100]]>::from_fn(50, |row| [row as u64; 100]);
        let (pairs, x) = coarray::open((&mut pairs, &mut x));
        let next = (this_image() + 1) % num_images();
        let indices: Vec<usize> = (0..100).map(|i| i * 7 % (50 * num_images())).collect();
        let waits = || {
            let mut target = vec![[0; 100]; indices.len()];
            let source = vec![[9; 100]; indices.len()];
            let all = x.global();
            let get = catch_unwind(AssertUnwindSafe(|| all.gather_from(&indices, &mut target)));
            drop(target);
            let put = catch_unwind(AssertUnwindSafe(|| all.scatter_to(&indices, &source)));
            drop(source);
            let quiet = catch_unwind(quiet);
            for panic in [get, put, quiet].into_iter().filter_map(Result::err) {
                if text(&*panic) != "the waker panics" {
                    resume_unwind(panic);
                }
            }
        };
        with_waker(pairs.at(next), panics, waits);
    };
    Launch::new(3).direct(false).run(body).unwrap();
    #[cfg(feature = "simulated")]
    Launch::new(3).simulated_nodes(3).run(body).unwrap();
}

#[test]
fn wrong_lists_and_grids_touch_nothing() {
    everywhere(|| {
        let mut x = Coarray::<[char]>::from_fn(4, |_| 'x');
        let grid = ImageGrid::in_rows_of(2).unwrap();
        let blocks = Blocks::new([11], ImageGrid::new([3]).unwrap()).unwrap();
        {
            let x = x.open();
            let mut two = ['-'; 2];
            let refused: [&mut dyn FnMut(); 9] = [
                &mut || x.global().scatter_to(&[0, 12], &['a'; 2]),
                &mut || x.global().scatter_to(&[usize::MAX], &['a']),
                &mut || x.global().scatter_to(&[0, 1], &['a'; 3]),
                &mut || drop(x.global().scatter_to_async(&[0, 12], &['a'; 2])),
                &mut || x.in_blocks(&blocks).scatter_to(&[0, 11], &['a'; 2]),
                &mut || x.global().gather_from(&[0, 12], &mut two),
                &mut || x.on(&grid).at([1, 1])[0].put('a'),
                &mut || x.on(&grid).at([0, 2])[0].put('a'),
                &mut || x.on(&grid).at([usize::MAX, usize::MAX])[0].put('a'),
            ];
            for operation in refused {
                catch_unwind(AssertUnwindSafe(operation)).unwrap_err();
            }
            assert_eq!(two, ['-'; 2]);
            x.global().gather_from(&[], &mut []);
            x.global().scatter_to(&[], &[]);
        }
        assert_eq!(x[..], ['x'; 4]);
        let mut none = Coarray::<[u64]>::from_fn(0, |_| 0);
        let none = none.open();
        assert!(none.global().is_empty());
        none.global().gather_from(&[], &mut []);
        catch_unwind(AssertUnwindSafe(|| none.global().at(0).get())).unwrap_err();
    });
}

#[test]
fn bytes_that_are_no_values_do_not_get_out_of_a_gather() {
    everywhere(|| {
        let mut x = Coarray::<[bool]>::from_fn(5, |i| i % 2 == 0);
        let x = x.open();
        let mut seen = [false; 6];
        async_scope(|scope| {
            // Bytes need a check on the way.
            forget(
                x.global()
                    .gather_from_async(&[0, 6, 12, 1, 7, 13], &mut seen, scope),
            );
        });
        assert_eq!(seen, [true, false, true, false, true, false]);
    });
}

#[test]
fn a_grid_of_another_job_names_no_memory() {
    let grids = Launch::new(4).run(|| ImageGrid::new([2, 2]).unwrap());
    let grids = grids.unwrap();
    everywhere(|| {
        let mut x = Coarray::new(1u8);
        let x = x.open();
        // Its team has the same key, and four images in place of three.
        for at in [[0, 0], [1, 1]] {
            let seen = catch_unwind(AssertUnwindSafe(|| x.on(&grids[3]).at(at).get()));
            assert!(seen.is_err(), "{at:?}");
        }
    });
}
