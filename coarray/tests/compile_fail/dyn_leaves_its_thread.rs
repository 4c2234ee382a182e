//! Tried: name the condition under which coarrays would be `Send` as the type of their values.
//!
//! To be told: that it is no type. It would implement itself.

use coarray::Coarray;
use coarray_coref::LeavesItsThread;

fn sent<T: ?Sized + Send>() {}

fn main() {
    sent::<Coarray<dyn LeavesItsThread>>();
}
