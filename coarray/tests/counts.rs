//! What a job counts of its puts, gets and atomic operations.

use coarray::asynchronous::async_scope;
use coarray::collectives::{co_allgather, co_broadcast, co_sum};
use coarray::events::PutNotifyAsync as _;

use coarray::prelude::*;
use coarray::testing::record_messages;
use coarray::{Launch, Profile, Stats, stats};

/// What each of `images` images moved in `body`, which gets the results of `prepare`.
fn moved<S>(
    images: usize,
    prepare: impl Fn() -> S + Sync,
    body: impl Fn(&mut S) + Sync,
) -> Vec<Stats> {
    let launch = Launch::new(images).heap(4 << 20).profile(Profile::Puts);
    let moved = launch.run(|| {
        let mut subject = prepare();
        let before = stats().unwrap();
        body(&mut subject);
        stats().unwrap() - before
    });
    moved.unwrap()
}

/// The next image, round robin.
fn next() -> usize {
    (this_image() + 1) % num_images()
}

fn zeroed() -> Coarray<[u64; 64]> {
    Coarray::<[u64; 64]>::zeroed()
}

#[test]
fn a_job_that_does_not_count_has_no_stats() {
    for profile in [Profile::Off, Profile::Waits] {
        let stats = Launch::new(2).profile(profile).run(stats).unwrap();
        assert_eq!(stats, [None, None]);
    }
}

#[test]
#[should_panic(expected = "this thread is not an image")]
fn other_threads_have_no_stats() {
    let _ = stats();
}

#[test]
fn counts_do_not_go_back() {
    let outcome = Launch::new(1).profile(Profile::Puts).run(|| {
        let mut x = Coarray::new(0);
        let x = x.open();
        let before = stats().unwrap();
        x.at(0).put(1);
        before - stats().unwrap()
    });
    let report = outcome.unwrap_err().to_string();
    assert!(
        report.contains("the later counts come first") && report.contains(file!()),
        "{report}"
    );
}

#[test]
fn puts_gets_and_their_bytes_are_counted_exactly() {
    for images in [1, 2, 4] {
        for sent in moved(images, zeroed, |x| {
            let x = x.open();
            let there = x.at(next());
            for i in 0..10 {
                there[i].put(1);
            }
            assert_eq!(there[3].get(), 1);
            there[..4].put_from(&[7; 4]);
            there[8..12].copy_from(&there[..4]);
            there.fill(3);
            assert_eq!(there[1..3].to_vec(), [3, 3]);
            let _own = x.here()[0].get();
        }) {
            let puts = 10 + 1 + 1 + 1;
            let gets = 1 + 1 + 1 + 1;
            let bytes = 8 * (10 + 1 + 4 + 2 * 4 + 64 + 2 + 1);
            assert_eq!(
                (sent.puts, sent.gets, sent.bytes),
                (puts, gets, bytes),
                "{sent:?}"
            );
            assert_eq!(
                (sent.atomics, sent.notified, sent.posts, sent.messages),
                (0, 0, 0, 0)
            );
        }
    }
}

#[test]
fn a_region_is_one_operation() {
    let prepare = Coarray::<[[u32; 10]; 10]>::zeroed;
    for sent in moved(2, prepare, |x| {
        let x = x.open();
        let there = x.at(next());
        there.column(3).put_from(&[1; 10]);
        there.region((2..5, 1..4)).put_from(&[2; 9]);
        there[4].section(1.., 3).put_from(&[5; 3]);
        there.region((2..5, ..)).fill(0);
    }) {
        assert_eq!(
            (sent.puts, sent.bytes),
            (4, 4 * (10 + 9 + 3 + 30)),
            "{sent:?}"
        );
    }
}

#[test]
fn a_list_is_one_operation_for_each_image() {
    for sent in moved(4, zeroed, |x| {
        let x = x.open();
        x.at(next())[..].scatter_to(&[1, 5, 60], &[1, 2, 3]);
        let mut values = [0; 2];
        x.at(next())[..].gather_from(&[1, 60], &mut values);
        assert_eq!(values, [1, 3]);
    }) {
        assert_eq!((sent.puts, sent.gets), (1, 1), "{sent:?}");
        assert!(sent.bytes >= 8 * 5);
    }
}

#[test]
fn what_goes_on_while_images_compute_is_counted() {
    for sent in moved(2, zeroed, |x| {
        let x = x.open();
        let there = x.at(next());
        there[0].put_async(1).wait();
        let values = [3; 8];
        async_scope(|scope| {
            drop(there[8..16].put_from_async(&values, scope));
        });
        assert_eq!(there[9].get_async().wait(), 3);
    }) {
        assert_eq!(
            (sent.puts, sent.gets, sent.bytes),
            (2, 1, 8 + 64 + 8),
            "{sent:?}"
        );
    }
}

#[test]
fn atomic_operations_of_all_kinds_are_counted() {
    let prepare = || Coarray::<[Coatomic<u64>; 8]>::from_fn(|_| Coatomic::new(0));
    for sent in moved(4, prepare, |x| {
        let there = x.at(next());
        for i in 0..8 {
            there[i].add(1);
        }
        let _ = there[0].fetch_max(7);
        there[1].add_async(1);
        let _ = x[2].load();
        there[..].add_at(&[1, 2, 2], &[1, 1, 1]);
        // A coatomic that is in no coarray.
        Coatomic::new(0_u64).add(1);
    }) {
        assert_eq!((sent.atomics, sent.bytes), (8 + 3 + 3, 8 * 14), "{sent:?}");
        assert_eq!((sent.puts, sent.gets), (0, 0));
    }
}

#[test]
fn plain_values_that_are_used_as_coatomics_are_counted() {
    for sent in moved(2, zeroed, |x| {
        x.open().at(next())[0].as_atomic().add(2);
    }) {
        assert_eq!((sent.atomics, sent.bytes), (1, 8), "{sent:?}");
    }
}

#[test]
fn puts_that_notify_are_no_puts() {
    let prepare = || (zeroed(), Coarray::new(Coevent::new()));
    for sent in moved(2, prepare, |(x, events)| {
        let x = x.open();
        let (there, event) = (x.at(next()), events.at(next()));
        there[0].put_notify(5, event);
        there[..4].put_from_notify(&[1; 4], event);
        there.section(.., 4).put_from_notify(&[2; 16], event);
        there[1].put_notify_async(3, event).wait();
        event.post();
        events.wait_for(5);
    }) {
        assert_eq!(
            (sent.notified, sent.posts, sent.puts),
            (4, 1, 0),
            "{sent:?}"
        );
        assert_eq!(sent.bytes, 8 * (1 + 4 + 16 + 1 + 1));
    }
}

#[test]
fn messages_of_collectives_are_those_that_tests_record() {
    for images in [1, 2, 4] {
        let launch = Launch::new(images).profile(Profile::Puts);
        let both = launch.run(|| {
            let before = stats().unwrap();
            let ((), recorded) = record_messages(|| {
                co_sum(&mut 1.5);
                co_sum(&mut vec![1_u64; 10_000]);
                co_broadcast(&mut vec![2_u8; 100_000], num_images() - 1);
                let mut all = vec![0; 3 * num_images()];
                co_allgather(&[this_image(); 3], &mut all);
            });
            (stats().unwrap() - before, recorded)
        });
        for (moved, recorded) in both.unwrap() {
            let bytes: usize = recorded.iter().map(|message| message.bytes).sum();
            assert_eq!(moved.messages, recorded.len() as u64);
            assert_eq!(moved.message_bytes, bytes as u64);
            assert_eq!(moved.messages > 0, images > 1);
            assert_eq!((moved.puts, moved.gets, moved.bytes), (0, 0, 0));
        }
    }
}

#[test]
fn what_the_library_moves_for_itself_is_not_counted() {
    let prepare = || Ragged::from_fn(this_image() + 1, |_| 0_u64);
    for sent in moved(3, prepare, |x| {
        sync_all();
        let x = x.open();
        x.at(next())[0].put(1);
    }) {
        assert_eq!((sent.puts, sent.gets, sent.bytes), (1, 0, 8), "{sent:?}");
    }
}
