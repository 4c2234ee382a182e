//! A buffer that the messages of a thread use in turn, so that a short one costs no allocation.

use std::cell::Cell;

/// The capacity of a new buffer. Most messages are no longer.
const USUAL: usize = 128;

/// A buffer with a larger capacity is not kept.
const KEPT: usize = 4096;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// An empty buffer.
#[must_use]
pub fn take() -> Vec<u8> {
    // At the end of the thread there is no spare one any more.
    let mut buffer = SPARE.try_with(Cell::take).unwrap_or_default();
    buffer.clear();
    buffer.reserve(USUAL);
    buffer
}

/// Keeps a buffer for the next message.
pub fn keep(buffer: Vec<u8>) {
    if (USUAL..=KEPT).contains(&buffer.capacity()) {
        let _ = SPARE.try_with(|spare| spare.set(buffer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_unless_it_is_large() {
        let mut buffer = take();
        buffer.extend_from_slice(b"a message");
        let place = buffer.as_ptr();
        keep(buffer);
        let again = take();
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
        keep(Vec::with_capacity(KEPT + 1));
        assert!(take().capacity() <= KEPT);
    }
}
