//! NumPy's files.

mod header;

use std::fs::File;
use std::path::Path;

use coarray::grid::HaloArray;
use coarray::ndarray::{Dim, Dimension};

use crate::agreement::FileOperation;
use crate::block::{Block, expect, fill, request};
use crate::error::{Error, ErrorKind, Failed};
use crate::scalar::{ElementType, Scalar};
use crate::target::{metadata, open_to_read};
use crate::transfer::{ByteOrder, read_at, read_block};
use crate::whole_file::Partial;
use header::Header;

/// Collective. Writes an array to a `.npy` file: the same bytes that `numpy.save` writes, on any number of images.
///
/// Each image writes its own cells, in C order and little endian. An older file of this name is replaced when the new
/// one is complete. Halos are not written. No image returns before the file is there.
///
/// # Errors
/// If the file cannot be written, or the images name different files or arrays. Something at the path that is no file
/// is [not replaced](crate#what-is-at-the-path-already).
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid};
/// use coarray::prelude::*;
/// use coarray_io::{read_npy, write_npy};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = &folder.path().join("u.npy");
/// coarray::run(4, || {
///     let blocks = Blocks::new([9, 8], ImageGrid::balanced()).unwrap();
///     let u = HaloArray::from_fn(&blocks, 1, |[i, j]| (10 * i + j) as f32).unwrap();
///     write_npy(path, &u).unwrap();
/// });
/// coarray::run(3, || {
///     let blocks = Blocks::new([9, 8], ImageGrid::new([3, 1]).unwrap()).unwrap();
///     let mut u = HaloArray::filled(&blocks, 0, 0f32).unwrap();
///     read_npy(path, &mut u).unwrap();
///     assert_eq!(u.interior()[[1, 2]], (10 * (3 * this_image() + 1) + 2) as f32);
/// });
/// ```
///
/// # Source
/// The `.npy` format, NumPy Enhancement Proposal 1.
#[track_caller]
pub fn write_npy<T: Scalar, const D: usize>(
    path: impl AsRef<Path>,
    array: &HaloArray<T, D>,
) -> Result<(), Error>
where
    Dim<[usize; D]>: Dimension,
{
    let (path, block) = (path.as_ref(), Block::of(array));
    let request = request("write_npy", path, &block.division());
    let operation = FileOperation::begin("write_npy", path, &request)?;
    let header = Header {
        element: block.element,
        byte_order: ByteOrder::Little,
        column_major: false,
        shape: block.shape.clone(),
    };
    let start = header.to_bytes();
    let offset = start.len() as u64;
    let file = Partial::create(operation, offset + block.file_bytes())?;
    let mine = block.write(&file.file, offset, |_, _| ());
    file.finish(mine, &start)
}

/// Collective. Reads an array from a `.npy` file, written by [`write_npy`] or `numpy.save`; each image reads its own
/// cells.
///
/// Halos are left as they are; [`exchange`](HaloArray::exchange) fills them. No image returns before all have read.
/// Files in Fortran order and in big endian can be read, too, if somewhat more slowly.
///
/// # Errors
/// If the file cannot be read, is no `.npy` file, is too short, or has an array of another shape or type. Some cells
/// may have been read then.
///
/// # Examples
/// See [`write_npy`].
///
/// # Source
/// As [`write_npy`].
#[track_caller]
pub fn read_npy<T: Scalar, const D: usize>(
    path: impl AsRef<Path>,
    array: &mut HaloArray<T, D>,
) -> Result<(), Error>
where
    Dim<[usize; D]>: Dimension,
{
    let path = path.as_ref();
    let words = Block::of(array).array();
    let request = request("read_npy", path, &words);
    FileOperation::begin("read_npy", path, &request)?.agree(read(path, array))
}

fn read<T: Scalar, const D: usize>(path: &Path, array: &mut HaloArray<T, D>) -> Result<(), Failed>
where
    Dim<[usize; D]>: Dimension,
{
    let (file, header, offset) = open(path)?;
    expect(array, header.element, &header.shape)?;
    complete(&file, offset + Block::of(array).file_bytes())?;
    fill(array, |layout, memory| {
        let layout = match header.column_major {
            true => layout.clone().column_major(),
            false => layout.clone(),
        };
        read_block(&file, offset, header.byte_order, &layout, memory)
    })
}

fn open(path: &Path) -> Result<(File, Header, u64), Failed> {
    let file = open_to_read(path)?;
    let (header, offset) = Header::read(|bytes, at| read_at(&file, bytes, at))?;
    Ok((file, header, offset))
}

/// Checks that a file has all the bytes that its header needs.
pub(crate) fn complete(file: &File, needed: u64) -> Result<(), Failed> {
    let bytes = metadata(file)?.len();
    if bytes >= needed {
        return Ok(());
    }
    Err(Failed::new(
        ErrorKind::Truncated,
        format!("the file is truncated: it has {bytes} bytes, and its header tells of {needed}"),
    ))
}

/// The header of a `.npy` file, which describes its array.
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid};
/// use coarray::prelude::*;
/// use coarray_io::{NpyHeader, read_npy, write_npy};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = &folder.path().join("u.npy");
/// coarray::run(2, || {
///     let blocks = Blocks::new([6, 5], ImageGrid::balanced()).unwrap();
///     write_npy(path, &HaloArray::filled(&blocks, 1, 1u16).unwrap()).unwrap();
/// });
/// coarray::run(3, || {
///     // The file says how large the array is.
///     let header = NpyHeader::of(path).unwrap();
///     assert_eq!(header.element_type().to_string(), "u16");
///     let shape: [usize; 2] = header.shape().try_into().unwrap();
///     let blocks = Blocks::new(shape, ImageGrid::balanced()).unwrap();
///     let mut u = HaloArray::filled(&blocks, 0, 0u16).unwrap();
///     read_npy(path, &mut u).unwrap();
/// });
/// ```
///
/// # Source
/// As [`write_npy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyHeader {
    header: Header,
}

impl NpyHeader {
    /// Collective. Reads the header of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or is no `.npy` file.
    ///
    /// # Examples
    /// See [`NpyHeader`].
    #[track_caller]
    pub fn of(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let request = format!("the header of {}", path.display());
        let operation = FileOperation::begin("NpyHeader::of", path, &request)?;
        operation.agree(open(path).map(|(_, header, _)| Self { header }))
    }

    /// Local. The extents of the array.
    pub fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// Local. The type of its numbers.
    pub fn element_type(&self) -> ElementType {
        self.header.element
    }

    /// Local. Whether it is in Fortran order, the first axis the fastest.
    pub fn is_column_major(&self) -> bool {
        self.header.column_major
    }
}
