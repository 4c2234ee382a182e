//! Many small items for many images, in few messages.
//!
//! | what | how |
//! |---|---|
//! | items go to images, which do something with them | [`Conveyor`]: all images take part |
//! | many values are fetched from, stored in, or added to a coarray at scattered places | [`Gets`], [`Puts`], [`Adds`]: the owners take no part |
//! | the same on one image, with a list of indices | [`Coref::gather_from`](crate::Coref::gather_from), [`scatter_to`](crate::Coref::scatter_to), [`add_at`](crate::atomics::CoatomicList::add_at) |
//!
//! # Examples
//! A histogram whose bins are divided among the images:
//! ```
//! use coarray::irregular::Conveyor;
//! use coarray::prelude::*;
//!
//! coarray::run(4, || {
//!     let samples = (0..1000u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 20); // 4096 bins
//!     let mut bins = [0; 1024]; // each image has a quarter
//!     let mut conveyor = Conveyor::<u32>::new();
//!     conveyor.convey(
//!         samples.map(|bin| (bin as usize / 1024, bin % 1024)),
//!         |_source, bin| bins[bin as usize] += 1,
//!     );
//!     let mut total: i32 = bins.iter().sum();
//!     co_sum(&mut total);
//!     assert_eq!(total, 4 * 1000);
//! });
//! ```

mod adds;
mod aggregator;
mod batches;
mod bell;
mod buffers;
mod conveyor;
mod full;
mod link;
mod open_conveyor;
mod packets;
mod record;
mod routes;
mod runs;
mod streaming;
mod traffic;
mod transit;
mod trying;
mod waiting;

pub use adds::Adds;
pub use aggregator::{Gets, Puts};
pub use conveyor::{Conveyor, ConveyorOptions};
pub use full::Full;
pub use open_conveyor::OpenConveyor;
pub use routes::Hops;
pub use trying::try_wait_any;
pub use waiting::{Conveying, wait_any};
