//! Operations on regions that are leaked, unwound or of nothing: no memory is written that is gone, and none beside the region.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use coarray::asynchronous::async_scope;
use coarray::ndarray::{Array1, Array2, Axis};
use coarray::prelude::*;
use coarray::{Launch, quiet};

use crate::text;
use crate::wakers::{panics, with_waker};

/// Jobs in which places are direct, in which operations wait in queues, and in which puts overtake each other.
fn everywhere(body: impl Fn() + Sync) {
    Launch::new(2).run(&body).unwrap();
    Launch::new(2).direct(false).run(&body).unwrap();
    #[cfg(feature = "simulated")]
    Launch::new(2).simulated_nodes(2).run(&body).unwrap();
}

fn matrix() -> [[u64; 9]; 9] {
    std::array::from_fn(|row| std::array::from_fn(|column| (9 * row + column) as u64))
}

#[test]
fn what_is_leaked_is_complete_when_the_scope_ends_also_by_a_panic() {
    everywhere(|| {
        let mut x = Coarray::new(matrix());
        {
            let x = x.open();
            let there = x.at(1 - this_image());
            let (mut fetched, mut flags) = (vec![0; 3], vec![7u64; 3]);
            let stored = vec![5; 9];
            let panic = catch_unwind(AssertUnwindSafe(|| {
                async_scope(|scope| {
                    forget(there.region((..3, 4)).get_into_async(&mut fetched, scope));
                    forget(there.region((3, ..)).put_from_async(&stored, scope));
                    forget(
                        there
                            .region(((..).every(4), 0))
                            .get_into_async(&mut flags, scope),
                    );
                    panic!("in the middle");
                })
            }));
            assert_eq!(text(&*panic.unwrap_err()), "in the middle");
            assert_eq!(
                (&fetched[..], &flags[..]),
                (&[4, 13, 22][..], &[0, 36, 72][..])
            );
            drop((fetched, flags, stored)); // nobody uses them any more
            forget(there.region((4, ..)).fill_async(6));
            forget(
                there
                    .region((5, ..))
                    .copy_from_async(&there.region((0, ..))),
            );
        }
        assert_eq!((x[3], x[4], x[5]), ([5; 9], [6; 9], matrix()[0]));
    });
}

#[test]
fn values_of_which_not_all_bytes_are_some_arrive_when_the_scope_ends() {
    everywhere(|| {
        let mut x = Coarray::new([['a', 'b'], ['c', 'd']]);
        let x = x.open();
        let mut column = ['-'; 2];
        async_scope(|scope| {
            forget(
                x.at(1 - this_image())
                    .column(1)
                    .get_into_async(&mut column, scope),
            );
        });
        assert_eq!(column, ['b', 'd']);
    });
}

#[test]
fn a_waker_that_panics_leaves_no_operation_on_memory_that_is_gone() {
    let body = || {
        let mut pairs = Coarray::new([0u64; 2]);
        let mut x = Coarray::<[[u64; 1000]; 8]>::from_fn(|row| [row as u64; 1000]);
        let (pairs, x) = coarray::open((&mut pairs, &mut x));
        let there = x.at(1 - this_image());
        for part in [0..8, 0..900] {
            let waits = || {
                let mut target = vec![0; 8 * part.len()];
                let source = vec![9; 8 * part.len()];
                let region = there.region((.., part.clone()));
                let get = catch_unwind(AssertUnwindSafe(|| region.get_into(&mut target)));
                drop(target);
                let put = catch_unwind(AssertUnwindSafe(|| region.put_from(&source)));
                drop(source);
                let quiet = catch_unwind(quiet);
                let panics = [get, put, quiet].into_iter().filter_map(Result::err);
                for panic in panics {
                    if text(&*panic) != "the waker panics" {
                        resume_unwind(panic);
                    }
                }
            };
            with_waker(pairs.at(1 - this_image()), panics, waits);
        }
        assert_eq!(there.region((3, ..2)).to_vec(), [9, 9]);
    };
    Launch::new(2).direct(false).run(body).unwrap();
    #[cfg(feature = "simulated")]
    Launch::new(2).simulated_nodes(2).run(body).unwrap();
}

#[test]
fn regions_of_nothing_move_nothing() {
    everywhere(|| {
        let mut x = Coarray::new(matrix());
        let mut none = Coarray::<[[u64; 9]]>::from_fn(0, |_| [0; 9]);
        {
            let (x, none) = coarray::open((&mut x, &mut none));
            let (x, none) = (x.at(1 - this_image()), none.at(1 - this_image()));
            let empty = [
                x.region((9.., ..)),
                x.region((4..4, 3)),
                none.region((.., 8)),
            ];
            for region in [empty[0], empty[1], empty[2], x.region((.., 9..9))] {
                assert!(region.is_empty() && region.to_vec().is_empty());
                region.put_from(&[]);
                region.get_into(&mut []);
                region.fill(99);
                region.copy_from(&region);
                region.fill_async(99).wait();
                region.copy_from_async(&region).wait();
                async_scope(|scope| {
                    region.put_from_async(&[], scope).wait();
                    assert!(region.get_into_async(&mut [], scope).wait().is_empty());
                });
            }
            x.region((4..4, 3..5))
                .put_from_array(&Array2::zeros((0, 2)));
        }
        assert_eq!(*x, matrix());
        let mut units = Coarray::<[[[u8; 0]; 7]; 5]>::zeroed();
        let units = units.open();
        assert_eq!(units.at(0).region((.., .., ..)).to_vec(), []);
        units.at(0).region((1, 2, ..)).fill(3);
    });
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn steps_and_indices_of_any_size_stay_within_the_array() {
    everywhere(|| {
        let mut x = Coarray::new(matrix());
        let x = x.open();
        let there = x.at(1 - this_image());
        let far = (8..).every(usize::MAX).every(usize::MAX);
        assert_eq!(there.region((far.clone(), far)).to_vec(), [80]);
        assert_eq!(there.region(((..).every(usize::MAX), 1)).to_vec(), [1]);
        let refused: [&dyn Fn(); 6] = [
            &|| _ = there.region((9, 0)),
            &|| _ = there.region((0, usize::MAX)),
            &|| _ = there.region((.., 3..10)),
            &|| _ = there.region((..=usize::MAX, 0)),
            &|| _ = there.region([5..4, 0..1]),
            &|| _ = there.region(((8..11).every(5), 0)),
        ];
        for region in refused {
            let panic = catch_unwind(AssertUnwindSafe(region)).unwrap_err();
            let text = text(&*panic);
            assert!(
                text.contains("dimension") && text.contains("extent 9"),
                "{text}"
            );
        }
    });
}

#[test]
fn nothing_moves_where_extents_differ() {
    everywhere(|| {
        let mut x = Coarray::new(matrix());
        {
            let x = x.open();
            let there = x.at(1 - this_image());
            let block = there.region((..2, ..3));
            let mut short = vec![1; 5];
            let turned = Array2::<u64>::zeros((3, 2));
            let refused: [&mut dyn FnMut(); 7] = [
                &mut || block.get_into(&mut short),
                &mut || block.put_from(&[1; 7]),
                &mut || block.put_from_array(&turned),
                &mut || block.put_from_array(&Array1::zeros(6)),
                &mut || block.copy_from(&there.region((..3, ..2))),
                &mut || drop(block.copy_from_async(&there.region((..2, ..2)))),
                &mut || async_scope(|scope| drop(block.put_from_async(&[1; 5], scope))),
            ];
            for operation in refused {
                catch_unwind(AssertUnwindSafe(operation)).unwrap_err();
            }
            assert_eq!(short, [1; 5]);
        }
        assert_eq!(*x, matrix());
    });
}

#[test]
fn copies_between_regions_that_overlap_take_what_was_there_before() {
    everywhere(|| {
        let mut x = Coarray::new(matrix());
        {
            let x = x.open();
            let there = x.at(1 - this_image());
            there
                .region((1.., 1..))
                .copy_from(&there.region((..8, ..8)));
        }
        let old = matrix();
        for row in 1..9 {
            assert_eq!(x[row][1..], old[row - 1][..8]);
        }
    });
}

#[test]
fn an_array_of_one_value_in_all_places_is_a_source() {
    everywhere(|| {
        let mut x = Coarray::new(matrix());
        {
            let x = x.open();
            let one = Array1::from_elem(1, 3);
            let all = one.broadcast((2, 9)).unwrap();
            x.at(1 - this_image())
                .region((..2, ..))
                .put_from_array(&all);
            let mut got = Array2::zeros((9, 9));
            let backwards = &mut got.view_mut();
            backwards.invert_axis(Axis(0));
            backwards.invert_axis(Axis(1));
            x.at(1 - this_image())
                .region((.., ..))
                .get_into_array(backwards);
            assert_eq!((got[[8, 8]], got[[0, 0]], got[[0, 8]]), (3, 80, 72));
        }
        assert_eq!(x[..2], [[3; 9]; 2]);
    });
}

#[test]
fn lists_of_indices_that_are_wrong_move_nothing_and_name_the_first() {
    everywhere(|| {
        let mut x = Coarray::<[u64]>::from_fn(9, |index| index as u64);
        {
            let x = x.open();
            let there = x.at(1 - this_image());
            let mut got = [7; 3];
            for list in [[0, 9, 10], [1, 2, usize::MAX]] {
                let gather = || there.gather_from(&list, &mut got);
                let scatter = || there.scatter_to(&list, &[1; 3]);
                let later = || async_scope(|_| drop(there.scatter_to_async(&list, &[1; 3])));
                let panics = [
                    catch_unwind(AssertUnwindSafe(gather)),
                    catch_unwind(AssertUnwindSafe(scatter)),
                    catch_unwind(AssertUnwindSafe(later)),
                ];
                for panic in panics {
                    let panic = panic.unwrap_err();
                    let position = list.iter().position(|&index| index > 8).unwrap();
                    let said = format!("index {} at position {position} ", list[position]);
                    assert!(text(&*panic).starts_with(&said), "{}", text(&*panic));
                    assert!(text(&*panic).contains("extent 9"));
                }
            }
            assert!(catch_unwind(AssertUnwindSafe(|| there.scatter_to(&[1, 2], &[1]))).is_err());
            for index in [0, 1, usize::MAX / 2, usize::MAX / 2 + 1, usize::MAX] {
                let of_none = || there[..0].gather_from(&[index], &mut [0]);
                assert!(catch_unwind(AssertUnwindSafe(of_none)).is_err());
                let beyond = || there.gather_from(&[3, index.max(9)], &mut [0; 2]);
                assert!(catch_unwind(AssertUnwindSafe(beyond)).is_err());
            }
            assert_eq!(got, [7; 3]);
            there.gather_from(&[], &mut []);
            there.scatter_to(&[], &[]);
            there[..0].scatter_to_async(&[], &[]).wait();
            async_scope(|scope| {
                forget(there.gather_from_async(&[8, 0, 8], &mut got, scope));
                forget(there.scatter_to_async(&[], &[]));
            });
            assert_eq!(got, [8, 0, 8]);
        }
        assert!(x.iter().copied().eq(0..9));
    });
}
