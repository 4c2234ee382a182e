//! Operations that borrow their buffers.

use std::mem;

use coarray::asynchronous::async_scope;
use coarray::prelude::*;
use coarray_proptests::{Setting, mix, panic_of};

use crate::{is_complete, tear};

#[test]
fn buffers_of_leaked_cofutures_are_filled_when_the_scope_ends_and_never_later() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, images) = (this_image() as u64, num_images());
            let mut coarray = Coarray::<[u64]>::from_fn(64, |index| mix(me, index as u64));
            let mut letters = Coarray::<[char]>::from_fn(64, |_| 'a');
            let (open, letters) = coarray::open((&mut coarray, &mut letters));
            for round in 0..200 {
                let image = (this_image() + round) % images;
                let mut buffer = vec![0; 64];
                let mut words = vec!['-'; 64];
                let source = vec!['a'; 64];
                async_scope(|scope| {
                    mem::forget(open.at(image).get_into_async(&mut buffer[..], scope));
                    mem::forget(letters.at(image).put_from_async(&source[..], scope));
                    mem::forget(letters.at(image).get_into_async(&mut words[..], scope));
                });
                let expected = |index| mix(image as u64, index);
                assert!((0..64).map(expected).eq(buffer.iter().copied()));
                assert!(words.iter().all(|&letter| letter == 'a'));
                drop((buffer, words, source));
                // Likely in the same memory.
                let (canary, other) = (vec![!0u64; 64], vec!['z'; 64]);
                quiet();
                assert!(canary.iter().all(|&word| word == !0));
                assert!(other.iter().all(|&letter| letter == 'z'));
            }
        });
    }
}

#[test]
fn who_waits_gets_the_buffer_back_within_the_scope() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let me = this_image() as u32;
            let mut coarray = Coarray::new([me, me + 1, me + 2]);
            let mut truths = Coarray::new([true, false, true]);
            let (open, truths) = coarray::open((&mut coarray, &mut truths));
            let (mut near, mut far, mut seen) = ([0; 3], [0; 3], [false; 3]);
            let last = num_images() - 1;
            let sum = async_scope(|scope| {
                let other = open.at(last).get_into_async(&mut far, scope);
                let own = open.here().get_into_async(&mut near, scope).wait();
                assert_eq!(*own, [me, me + 1, me + 2]);
                own[0] = 99;
                let seen = truths.here().get_into_async(&mut seen, scope).wait();
                assert_eq!(*seen, [true, false, true]);
                seen[1] = true;
                assert_eq!(
                    is_complete(&other),
                    setting.reaches(this_image(), last) || last == this_image()
                );
                // The same buffer again, as long as the scope lasts.
                let own = open.here()[1..].get_into_async(&mut own[1..], scope).wait();
                own.iter().sum::<u32>() + other.wait()[0]
            });
            assert_eq!(sum, 2 * me + 3 + last as u32);
            assert_eq!((near, seen), ([99, me + 1, me + 2], [true; 3]));
            assert_eq!(far, [last as u32, last as u32 + 1, last as u32 + 2]);
        });
    }
}

#[test]
fn a_panic_in_the_scope_does_not_leave_buffers_to_the_fabric() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut coarray = Coarray::new([5u64; 9]);
            let mut truths = Coarray::new([true; 9]);
            let (open, truths) = coarray::open((&mut coarray, &mut truths));
            let (mut numbers, mut seen) = (Box::new([0; 9]), [false; 9]);
            let text = panic_of(|| {
                async_scope(|scope| {
                    mem::forget(open.at(0).get_into_async(&mut *numbers, scope));
                    let _dropped = truths.at(0).get_into_async(&mut seen, scope);
                    panic!("in the scope");
                })
            });
            assert_eq!(text, "in the scope");
            assert_eq!((*numbers, seen), ([5; 9], [true; 9]));
        });
    }
}

#[test]
fn bytes_that_are_no_values_are_reported_and_kept_from_the_buffer() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut coarray = Coarray::new([true; 3]);
            let open = coarray.open();
            let last = num_images() - 1;
            let expected = format!("got bytes from image {last} that are no valid `bool`");
            if this_image() == 0 {
                tear(&open.at(last)[1], 2);
                let (mut torn, mut whole) = ([false; 3], [false; 3]);
                let text = panic_of(|| {
                    async_scope(|scope| {
                        let fetched = open.at(last).get_into_async(&mut torn, scope);
                        open.at(last)[1].put(true);
                        mem::forget(open.at(last).get_into_async(&mut whole, scope));
                        let text = panic_of(|| fetched.wait());
                        assert!(text.contains(&expected), "{text}");
                    })
                });
                assert!(text.contains(&expected), "{text}");
                assert_eq!((torn, whole), ([true, false, false], [true; 3]));
                tear(&open.at(last)[1], 2);
                let text = panic_of(|| {
                    async_scope(|scope| {
                        mem::forget(open.at(last)[1].get_into_async(&mut whole[0], scope));
                    })
                });
                assert!(text.contains(&expected), "{text}");
                assert_eq!(whole, [true; 3]);
                open.at(last)[1].put(true);
            }
        });
    }
}

#[test]
fn extents_are_compared_before_anything_is_issued() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut coarray = Coarray::<[u32]>::zeroed(5);
            let open = coarray.open();
            let last = num_images() - 1;
            let (mut short, long) = (vec![1; 4], vec![1; 6]);
            async_scope(|scope| {
                let texts = [
                    panic_of(|| open.at(last).get_into_async(&mut short[..], scope)),
                    panic_of(|| open.at(last).put_from_async(&long[..], scope)),
                ];
                for (text, length) in texts.into_iter().zip([4, 6]) {
                    let expected = format!(
                        "a run of {length} values does not fit a coref with extent 5 on image {last}"
                    );
                    assert!(text.contains(&expected), "{text}");
                }
            });
            assert_eq!(short, [1; 4]);
            assert_eq!(open.at(last).to_vec(), [0; 5]);
        });
    }
    assert!(panic_of(|| async_scope(|_| ())).contains("not an image"));
}

#[test]
fn rows_travel_in_both_directions_at_once() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let (right, left) = ((me + 1) % images, (me + images - 1) % images);
            let mut grid = Coarray::<[[usize; 8]]>::zeroed(4);
            grid[1] = [2 * me; 8];
            grid[2] = [2 * me + 1; 8];
            let open = grid.open();
            let (first, second) = (open.here()[1].get(), open.here()[2].get());
            async_scope(|scope| {
                drop(open.at(left)[3].put_from_async(&first, scope));
                drop(open.at(right)[0].put_from_async(&second, scope));
            });
            open.close();
            assert_eq!(grid[0], [2 * left + 1; 8]);
            assert_eq!(grid[3], [2 * right; 8]);
        });
    }
}
