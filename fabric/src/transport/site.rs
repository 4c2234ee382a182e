//! Where the program is when it uses the fabric: for tools that observe that.
//!
//! What reaches a place that is not mapped notes its caller, a store or two. What is not called at the line that it works for, since a closure is in
//! between or it has many parts, says for whom it works by [`attribute_to`].

use std::cell::Cell;
use std::panic::Location;

/// How an operation of the program has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It waits for all that it needs, and was not seen yet.
    New,
    /// It goes on while the image computes, and was not seen yet.
    InFlight,
    /// It was seen: this is a further part of it.
    GoesOn,
}

/// A line of the program, and what is done for it.
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    /// The line; none for what the library does for itself.
    pub caller: Option<&'static Location<'static>>,
    /// Whether what is put is followed by a notification.
    pub notifies: bool,
}

thread_local! {
    static PURPOSE: Cell<Option<Purpose>> = const { Cell::new(None) };
}

/// Attributes what this thread does to another line, until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Attributed {
    former: Option<Purpose>,
}

/// Attributes what this thread does from now on to `caller`, until the result is dropped; unless it is attributed to another line already.
#[inline]
pub fn attribute_to(caller: &'static Location<'static>) -> Attributed {
    let (caller, notifies) = (Some(caller), false);
    attribute(Purpose { caller, notifies })
}

/// Attributes what this thread does from now on to the library itself, until the result is dropped.
#[inline]
pub fn attribute_to_library() -> Attributed {
    let (caller, notifies) = (None, false);
    let former = PURPOSE.replace(Some(Purpose { caller, notifies }));
    Attributed { former }
}

/// As [`attribute_to`], for a put that notifies.
#[inline]
pub fn attribute_notified(caller: &'static Location<'static>) -> Attributed {
    let (caller, notifies) = (Some(caller), true);
    attribute(Purpose { caller, notifies })
}

#[inline]
fn attribute(purpose: Purpose) -> Attributed {
    let former = PURPOSE.get();
    let notifies = purpose.notifies || former.is_some_and(|former| former.notifies);
    let purpose = Purpose {
        notifies,
        ..former.unwrap_or(purpose)
    };
    PURPOSE.set(Some(purpose));
    Attributed { former }
}

impl Drop for Attributed {
    #[inline]
    fn drop(&mut self) {
        PURPOSE.set(self.former);
    }
}

/// For which line this thread works, if something has said so.
#[inline]
#[must_use]
pub fn purpose() -> Option<Purpose> {
    PURPOSE.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_line_counts() {
        let lines = || {
            let line = |purpose: Purpose| purpose.caller.map(Location::line);
            purpose().map(|purpose| (line(purpose), purpose.notifies))
        };
        let outer = Location::caller();
        let inner = Location::caller();
        {
            let _outer = attribute_to(outer);
            {
                let _inner = attribute_notified(inner);
                assert_eq!(lines(), Some((Some(outer.line()), true)));
                let _own = attribute_to_library();
                assert_eq!(lines(), Some((None, false)));
            }
            assert_eq!(lines(), Some((Some(outer.line()), false)));
        }
        assert_eq!(lines(), None);
    }
}
