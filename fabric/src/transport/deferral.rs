//! When wakers run. A waker is the program's code: it may panic, or call the library. So no waker runs in the middle of an operation of the
//! library, where all images must take the same steps.
//!
//! Code that completes operations hands their wakers to `wake`. They run at once, unless a [`Deferral`] exists on the thread; then they
//! run when the last deferral is dropped. Each waker runs alone: a panic of one does not keep the others from running.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::Waker;

/// Set in [`STATE`] if wakers are due; the bits below count the deferrals.
const DUE: u32 = 1 << 31;

thread_local! {
    static STATE: Cell<u32> = const { Cell::new(0) };
    static WAKERS: RefCell<Vec<Waker>> = const { RefCell::new(Vec::new()) };
}

/// While a deferral exists on a thread, no waker runs there.
#[derive(Debug)]
#[must_use = "wakers run again when it is dropped"]
pub struct Deferral(PhantomData<*mut ()>);

impl Deferral {
    /// Local. From now on no waker runs until the deferral is dropped.
    #[inline]
    #[expect(clippy::new_without_default, reason = "it has an effect")]
    pub fn new() -> Self {
        STATE.set(STATE.get() + 1);
        Self(PhantomData)
    }
}

impl Drop for Deferral {
    #[inline]
    fn drop(&mut self) {
        let state = STATE.get() - 1;
        STATE.set(state);
        if state == DUE {
            wake_due();
        }
    }
}

/// Runs these wakers now, or when the last deferral of the thread is dropped. Callers call it last, because wakers may panic.
#[inline]
pub fn wake(wakers: Vec<Waker>) {
    if !wakers.is_empty() {
        wake_soon(wakers);
    }
}

#[cold]
#[inline(never)]
fn wake_soon(wakers: Vec<Waker>) {
    // While the thread's variables are destroyed no task of the thread can run any more.
    if WAKERS
        .try_with(|due| due.borrow_mut().extend(wakers))
        .is_err()
    {
        return;
    }
    STATE.set(STATE.get() | DUE);
    if STATE.get() == DUE {
        wake_due();
    }
}

/// Runs all wakers that are due, then resumes the first of their panics; not on a thread that is panicking already, which would abort.
#[cold]
#[inline(never)]
fn wake_due() {
    let mut first: Option<Box<dyn Any + Send>> = None;
    loop {
        STATE.set(STATE.get() & !DUE);
        let wakers = WAKERS.try_with(RefCell::take).unwrap_or_default();
        if wakers.is_empty() {
            break;
        }
        for waker in wakers {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
                match first {
                    None => first = Some(panic),
                    // The destructor of a payload may panic, too.
                    Some(_) => std::mem::forget(panic),
                }
            }
        }
    }
    match first {
        Some(panic) if std::thread::panicking() => std::mem::forget(panic),
        Some(panic) => resume_unwind(panic),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    struct Panics;

    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("the waker panics");
        }
    }

    fn panics() -> Waker {
        Arc::new(Panics).into()
    }

    #[test]
    fn wakers_run_at_once_where_nothing_is_in_progress() {
        let count = Arc::new(Count::default());
        wake(vec![Arc::clone(&count).into(), Arc::clone(&count).into()]);
        assert_eq!(count.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn wakers_run_when_the_outermost_operation_is_over() {
        let count = Arc::new(Count::default());
        let outer = Deferral::new();
        let inner = Deferral::new();
        wake(vec![Arc::clone(&count).into()]);
        drop(inner);
        assert_eq!(count.0.load(Ordering::Relaxed), 0);
        drop(outer);
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_last_deferral_counts_in_whatever_order_they_end() {
        let count = Arc::new(Count::default());
        let first = Deferral::new();
        let second = Deferral::new();
        drop(first);
        wake(vec![Arc::clone(&count).into()]);
        assert_eq!(count.0.load(Ordering::Relaxed), 0);
        drop(second);
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_waker_that_panics_keeps_no_other_from_running() {
        let count = Arc::new(Count::default());
        let wakers = vec![panics(), Arc::clone(&count).into(), panics()];
        let deferral = Deferral::new();
        wake(wakers);
        let panic = catch_unwind(AssertUnwindSafe(|| drop(deferral))).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"the waker panics"));
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        drop(Deferral::new()); // nothing is left
    }

    #[test]
    fn an_image_that_panics_is_not_stopped_by_a_waker_that_panics() {
        let outcome = catch_unwind(|| {
            let _deferral = Deferral::new();
            wake(vec![panics()]);
            panic!("the reason");
        });
        assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&"the reason"));
    }
}
