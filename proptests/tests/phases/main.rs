//! What phases promise: who sees what when, what happens to guards that are lost, and which mistakes are
//! found where.

mod bounds;
mod coatomics;
mod coptrs;
mod invalid;
mod lost;
mod places;
mod read_only;
mod remote_clone;
mod visible;
