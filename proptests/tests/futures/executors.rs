//! Cofutures under executors.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use coarray::asynchronous::async_scope;
use coarray::prelude::*;
use coarray_proptests::{Setting, panic_of};
use futures::executor::{LocalPool, block_on};
use futures::future::join_all;
use futures::task::LocalSpawnExt;

#[test]
fn any_executor_brings_the_values() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut coarray = Coarray::new([10 * this_image(), 0]);
            let open = coarray.open();
            let last = num_images() - 1;
            assert_eq!(block_on(open.at(last)[0].get_async()), 10 * last);
            let (first, stored, second) = block_on(async {
                futures::join!(
                    open.at(0)[0].get_async(),
                    open.here()[1].put_async(7),
                    open.at(last)[0].get_async()
                )
            });
            assert_eq!((first, stored, second), (0, (), 10 * last));
            assert_eq!(open.here()[1].get(), 7);
            // More than `join_all` polls each time that it is polled itself.
            let many = (0..100).map(|index| open.at(index % num_images())[0].get_async());
            let sum: usize = block_on(join_all(many)).into_iter().sum();
            let expected: usize = (0..100).map(|index| 10 * (index % num_images())).sum();
            assert_eq!(sum, expected);
        });
    }
}

#[test]
fn tasks_take_turns() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            // For tasks, which do not borrow; this phase lasts until the program ends.
            let coarray = Box::leak(Box::new(Coarray::new(this_image())));
            let open = &*Box::leak(Box::new(coarray.open()));
            let mut pool = LocalPool::new();
            let sum = Arc::new(AtomicUsize::new(0));
            for start in 0..5 {
                let sum = Arc::clone(&sum);
                let task = async move {
                    for step in 0..20 {
                        let image = (start + step) % num_images();
                        let value = open.at(image).get_async().await;
                        assert_eq!(value, image);
                        sum.fetch_add(1, Ordering::Relaxed);
                    }
                };
                pool.spawner().spawn_local(task).unwrap();
            }
            pool.run();
            assert_eq!(sum.load(Ordering::Relaxed), 100);
        });
    }
}

/// Counts how often it is woken.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn whoever_completes_an_operation_wakes_who_waits_for_it() {
    for setting in Setting::everywhere().filter(|setting| !setting.direct) {
        setting.run(|| {
            let mut coarray = Coarray::new(this_image());
            let open = coarray.open();
            let (early, late) = (Arc::new(Counter::default()), Arc::new(Counter::default()));
            let woken = |counter: &Counter| counter.0.swap(0, Ordering::Relaxed);
            let wakers = [&early, &late].map(|counter| Waker::from(Arc::clone(counter)));
            let [mut with_early, mut with_late] = wakers.each_ref().map(Context::from_waker);

            // The poll itself carries out the first of two, so this is woken to ask again.
            drop(open.at(0).get_async());
            let mut value = pin!(open.at(0).get_async());
            assert_eq!(value.as_mut().poll(&mut with_early), Poll::Pending);
            assert_eq!(woken(&early), 1);
            assert_eq!(value.as_mut().poll(&mut with_late), Poll::Pending);
            assert_eq!((woken(&early), woken(&late)), (0, 1));
            assert_eq!(value.as_mut().poll(&mut with_late), Poll::Ready(0));

            let mut value = pin!(open.at(0).get_async());
            drop((0..3).map(|_| open.at(0).get_async()).collect::<Vec<_>>());
            drop(
                (0..3)
                    .map(|_| open.at(num_images() - 1).get_async())
                    .collect::<Vec<_>>(),
            );
            quiet();
            assert_eq!((woken(&early), woken(&late)), (0, 0));
            assert_eq!(value.as_mut().poll(&mut with_late), Poll::Ready(0));
            let text = panic_of(|| value.as_mut().poll(&mut with_late));
            assert!(text.contains("no second result"), "{text}");

            // Its turn comes after that of others, so that it is still under way when others complete it.
            let before: Vec<_> = (0..3).map(|_| open.at(0).get_async()).collect();
            let mut value = pin!(open.at(0).get_async());
            assert_eq!(value.as_mut().poll(&mut with_early), Poll::Pending);
            assert_eq!(woken(&early), 1);
            sync_all();
            assert_eq!(woken(&early), 1);
            assert!(before.iter().all(crate::is_complete));
            assert_eq!(value.as_mut().poll(&mut with_early), Poll::Ready(0));
        });
    }
}

/// Panics when it is woken.
struct Bomb;

impl Wake for Bomb {
    fn wake(self: Arc<Self>) {
        panic!("not now");
    }
}

#[test]
fn a_waker_that_panics_leaves_nothing_undone() {
    for setting in Setting::everywhere().filter(|setting| !setting.direct) {
        setting.run(|| {
            let mut coarray = Coarray::new(this_image());
            let open = coarray.open();
            let waker = Waker::from(Arc::new(Bomb));
            let mut context = Context::from_waker(&waker);
            let mut buffers = [0; 4];
            let text = panic_of(|| {
                async_scope(|scope| {
                    let place = open.at(num_images() - 1);
                    let mut futures: Vec<_> = buffers
                        .iter_mut()
                        .map(|buffer| place.get_into_async(buffer, scope))
                        .collect();
                    let last = pin!(futures.pop().unwrap());
                    assert!(panic_of(|| last.poll(&mut context)).contains("not now"));
                })
            });
            assert_eq!(text, "not now");
            assert_eq!(buffers, [num_images() - 1; 4]);
        });
    }
}
