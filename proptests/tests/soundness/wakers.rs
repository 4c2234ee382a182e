//! Wakers that do more than they should.

use std::panic::panic_any;
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::thread;

use coarray::collectives::co_any;

use crate::context::{Context, Thrown};
use crate::object::Kept;
use crate::program;

/// Not within the poll, which may ask for the next one at once; and a panic in the middle of another one would be the end of
/// the process.
fn is_time() -> bool {
    !thread::panicking() && Context::here().is_none_or(|context| !context.is_polling.get())
}

struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        if is_time() {
            panic_any(Thrown);
        }
    }
}

struct Creates;

impl Wake for Creates {
    fn wake(self: Arc<Self>) {
        let Some(context) = Context::here().filter(|_| is_time()) else {
            return;
        };
        if let Some((slot, kind, length)) = context.next.take()
            && let Some(kept) = Kept::create(&context, kind, length, &|_| ())
        {
            context.early.borrow_mut().push((slot, kept));
        }
    }
}

struct Collects;

impl Wake for Collects {
    fn wake(self: Arc<Self>) {
        if is_time() {
            co_any(true);
        }
    }
}

pub fn waker(waker: program::Waker) -> Option<Waker> {
    Some(match waker {
        program::Waker::None => return None,
        program::Waker::Plain => Waker::noop().clone(),
        program::Waker::Panics => Arc::new(Panics).into(),
        program::Waker::Creates => Arc::new(Creates).into(),
        program::Waker::Collects => Arc::new(Collects).into(),
    })
}
