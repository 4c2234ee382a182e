//! What asynchronous operations promise: the order of the program, completion without being waited for, and
//! nothing written to memory that is gone.

mod completion;
mod executors;
mod order;
mod scopes;
mod sets;

use coarray::asynchronous::Cofuture;
use coarray::{Coref, Remote};

/// Whether the operation is complete; other than `is_ready` this makes no progress.
fn is_complete<T>(cofuture: &Cofuture<'_, T>) -> bool {
    format!("{cofuture:?}") == "Cofuture(ready)"
}

/// Puts a byte into a place, whatever its type says of it, as images do that race for it.
fn tear<T: Remote>(place: &Coref<T>, value: u8) {
    let (address, image, direct) = (place.local_address(), place.image(), place.is_direct());
    // SAFETY: the first byte lies in the place, and nobody takes it for a `T` without a check.
    let byte: &Coref<u8> = unsafe { Coref::new(address, image, 1, direct) };
    byte.put(value);
}
