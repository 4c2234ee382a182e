//! A record of the data that pass between images: a hook for tests of algorithms that are meant for networks.

use std::cell::{Cell, RefCell};

use coarray_runtime::{Team, are_messages_noted, note_messages};

thread_local! {
    static IS_RECORDING: Cell<bool> = const { Cell::new(false) };
    static MESSAGES: RefCell<Vec<Message>> = const { RefCell::new(Vec::new()) };
}

/// Data that one image received from another.
///
/// In shared memory the receiving image reads them; on a network they would be a message.
///
/// # Examples
/// See [`record_messages`].
///
/// # Source
/// Its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// The number of the image that they come from.
    pub from: usize,
    /// The number of the image that received them.
    pub to: usize,
    /// Their length.
    pub bytes: usize,
}

/// Local. Runs `body`, and also returns the data that this image received in blocking collectives meanwhile, in the order of
/// their arrival. Barriers and nonblocking collectives are not recorded.
///
/// # Examples
/// ```
/// use coarray_collectives::{Message, co_broadcast, record_messages};
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let messages = run(3, || record_messages(|| co_broadcast(&mut [1.5; 4], 0)).1);
/// let from_root = |to| vec![Message { from: 0, to, bytes: 32 }];
/// assert_eq!(messages, [vec![], from_root(1), from_root(2)]);
/// ```
///
/// # Source
/// Its own.
pub fn record_messages<R>(body: impl FnOnce() -> R) -> (R, Vec<Message>) {
    /// Ends the recording, also by a panic.
    struct Recording {
        were_noted: bool,
    }

    impl Drop for Recording {
        fn drop(&mut self) {
            IS_RECORDING.set(false);
            note_messages(self.were_noted);
        }
    }

    MESSAGES.take();
    IS_RECORDING.set(true);
    let recording = Recording {
        were_noted: note_messages(true),
    };
    let result = body();
    drop(recording);
    (result, MESSAGES.take())
}

/// Notes that this image received `bytes` from the image with index `from`.
#[inline]
pub(crate) fn note(team: &Team, from: usize, bytes: usize) {
    if are_messages_noted() {
        record(team, from, bytes);
    }
}

#[cold]
fn record(team: &Team, from: usize, bytes: usize) {
    let number = |index: usize| team.members()[index] as usize;
    if from == team.index() || bytes == 0 {
        return;
    }
    let message = Message {
        from: number(from),
        to: number(team.index()),
        bytes,
    };
    team.image().count_collective(message.from, bytes);
    if IS_RECORDING.get() {
        MESSAGES.with_borrow_mut(|messages| messages.push(message));
    }
}
