//! Grids of images, and arrays that are divided among them with halos.
//!
//! An [`ImageGrid`] arranges the images of a team in `D` dimensions. [`Blocks`] divides the cells of a global array among
//! them, one block each. A [`HaloArray`] is such an array: every image has its block, the *interior*, and around it a
//! *halo* of copies of its neighbours' cells, which [`exchange`](HaloArray::exchange) brings up to date.
//!
//! ```
//! use coarray::grid::{Blocks, HaloArray, ImageGrid};
//! use coarray::prelude::*;
//!
//! coarray::run(4, || {
//!     let grid = ImageGrid::balanced_for([12, 8]).unwrap().with_periodic([false, true]);
//!     let blocks = Blocks::new([12, 8], grid).unwrap();
//!     let mut u = HaloArray::from_fn(&blocks, 1, |[i, j]| (i * j) as f64).unwrap();
//!     u.interior_mut().mapv_inplace(|x| x + 1.0);
//!     u.exchange(); // now the halo holds the neighbours' cells
//!     let (rows, columns) = u.interior().dim();
//!     let u = u.local();
//!     for i in 1..=rows {
//!         for j in 1..=columns {
//!             let _mean = 0.25 * (u[[i - 1, j]] + u[[i + 1, j]] + u[[i, j - 1]] + u[[i, j + 1]]);
//!         }
//!     }
//! });
//! ```
//!
//! The whole array, or a part of it, comes to one image by [`gather_global`](HaloArray::gather_global) and
//! [`gather_slice`](HaloArray::gather_slice), and goes back by [`scatter_global`](HaloArray::scatter_global). [`gmove`] copies
//! it to an array that is divided in another way.
//!
//! Order is row-major throughout, as in [`ndarray`]: along the last axis neighbours lie side by side, and images are
//! numbered in this order as well.
//!
//! # Source
//! Block distributions with shadows, and their `reflect`: Murai and Sato, *An efficient implementation of stencil
//! communication for the XcalableMP PGAS parallel programming language*, PGAS 2013; cosubscripts of Fortran 2018, clause 9.6.

mod agree;
mod balanced;
mod block_cyclic;
mod blocks;
mod cell_set;
mod creation;
mod error;
mod exchange;
mod exchange_many;
mod exchanging;
mod factors;
mod gather;
mod gmove;
mod halo;
mod halo_array;
mod image_grid;
mod layout;
mod missing;
mod neighbours;
mod open;
mod part;
mod plan;
mod receive_window;
mod row_order;
mod scatter;
mod sending;
mod share;
mod strided;
mod transfer;

pub use block_cyclic::BlockCyclic;
pub use blocks::Blocks;
pub use error::GridError;
pub use exchange_many::{AnyHaloArray, exchange_many, try_exchange_many};
pub use exchanging::Exchanging;
pub use gmove::{gmove, try_gmove};
pub use halo::{Exchange, Halo};
pub use halo_array::HaloArray;
pub use image_grid::ImageGrid;
pub use open::OpenHaloArray;
pub use share::{share, share_of};
