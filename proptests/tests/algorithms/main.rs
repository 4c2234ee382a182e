//! Every collective operation, by every algorithm that it has, gives what one image alone computes from the values
//! of all.
//!
//! [`subject`] says what an operation is called with and what it should give; `reductions` and `movement` say so of
//! each operation, `division` which images there are. The tests try them in some order (`systematic`), in any
//! (`random`), in several teams at once (`teams`), and with others under way (`asynchronous`).

mod asynchronous;
mod division;
mod extremes;
mod movement;
mod random;
mod reductions;
mod subject;
mod systematic;
mod teams;
mod values;

/// More than two powers of two, and many more than there are cores.
const MOST_IMAGES: usize = 17;
