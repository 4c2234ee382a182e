//! Coarrays for Rust, for simulations: many *images* of one program run at the same time, and read and write each other's
//! memory directly.
//!
//! An image is one of several copies of the program that run at the same time. Each has variables of its own and a number.
//! A [`Coarray<T>`] is one `T` on every image.
//!
//! # Phases
//! A coarray is always in one of three phases. The phase says which images may access it:
//!
//! | phase | begins with | an image uses its own part | an image reaches the parts of others |
//! |---|---|---|---|
//! | closed | the creation, or the end of another phase | as a plain `T`, by `&T` and `&mut T` | not at all |
//! | open | [`open`](Coarray::open) | by puts and gets | by puts and gets, through a [`Coref`] |
//! | published | [`publish`](Coarray::publish) | by `&T` | by gets; by `&T` where memory is shared |
//!
//! ```
//! use coarray::prelude::*;
//!
//! coarray::run(4, || {
//!     let mut x = Coarray::<[[f64; 20]; 10]>::zeroed(); // all images make it together
//!     x[1][2] = this_image() as f64;                    // closed: a plain store
//!
//!     let right = (this_image() + 1) % num_images();
//!     let open = x.open();                              // from here on, all images may reach x
//!     let v = open.at(right)[1][2].get();               // the right neighbour does nothing for it
//!     open.at(right)[3][4].put(42.0);
//!     open.at(right)[5].put_from(&[v; 20]);             // a whole row
//!     drop(open);                                       // all puts have arrived, and x is private again
//!
//!     assert_eq!((x[3][4], x[5][0]), (42.0, this_image() as f64));
//! });
//! ```
//!
//! `open` takes `&mut` and returns a guard, whose end is the end of the phase. While the guard lives, the borrow checker refuses
//! references into the coarray. So no reference ever sees a value change, and programs need no `unsafe`. Both ends of a phase
//! are barriers, and these check that all images mean the same coarray. [`open()`](fn@open) opens several at once.
//! [`into_open`](places::Openable::into_open) moves the coarray into the guard, for structs that keep it open.
//!
//! In an open phase two images can still race for a place. They then read unspecified values; that is never undefined
//! behaviour. [`memory_model`] says what orders accesses.
//!
//! # Run it
//! ```no_run
//! use coarray::prelude::*;
//!
//! #[coarray::main]
//! fn main() {
//!     let mut sum = this_image();
//!     co_sum(&mut sum); // a collective: it combines values of all images
//!     println!("image {} of {}: the sum of all numbers is {sum}", this_image(), num_images());
//! }
//! ```
//!
//! `cargo run` starts one image on each core, as processes that share memory. `COARRAY_IMAGES=7 cargo run` starts seven, and so does
//! `coarun -n 7`; `coarun --help` lists what else there is. With the feature `mpi` or `shmem` the same program runs on a cluster,
//! started by `mpirun`, `srun` or `shmemrun`.
//!
//! In tests, images are threads of the test process:
//!
//! ```
//! use coarray::collectives::co_count;
//! use coarray::prelude::*;
//!
//! #[coarray::test(images = [1, 2, 7])] // what holds on these mostly holds on any number
//! fn everybody_is_counted() {
//!     assert_eq!(co_count(true), num_images());
//! }
//! ```
//!
//! # Never a silent hang
//! Every collective operation checks that all images are in the same one. If not, the job ends and says which images are where,
//! with the source lines. So it does if all images wait for each other. Races make no noise, so one has to ask: [`check`].
//!
//! # Modules
//! The [`prelude`] has what almost every program uses. The rest has one path each:
//!
//! | module | what is in it |
//! |---|---|
//! | the root, below | coarrays and their phases, places on images, barriers, fences, teams; how images start and end |
//! | [`collectives`] | values of all images combined or moved: `co_sum`, `co_broadcast`, `co_gather`, ..., and the choice of their algorithms |
//! | [`asynchronous`] | futures of gets, puts and collectives that go on while the image computes |
//! | [`atomics`] | values that several images change at any time |
//! | [`events`] | telling another image that something is there, with or without data |
//! | [`irregular`] | many small items for many images: conveyors, aggregated gets and puts |
//! | [`locks`] | mutexes, critical sections |
//! | [`grid`] | images in rows and columns, arrays that are divided among them, with halos; block-cyclic layouts; shares |
//! | [`failure`] | images that fail, and how the others go on |
//! | [`places`] | what signatures name: access, shapes, blocks and sections, which values travel |
//! | [`machine`] | how much memory there is, how wide the terminal is |
//! | [`testing`] | help for tests |
//! | [`check`] | what a job that looks for races takes for ordered, and how to tell it more |
//! | [`memory_model`] | what an image sees of what others did; nothing to call |
//! | `random` | with the feature `random`: streams of random numbers, for each image or each item |
//! | `mpi` | with the feature `mpi`: MPI beside coarrays |
//!
//! Each operation is said to be **Collective** (all images of the team call it, in the same order), **One-sided** (it reaches another
//! image's memory, and that image does nothing for it) or **Local** (it concerns this image alone).
//!
//! # Glossary
#![doc = include_str!("glossary.md")]
//!
//! # Where to read on
//! The book, in the folder `book` of the repository (`mdbook serve book`), follows one program from its serial version to one that
//! runs on a cluster and survives the loss of images. The property tests in the folder `proptests` prove what this reference
//! says; its README lists which by which.

pub mod asynchronous;
pub mod atomics;
mod bounded;
pub mod check;
mod coarray;
pub mod collectives;
mod convert;
mod create;
mod dimension;
pub mod events;
pub mod failure;
mod global;
pub mod grid;
mod group;
mod hints;
mod image_order;
pub mod irregular;
pub mod locks;
pub mod machine;
mod macros;
pub mod memory_model;
mod nd_coarray;
mod open;
mod owned;
mod parts;
mod phase;
pub mod places;
pub mod prelude;
mod publish;
mod ragged;
#[cfg(feature = "random")]
pub mod random;
mod storage;
pub mod testing;
pub mod trace;

pub use crate::bounded::Bounded;
pub use crate::coarray::Coarray;
pub use coarray_coref::{Coptr, Coref, Plain, Remote};
#[cfg(feature = "mpi")]
pub use coarray_launch::mpi;
pub use coarray_launch::{Launch, launch, launch_keeping_going, run};
pub use coarray_runtime::{
    AllocError, Bind, Profile, Stats, Wait, error_stop, error_stop_quiet, error_stop_with,
    num_images, stats, stop, this_image,
};
pub use coarray_sync::{
    Team, fence, image_fence, quiet, sync_all, sync_images, sync_team, team_number,
};
pub use group::{into_open, open, try_into_open, try_open};
pub use image_order::{images_from_me, images_shuffled, other_images};
pub use macros::{Add, Remote, Shared, main, test};
pub use nd_coarray::{NdCoarray, OpenNd, PublishedNd};
pub use ndarray;
pub use open::Open;
pub use owned::Owned;
pub use phase::{OwnedOpen, OwnedPublished};
pub use publish::Published;
pub use ragged::{
    OpenRagged, OpenRaggedRows, PublishedRagged, PublishedRaggedRows, Ragged, RaggedRows,
};

/// The place of a member of a struct on another image: `field!(pt.at(5), x).put(1)`.
///
/// Members of members are named with dots: `field!(pt.at(5), velocity.x)`.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, Remote)]
/// #[repr(C)]
/// struct Point {
///     x: i32,
///     y: i32,
/// }
///
/// coarray::run(2, || {
///     let mut pt = Coarray::new(Point { x: 1, y: 2 });
///     pt.y = pt.x + 10;
///     let pt = pt.open();
///     if this_image() == 0 {
///         coarray::field!(pt.at(1), x).put(5);
///         assert_eq!(coarray::field!(pt.at(1), y).get(), 11);
///     }
/// });
/// ```
///
/// # Source
/// `member()`, *Coarray C++* section 3.3.
#[macro_export]
macro_rules! field {
    ($place:expr, $member:tt $(. $inner:tt)*) => {
        $place.member(|members| members.$member)$(.member(|members| members.$inner))*
    };
}

#[doc(hidden)]
pub mod __private {
    //! For what macros generate, and for the program `coarun`.

    pub use coarray_coref::{Locked, Member, Members, Remote, Shared, Symmetric, shared_member};
    pub use coarray_launch::coarun;
    pub use coarray_launch::{Returned, Told};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
