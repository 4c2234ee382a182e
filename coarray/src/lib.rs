//! Coarrays for Rust: simulations that run as many *images* of one program and read and write each other's
//! memory directly.
//!
//! # In two minutes
//! An *image* is one of several copies of the program that run at the same time, each with variables of its own. All that tells
//! them apart is a number.
//!
//! ```
//! use coarray::prelude::*;
//!
//! coarray::run(4, || {
//!     // Here four images run as threads. A program of its own begins with #[coarray::main], see below.
//!     println!("image {} of {}", this_image(), num_images());
//! });
//! ```
//!
//! A [`Coarray<T>`] is one `T` on every image. Locally it *is* a `T`, with plain loads and stores:
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! let mut x = Coarray::<[[f64; 20]; 10]>::zeroed(); // collective: all images make it together
//! x[1][2] = this_image() as f64;
//! let sum: f64 = x.iter().flatten().sum(); // iterators, slices, functions: as for any array
//! # assert_eq!(sum, this_image() as f64);
//! # });
//! ```
//!
//! While it is *open*, images reach each other's parts by the number of the image, with ordinary indexing. A put or a get is
//! one-sided: the other image does nothing for it.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! # let mut x = Coarray::<[[f64; 20]; 10]>::zeroed();
//! # x[1][2] = this_image() as f64;
//! let right = (this_image() + 1) % num_images();
//! let open = x.open();                        // from here on, all images may reach x
//! open.at(right)[3][4].put(42.0);
//! let v = open.at(right)[1][2].get();
//! open.at(right)[5].put_from(&[v; 20]);       // a whole row
//! drop(open);                                 // all puts have arrived, and x is private again
//! assert_eq!((x[3][4], x[5][0]), (42.0, this_image() as f64));
//! # });
//! ```
//!
//! A *collective* combines or moves values of all images:
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! let mut energy = 0.5 * this_image() as f64;
//! co_sum(&mut energy); // now the sum, on all images
//! assert_eq!(energy, 3.0);
//! # });
//! ```
//!
//! # Run it
//! ```no_run
//! use coarray::prelude::*;
//!
//! #[coarray::main]
//! fn main() {
//!     let mut x = Coarray::new(this_image());
//!     let x = x.open();
//!     println!("image 0 has {}", x.at(0).get());
//! }
//! ```
//!
//! `cargo run` starts it on all cores, as processes that share memory. `COARRAY_IMAGES=7 cargo run`, or the command `coarun -n 7`,
//! says how many images; more than there are cores will do. `coarun --help` lists what else there is: labelled output,
//! images on threads, more heap. Built with the feature `mpi` or `shmem`, the same program runs on a cluster, started by `mpirun`,
//! `srun` or `shmemrun`.
//!
//! # Test it
//! In tests, images are threads of the test process, and each test says how many:
//!
//! ```
//! use coarray::collectives::co_count;
//! use coarray::prelude::*;
//!
//! #[coarray::test(images = [1, 2, 7])]
//! fn everybody_is_counted() {
//!     assert_eq!(co_count(true), num_images());
//! }
//! ```
//!
//! What holds on 1, 2 and 7 images mostly holds on any number; [`testing::same_on`] checks that a result is the same on all.
//!
//! # Race-free by construction
//!
//! A coarray is *closed*: every image is alone with its part, through `&T` and `&mut T`. Or it is *open*: all
//! images get and put through [`Coref`]s, and nobody has a reference into it. [`Coarray::open`] takes `&mut`
//! and returns the guard that ends the phase, so the borrow checker keeps the two apart, and the barriers of
//! both carry the coarray's identity, so images cannot disagree about it. [`Coarray::publish`] is for phases
//! in which everyone only reads; then even plain references to the neighbours' memory are safe.
//!
//! Inside an open phase images can still race for a place. They then read unspecified values; that is never
//! undefined behaviour.
//!
//! # Never a silent hang
//!
//! Every collective operation checks that all images are in the same one. If not, the job ends and says
//! which images are where, with both source lines.
//!
//! # Where to read on
//! The book, in the folder `book` of the repository (`mdbook serve book`), follows one program from its serial version to one that
//! runs on a cluster and survives the loss of images:
//!
//! | chapters | for who wants to |
//! |---|---|
//! | Why coarrays, and when not; Hello, images | decide, and start |
//! | Coarrays and local access; Open: puts and gets; Shapes are types | write a first halo exchange |
//! | Synchronisation and the memory model; Events and pipelines; Atomics and mutexes | wait for less than everybody |
//! | Collectives; Teams; Futures and overlap | combine, divide, and compute meanwhile |
//! | Grids and halos; Files and checkpoints | write a simulation of fields |
//! | When images fail; Debugging: no silent hang; What messages mean | go on, and find mistakes |
//! | Performance; Running on a cluster; Coming from elsewhere; Internals | measure, move, compare, look inside |
//!
//! This reference says of each operation whether it is **Collective** (all images of the team call it, in the same order),
//! **One-sided** (it reaches another image's memory, and that image does nothing for it) or **Local** (it is about this image alone),
//! what it returns as an error and when it panics, and where it comes from. The sentences are proved by the property tests in
//! the folder `proptests`, whose README lists which by which.
//!
//! # Where things are
//! | to | use |
//! |---|---|
//! | start images | [`main`](macro@main), [`launch`], [`run`], [`test`](macro@test), the program `coarun` |
//! | know where one is | [`this_image`], [`num_images`] |
//! | divide an array among images | [`ImageGrid`], [`Blocks`], [`HaloArray`]; the module [`grid`] |
//! | share memory | [`Coarray`], [`Ragged`], [`open`], [`Coref`], [`Coptr`] |
//! | say what travels | [`Remote`], [`Plain`], [`RemoteClone`] |
//! | compute meanwhile | [`Cofuture`], [`CofutureSet`], [`async_scope`] |
//! | wait for others | [`sync_all`], [`sync_images`], [`sync_team`], [`Coevent`], [`PutNotify`] |
//! | order what one does | [`fence`](fn@fence), [`quiet`], [`image_fence`] |
//! | change things together | [`Coatomic`], [`AsAtomic`] |
//! | divide the images | [`Team`] |
//! | exclude each other | [`Comutex`], [`critical`] |
//! | know what others see, and when | [`memory_model`] |
//! | combine values | [`co_sum`], [`co_min`], [`co_max`], [`co_reduce`], also to one image; [`co_all`], [`co_any`], [`co_count`] |
//! | move values | [`co_broadcast`], [`co_gather`], [`co_allgather`], [`co_scatter`], [`co_alltoall`], also of unequal lengths |
//! | combine those of the images before | [`co_scan`], [`co_exscan`] |
//! | combine and divide | [`co_reduce_scatter`] |
//! | get the same sums from any number of images | [`co_sum_reproducible`], [`co_total_reproducible`] |
//! | do any of this while computing | [`co_sum_async`] and the other `_async` forms |
//! | choose the algorithm | [`Collective`], or a [table](Algorithm#a-table-of-choices) |
//! | stop | [`error_stop`], [`error_stop_with`], [`fail_image`] |
//! | go on without images that die | [`main(keep_going)`](macro@main), [`try_sync_all`] and the other `try_` forms, [`Team::form_survivors`], [`failed_images`] |
//! | run on several machines | the features `mpi` and `shmem`; beside other users of MPI: the module `mpi` |
//! | test | [`testing`] |

pub mod asynchronous;
pub mod atomics;
mod coarray;
pub mod collectives;
mod convert;
mod create;
pub mod events;
pub mod failure;
pub mod grid;
mod group;
pub mod locks;
pub mod machine;
pub mod memory_model;
mod open;
pub mod places;
pub mod prelude;
mod publish;
mod ragged;
mod storage;
pub mod testing;

pub use crate::coarray::Coarray;
pub use coarray_coref::{Coptr, Coref, Plain, Remote};
#[cfg(feature = "mpi")]
pub use coarray_launch::mpi;
pub use coarray_launch::{Launch, launch, launch_keeping_going, run};
pub use coarray_macros::{Remote, main, test};
pub use coarray_runtime::{AllocError, error_stop, error_stop_with, num_images, this_image};
pub use coarray_sync::{
    Team, fence, image_fence, quiet, sync_all, sync_images, sync_team, team_number,
};
pub use group::open;
pub use ndarray;
pub use open::Open;
pub use publish::Published;
pub use ragged::{OpenRagged, PublishedRagged, Ragged};

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

    pub use coarray_coref::{Locked, Member, Members, Remote, Symmetric};
    pub use coarray_launch::coarun;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
