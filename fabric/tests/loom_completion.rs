//! The completion of an operation, which one thread signals and another observes, in every interleaving and every
//! order in which memory may show writes.
//!
//! loom runs the very source of the library. A wake-up that is lost leaves the waiting thread asleep for good,
//! which loom reports as a deadlock.

#[path = "../src/transport"]
mod transport {
    pub(crate) mod completion;
}
mod system {
    pub(crate) mod primitives {
        pub(crate) use loom::cell::UnsafeCell;
        pub(crate) use loom::sync::atomic::{AtomicU32, Ordering};
    }
}

use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Condvar, Mutex};
use loom::thread;
use transport::completion::{Completer, Completion, completion};

/// Memory that the operation fills by plain stores, like a buffer.
struct Place(UnsafeCell<u32>);

// SAFETY: loom fails the model if two threads use the cell at the same time.
unsafe impl Sync for Place {}

// SAFETY: loom fails the model if two threads use the cell at the same time.
unsafe impl Send for Place {}

fn carry_out(completer: Completer<u32>, place: &Place) {
    // SAFETY: loom fails the model if another thread uses the cell at the same time.
    place.0.with_mut(|value| unsafe { *value = 7 });
    if let Some(waker) = completer.complete(42) {
        waker.wake();
    }
}

/// Takes the result and sees all that was written before; there is no second result.
fn hear(completion: &mut Completion<u32>, place: &Place) {
    assert_eq!(completion.take(), Some(42));
    // SAFETY: loom fails the model if another thread writes the cell at the same time.
    place.0.with(|value| assert_eq!(unsafe { *value }, 7));
    assert_eq!(completion.take(), None);
    assert!(completion.is_complete());
}

fn model(waiting_side: impl Fn(&mut Completion<u32>, &Place) + Send + Sync + 'static) {
    loom::model(move || {
        let place = Arc::new(Place(UnsafeCell::new(0)));
        let (completer, mut completion) = completion();
        assert!(completion.is_of(&completer));
        let other = {
            let place = Arc::clone(&place);
            thread::spawn(move || carry_out(completer, &place))
        };
        waiting_side(&mut completion, &place);
        other.join().expect("loom reports panics itself");
        assert!(completion.is_complete());
    });
}

#[test]
fn who_sees_the_end_sees_all_that_was_written_before() {
    model(|completion, place| {
        if completion.is_complete() {
            hear(completion, place);
        } else if let Some(result) = completion.take() {
            assert_eq!(result, 42);
            assert_eq!(completion.take(), None);
        }
    });
}

/// The sleep of a thread until it is woken.
struct Bed {
    is_awake: Mutex<bool>,
    call: Condvar,
}

impl Bed {
    fn sleep(&self) {
        let mut is_awake = self.is_awake.lock().expect("no thread panics");
        while !*is_awake {
            is_awake = self.call.wait(is_awake).expect("no thread panics");
        }
    }
}

impl Default for Bed {
    fn default() -> Self {
        Self {
            is_awake: Mutex::new(false),
            call: Condvar::new(),
        }
    }
}

impl Wake for Bed {
    fn wake(self: Arc<Self>) {
        *self.is_awake.lock().expect("no thread panics") = true;
        self.call.notify_one();
    }
}

#[test]
fn a_waker_is_woken_however_the_end_falls_into_its_registration() {
    model(|completion, place| {
        let bed = Arc::new(Bed::default());
        if !completion.register(&Waker::from(Arc::clone(&bed))) {
            bed.sleep();
        }
        hear(completion, place);
    });
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
fn of_two_wakers_the_later_is_woken_once_if_it_was_in_time() {
    loom::model(|| {
        let place = Arc::new(Place(UnsafeCell::new(0)));
        let (completer, mut completion) = completion();
        let other = {
            let place = Arc::clone(&place);
            thread::spawn(move || carry_out(completer, &place))
        };
        let counters = [Arc::new(Counter::default()), Arc::new(Counter::default())];
        let late = counters
            .each_ref()
            .map(|counter| completion.register(&Waker::from(Arc::clone(counter))));
        other.join().expect("loom reports panics itself");
        hear(&mut completion, &place);
        let woken = counters.map(|counter| counter.0.load(Ordering::Relaxed));
        match late {
            // The operation ended after both registrations.
            [false, false] => assert_eq!(woken, [0, 1]),
            // It ended between them, or while the second waker replaced the first, as the second call returned.
            [false, true] => assert!(woken[0] <= 1 && woken[1] == 0, "{woken:?}"),
            [true, true] => assert_eq!(woken, [0, 0]),
            [true, false] => panic!("the operation ended, and then it had not"),
        }
    });
}
