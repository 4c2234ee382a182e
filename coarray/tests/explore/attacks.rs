//! Whatever a program does, an exploration comes to its end.

use std::cell::RefCell;
use std::future::Future;
use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use coarray::asynchronous::co_sum_async;
use coarray::failure::fail_image;
use coarray::prelude::*;
use coarray::testing::{Explore, explore};

use crate::failure;

fn few(images: usize) -> Explore {
    Explore::new(images).schedules(20)
}

#[test]
fn jobs_within_an_image() {
    explore(2, 10, || {
        let sums = coarray::run(2, || co_sum_of(1));
        assert_eq!(sums, [2, 2]);
        assert_eq!(co_sum_of(1), 2);
        Explore::new(2)
            .schedules(3)
            .run(|| assert_eq!(co_sum_of(1), 2));
        sync_all();
    });
}

#[test]
fn an_image_that_leaves_while_others_wait_for_it() {
    let report = failure(|| {
        few(2).run(|| {
            let event = Coarray::new(Coevent::new());
            if this_image() == 0 {
                event.wait();
            }
        });
    });
    assert!(report.contains("deadlock"), "{report}");
}

#[test]
fn images_that_poll_when_another_one_panics() {
    for strategy in [Explore::random, |it: Explore| it.pct(3)] {
        let report = failure(|| {
            strategy(few(3)).run(|| {
                let flag = Coarray::new(Coatomic::new(0));
                assert!(this_image() > 0, "the moon is missing");
                while flag.load() == 0 {}
            });
        });
        assert!(report.contains("the moon is missing"), "{report}");
    }
}

#[test]
fn an_image_that_posts_for_ever() {
    let report = failure(|| {
        Explore::new(2).schedules(1).run(|| {
            let event = Coarray::new(Coevent::new());
            loop {
                event.at(0).post();
            }
        });
    });
    assert!(report.contains("no end after 200000 steps"), "{report}");
}

#[test]
fn images_that_end_in_other_ways() {
    let report = failure(|| {
        few(2).run(|| {
            if this_image() == 1 {
                fail_image();
            }
            sync_all();
        });
    });
    assert!(report.contains("fail_image"), "{report}");
    let report = failure(|| {
        few(2).run(|| {
            if this_image() == 1 {
                coarray::error_stop_with(3, "enough");
            }
            sync_all();
        });
    });
    assert!(report.contains("enough"), "{report}");
}

#[test]
fn panics_that_are_caught() {
    few(2).run(|| {
        let count = Coarray::new(Comutex::new(0));
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _guard = count.at(this_image()).lock();
            panic!("caught");
        }));
        assert!(caught.is_err());
        assert_eq!(co_sum_of(1), 2);
    });
}

#[test]
fn guards_that_are_leaked() {
    let report = failure(|| {
        few(2).run(|| {
            let count = Coarray::new(Comutex::new(0));
            forget(count.at(0).lock());
            sync_all();
        });
    });
    assert!(report.contains("image"), "{report}");
    few(2).run(|| {
        let mut x = Coarray::new(0);
        let open = x.open();
        open.at(1 - this_image()).put(1);
        sync_all();
        forget(open);
    });
}

#[test]
fn coarrays_that_outlive_the_image() {
    thread_local! {
        static KEPT: RefCell<Option<Coarray<Coevent>>> = const { RefCell::new(None) };
    }
    few(2).run(|| {
        let event = Coarray::new(Coevent::new());
        event.at(1 - this_image()).post();
        event.wait();
        KEPT.set(Some(event));
    });
}

#[test]
fn threads_of_the_program() {
    few(2).run(|| {
        let count = Coarray::new(Coatomic::new(0));
        let mine = &*count;
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| mine.fetch_add(1));
            }
        });
        assert_eq!(count.load(), 2);
        sync_all();
    });
}

/// Polls until it is ready; parks the thread in between.
fn block_on<T>(task: impl Future<Output = T>) -> T {
    struct Unpark(thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut task = pin!(task);
    loop {
        match task.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn tasks_that_await() {
    few(3).run(|| {
        let event = Coarray::new(Coevent::new());
        event.at((this_image() + 1) % 3).post();
        block_on(async {
            assert_eq!(co_sum_async(1).await, 3);
            event.wait_async().await;
        });
    });
    let report = failure(|| {
        few(2).run(|| {
            let event = Coarray::new(Coevent::new());
            block_on(event.wait_async());
        });
    });
    assert!(report.contains("image 0 waits"), "{report}");
}
