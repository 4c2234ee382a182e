//! Files of coarray simulations: every image writes and reads its own part of one file.
//!
//! A [`HaloArray`](coarray::grid::HaloArray) is divided among images; its file is not. It has the same bytes whatever
//! the number and grid of images, and any other number reads it. All functions are collective and return the same on
//! all images: success, or the [`Error`] of the image that failed, with the path, the place and the cause.
//!
//! # Which format for what
//! | for | use | because |
//! |---|---|---|
//! | analysis in Python, Julia, R, MATLAB | [`write_npy`] | `numpy.load("u.npy", mmap_mode="r")` has shape and type, and takes no time |
//! | pictures in ParaView or with VTK | [`Vti`] | several fields in one file, with the place and length of cells |
//! | programs that are told shape and type | [`write_raw`] | the numbers and nothing else |
//! | going on after an interruption | [`Checkpoint`] | several fields and values, checksums, and always a whole one on the disk |
//!
//! ```
//! use coarray::grid::{Blocks, HaloArray, ImageGrid};
//! use coarray::prelude::*;
//! use coarray_io::{read_npy, write_npy};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = &folder.path().join("u.npy");
//! coarray::run(4, || {
//!     let blocks = Blocks::new([60, 80], ImageGrid::balanced()).unwrap();
//!     let u = HaloArray::from_fn(&blocks, 1, |[i, j]| (i * j) as f64).unwrap();
//!     write_npy(path, &u).unwrap();
//! });
//! coarray::run(3, || {
//!     let blocks = Blocks::new([60, 80], ImageGrid::balanced()).unwrap();
//!     let mut u = HaloArray::filled(&blocks, 1, 0.0).unwrap();
//!     read_npy(path, &mut u).unwrap();
//!     u.exchange(); // files have no halos
//! });
//! ```
//!
//! # The order of axes
//! Numbers are in C order everywhere: those along the last axis lie side by side. NumPy calls an array the same,
//! `u[i, j, k]`. VTK counts x first, so **the last axis is x**, the one before y, and the first of three z. Give
//! ParaView `[z, y, x]` arrays, and [`spacing`](Vti::spacing) and [`origin`](Vti::origin) in that order, too.
//!
//! In ParaView, open the file, press *Apply*, and choose *Surface* or *Volume* instead of *Outline*; the first field is
//! shown. Files named `step-0100.vti`, `step-0200.vti`, ... open as one animation. [`read_vti`] reads files of VTK and
//! ParaView with cell data, saved as raw appended data without compression.
//!
//! # Restart
//! Try to open a checkpoint where a simulation starts, and save one now and then. Only [`ErrorKind::NotFound`] means
//! that there is none: anything else should stop the program, instead of starting from the beginning and replacing what
//! was saved. One job at a time saves in a directory: an [`ErrorKind::Busy`] error names the process that is saving.
//!
//! ```
//! use coarray::grid::{Blocks, HaloArray, ImageGrid};
//! use coarray::prelude::*;
//! use coarray_io::{Checkpoint, Error, ErrorKind};
//!
//! fn simulate(folder: &std::path::Path, steps: u64) -> Result<f64, Error> {
//!     let blocks = Blocks::new([64, 64], ImageGrid::balanced()).unwrap();
//!     let mut u = HaloArray::filled(&blocks, 1, 1.0).unwrap();
//!     let mut first = 0;
//!     match Checkpoint::open(folder) {
//!         Ok(restart) => {
//!             restart.read("u", &mut u)?;
//!             first = restart.value("step")?;
//!             u.exchange();
//!         }
//!         Err(error) if error.kind() == ErrorKind::NotFound => (),
//!         Err(error) => return Err(error),
//!     }
//!     for step in first..steps {
//!         u.interior_mut().mapv_inplace(|u| u * 1.5);
//!         u.exchange();
//!         if (step + 1) % 5 == 0 {
//!             Checkpoint::new(folder).field("u", &u).value("step", step + 1).save()?;
//!         }
//!     }
//!     Ok(u.interior()[[0, 0]])
//! }
//!
//! # let temporary = tempfile::tempdir().unwrap();
//! # let folder = temporary.path();
//! coarray::run(4, || assert_eq!(simulate(folder, 7), Ok(1.5f64.powi(7))));
//! coarray::run(3, || assert_eq!(simulate(folder, 9), Ok(1.5f64.powi(9)))); // from step 5 on
//! ```
//!
//! If a crash of the disk or a careless copy has damaged the newest generation, [`Checkpoint::open`] says so on stderr
//! and in [`Restart::refused`], and the one before is used.
//!
//! # When a program or machine crashes
//! A file is written beside its final name, as `.u.npy.5f2c9a01-4711-1234.partial`, and renamed when all images have
//! written their parts. So a file of the final name is whole, and an older one stays until then. If a job is killed
//! while it writes, the hidden file is left, with its full length. It is removed when the same file is written again on
//! the same host, and you can remove it: 4711 is the process that wrote it. Checkpoints are also brought to the disk
//! before they are renamed and survive a loss of power. Other files are left to the operating system, which writes them
//! within a minute or so: waiting for the disk takes longer than all the rest.
//!
//! # What is at the path already
//! | there is | then |
//! |---|---|
//! | a file | the new one gets its mode, and its owner if the system allows it; a file without write permission is an error |
//! | a link | the file that it leads to is written, and the link stays |
//! | a character device, such as `/dev/null` | it is written to |
//! | a directory, FIFO, socket or block device | [`ErrorKind::NotAFile`]: each image writes at its own offsets, which only a file has |
//! | a file that may be written, in a directory that may not | it is written where it is; its first bytes come last, so that a `.npy` or `.vti` file that is not whole cannot be read as one |
//!
//! All images must see the same file system. If the images run on several machines, that is a shared one.
//!
//! # Speed
//! Images write at computed offsets, without locks between them, and without copies if rows have 512 bytes or more. The
//! blocks of a grid that divides the last axis lie in the file in short pieces, one for each row. Images put such
//! pieces into each other's memory first, so that each writes long ones; that takes 2 MiB of the heap of each image for
//! the while. It is somewhat slower: if you can choose, write large arrays from a grid such as
//! `ImageGrid::new([num_images(), 1, 1])`.
//!
//! # Source
//! Collective file access with one view for each process: MPI 3.1, chapter 13.

mod agreement;
mod block;
mod checkpoint;
mod error;
mod layout;
mod npy;
mod partial;
mod raw;
mod scalar;
mod target;
mod together;
mod transfer;
mod vti;
mod whole_file;

pub use checkpoint::{Checkpoint, NotOfType, Restart, Value};
pub use error::{Error, ErrorKind};
pub use npy::{NpyHeader, read_npy, write_npy};
pub use raw::{read_raw, write_raw};
pub use scalar::{ElementType, Scalar};
pub use vti::{Vti, VtiHeader, read_vti};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
