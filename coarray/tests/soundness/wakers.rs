//! Wakers are code of the program. They do not run in the middle of an operation, and may panic or call the library.

use std::cell::RefCell;
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use coarray::Launch;
use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;

use crate::text;

/// Does something when it is woken for the first time after it was armed.
struct Act {
    armed: AtomicBool,
    act: fn(),
}

impl Wake for Act {
    fn wake(self: Arc<Self>) {
        if self.armed.swap(false, Ordering::Relaxed) {
            (self.act)();
        }
    }
}

/// Calls `body` while two puts of the image to `place` are outstanding; the waker of one of them will `act`.
pub fn with_waker(place: &Coref<[u64; 2]>, act: fn(), body: impl FnOnce()) {
    let waker = Arc::new(Act {
        armed: AtomicBool::new(false),
        act,
    });
    let first = place[0].put_async(1);
    let mut second = pin!(place[1].put_async(2));
    let polled = second
        .as_mut()
        .poll(&mut Context::from_waker(&Waker::from(Arc::clone(&waker))));
    assert_eq!(polled, Poll::Pending, "the job is direct");
    waker.armed.store(true, Ordering::Relaxed);
    body();
    assert!(
        !waker.armed.load(Ordering::Relaxed),
        "the waker was never woken"
    );
    drop(first);
}

pub fn panics() {
    panic!("the waker panics");
}

/// Calls `operate`, in which the waker panics.
#[track_caller]
fn assert_panics<R>(operate: impl FnOnce() -> R) {
    let outcome = catch_unwind(AssertUnwindSafe(operate));
    let panic = outcome.err().expect("the waker was not woken");
    assert_eq!(text(&*panic), "the waker panics");
}

/// A job in which operations stay in a queue until an image asks for them.
fn queued(images: usize) -> Launch {
    Launch::new(images).direct(false)
}

#[cfg(feature = "simulated")]
#[test]
fn a_put_that_a_network_holds_back_survives_a_waker_that_panics() {
    let run = Launch::new(2).simulated_nodes(2).run(|| {
        let mut rows = Coarray::new([[0u64; 2]; 2]);
        let open = rows.open();
        if this_image() == 0 {
            let there = open.at(1);
            with_waker(&there[0], panics, || {
                there[1][0].put(3);
                assert_panics(|| there[1][1].get());
            });
        }
        open.close();
        if this_image() == 1 {
            assert_eq!(*rows, [[1, 2], [3, 0]]);
        }
    });
    run.unwrap();
}

#[test]
fn an_image_whose_waker_panics_has_created_nothing() {
    let run = queued(2).run(|| {
        let mut place = Coarray::new([0u64; 2]);
        let open = place.open();
        if this_image() == 0 {
            with_waker(open.at(1), panics, || assert_panics(|| Coarray::new(1u8)));
        }
        open.close();
        // The next coarrays have the same numbers on both images.
        let (mut x, mut y) = (Coarray::new(1u8), Coarray::new(2u8));
        x.open().at(1 - this_image()).put(3);
        y.open().close();
        assert_eq!((*x, *y), (3, 2));
    });
    run.unwrap();
}

thread_local! {
    static MADE: RefCell<Option<Coarray<u8>>> = const { RefCell::new(None) };
}

#[test]
fn what_a_waker_creates_is_no_other_object_than_on_other_images() {
    let agreed = AtomicUsize::new(0);
    let report = queued(2)
        .run(|| {
            let create = || MADE.set(Some(Coarray::new(1)));
            let mut place = Coarray::new([0u64; 2]);
            let open = place.open();
            let made = RefCell::new(None);
            if this_image() == 0 {
                with_waker(open.at(1), create, || {
                    made.replace(Some(Coarray::new(2u8)));
                });
            } else {
                create();
                made.replace(Some(Coarray::new(2u8)));
            }
            open.close();
            let (mut first, mut second) = (MADE.take().unwrap(), made.take().unwrap());
            assert_eq!((*first, *second), (1, 2));
            first.open().close();
            second.open().close();
            agreed.fetch_add(1, Ordering::Relaxed);
            if this_image() == 0 {
                first.open().close();
            } else {
                second.open().close();
            }
        })
        .unwrap_err()
        .to_string();
    assert!(
        report.contains("are in different collective operations"),
        "{report}"
    );
    assert_eq!(agreed.into_inner(), 2, "{report}");
}

#[test]
fn a_collective_in_which_a_waker_panics_has_not_begun() {
    for algorithm in [
        Algorithm::Flat,
        Algorithm::RecursiveDoubling,
        Algorithm::Ring,
        Algorithm::Binomial,
    ] {
        let gather = Collective::new().algorithm(algorithm);
        let run = queued(2).run(|| {
            let mut place = Coarray::new([0u64; 2]);
            let open = place.open();
            if this_image() == 0 {
                with_waker(open.at(1), panics, || {
                    assert_panics(|| gather.co_allgather(&[0u8; 800], &mut [0; 1600]));
                });
            }
            let seven = NonZeroU64::new(7).unwrap();
            let mut all = [seven; 200];
            for _ in 0..3 {
                all.fill(NonZeroU64::MIN);
                gather.co_allgather(&[seven; 100], &mut all[..]);
                assert_eq!(all, [seven; 200]);
            }
            open.close();
        });
        run.unwrap();
    }
}

#[test]
fn a_comutex_whose_guard_falls_while_a_waker_panics_is_given_back() {
    let run = queued(2).run(|| {
        let mutex = Coarray::new(Comutex::new(5));
        let mut place = Coarray::new([0u64; 2]);
        let open = place.open();
        if this_image() == 0 {
            let guard = mutex.at(0).lock();
            with_waker(open.at(1), panics, || assert_panics(|| drop(guard)));
            assert_eq!(mutex.at(0).lock().get(), 5);
        }
        sync_all();
        assert_eq!(mutex.at(0).lock().get(), 5);
        open.close();
    });
    run.unwrap();
}

#[test]
fn a_phase_ends_on_all_images_before_a_waker_panics() {
    let run = queued(2).run(|| {
        let mut place = Coarray::new([0u64; 2]);
        let mut other = Coarray::new(0);
        let open = place.open();
        if this_image() == 0 {
            with_waker(open.at(1), panics, || assert_panics(|| other.open()));
            assert_eq!(*other, 0, "it was never open");
        }
        other.open().at(1 - this_image()).put(6);
        open.close();
        assert_eq!(*other, 6);
    });
    run.unwrap();
}

#[cfg(feature = "simulated")]
#[test]
fn a_waker_that_panics_holds_up_no_post_of_a_put_in_flight() {
    let job = || {
        let mut rows = Coarray::new([[0u64; 2]; 2]);
        let full = Coarray::<[Coevent; 3]>::from_fn(|_| Coevent::new());
        let open = rows.open();
        let other = 1 - this_image();
        let (there, events) = (open.at(other), full.at(other));
        for (slot, complete) in [quiet as fn(), || sync_all(), || fence(1 - this_image())]
            .into_iter()
            .enumerate()
        {
            with_waker(&there[0], panics, || {
                std::mem::forget(there[1].put_notify_async([slot as u64, 8], &events[slot]));
                assert_panics(complete);
            });
            full[slot].wait();
            assert_eq!(open.here()[1].get(), [slot as u64, 8]);
            sync_all();
        }
    };
    Launch::new(2).simulated_nodes(2).run(job).unwrap();
}

#[cfg(feature = "simulated")]
#[test]
fn a_waker_that_panics_holds_up_no_post_of_a_region() {
    let job = || {
        let mut words = Coarray::new([0u64; 2]);
        let mut rows = Coarray::new([[0u64; 200]; 3]);
        let full = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
        let (words, rows) = coarray::open((&mut words, &mut rows));
        let other = 1 - this_image();
        // Long runs, which the put waits for.
        let block = rows.at(other).region((1.., 1..));
        with_waker(words.at(other), panics, || {
            assert_panics(|| block.put_from_notify(&[5; 398], &full.at(other)[0]));
        });
        full[0].wait();
        assert_eq!(rows.here()[2][199].get(), 5);
        sync_all();
        coarray::asynchronous::async_scope(|scope| {
            with_waker(words.at(other), panics, || {
                let event = &full.at(other)[1];
                std::mem::forget(block.put_from_notify_async(&[7; 398], event, scope));
                assert_panics(quiet);
            });
        });
        full[1].wait();
        assert_eq!(rows.here()[2][199].get(), 7);
    };
    Launch::new(2).simulated_nodes(2).run(job).unwrap();
}

#[test]
fn a_waker_of_a_put_in_flight_may_begin_others() {
    let job = || {
        let mut x = Coarray::<[u64; 4]>::zeroed();
        let full = Coarray::new(Coevent::new());
        let open = x.open();
        let other = 1 - this_image();
        let waker = Arc::new(Act {
            armed: AtomicBool::new(true),
            act: || {
                quiet();
                sync_images(&[1 - this_image()]);
            },
        });
        let mut sent = pin!(open.at(other)[0].put_notify_async(5, full.at(other)));
        let polled = sent
            .as_mut()
            .poll(&mut Context::from_waker(&Waker::from(Arc::clone(&waker))));
        if polled.is_pending() {
            quiet();
        }
        full.wait();
        assert_eq!(open.here()[0].get(), 5);
    };
    queued(2).run(job).unwrap();
    #[cfg(feature = "simulated")]
    Launch::new(2).simulated_nodes(2).run(job).unwrap();
}
