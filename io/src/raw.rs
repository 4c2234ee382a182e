//! Files of nothing but numbers.

use std::path::Path;

use coarray::grid::HaloArray;
use coarray::ndarray::{Dim, Dimension};

use crate::agreement::FileOperation;
use crate::block::{Block, fill, request};
use crate::error::{Error, ErrorKind, Failed};
use crate::scalar::Scalar;
use crate::target::{metadata, open_to_read};
use crate::transfer::{ByteOrder, read_block};
use crate::whole_file::Partial;

/// Collective. Writes the numbers of an array to a file and nothing else: in C order, little endian.
///
/// Such a file does not say what it holds; [`write_npy`](crate::write_npy) costs 128 bytes more. It is for programs
/// that want to be told shape and type: `numpy.fromfile`, ParaView's raw reader, ImageJ.
///
/// Each image writes its own cells. An older file of this name is replaced when the new one is complete. Halos are not
/// written. No image returns before the file is there.
///
/// # Errors
/// If the file cannot be written, or the images name different files or arrays. Something at the path that is no file
/// is [not replaced](crate#what-is-at-the-path-already).
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid};
/// use coarray::prelude::*;
/// use coarray_io::{read_raw, write_raw};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = &folder.path().join("u.raw");
/// coarray::run(2, || {
///     let blocks = Blocks::new([2, 3], ImageGrid::new([1, 2]).unwrap()).unwrap();
///     let u = HaloArray::from_fn(&blocks, 1, |[i, j]| (10 * i + j) as u8).unwrap();
///     write_raw(path, &u).unwrap();
///     assert_eq!(std::fs::read(path).unwrap(), [0, 1, 2, 10, 11, 12]);
///     let mut v = HaloArray::filled(&blocks, 0, 0u8).unwrap();
///     read_raw(path, &mut v).unwrap();
///     assert_eq!(v.interior(), u.interior());
/// });
/// ```
///
/// # Source
/// `MPI_File_write_all` with a subarray view, MPI 3.1 clause 13.4.
#[track_caller]
pub fn write_raw<T: Scalar, const D: usize>(
    path: impl AsRef<Path>,
    array: &HaloArray<T, D>,
) -> Result<(), Error>
where
    Dim<[usize; D]>: Dimension,
{
    let (path, block) = (path.as_ref(), Block::of(array));
    let request = request("write_raw", path, &block.division());
    let operation = FileOperation::begin("write_raw", path, &request)?;
    let file = Partial::create(operation, block.file_bytes())?;
    let mine = block.write(&file.file, 0, |_, _| ());
    file.finish(mine, &[])
}

/// Collective. Reads an array from a file of nothing but numbers, in C order and little endian; each image reads its
/// own cells.
///
/// Halos are left as they are; [`exchange`](HaloArray::exchange) fills them. No image returns before all have read.
///
/// # Errors
/// If the file cannot be read, or is shorter or longer than the array. Some cells may have been read then.
///
/// # Examples
/// See [`write_raw`].
///
/// # Source
/// As [`write_raw`].
#[track_caller]
pub fn read_raw<T: Scalar, const D: usize>(
    path: impl AsRef<Path>,
    array: &mut HaloArray<T, D>,
) -> Result<(), Error>
where
    Dim<[usize; D]>: Dimension,
{
    let path = path.as_ref();
    let words = Block::of(array).array();
    let request = request("read_raw", path, &words);
    FileOperation::begin("read_raw", path, &request)?.agree(read(path, array))
}

fn read<T: Scalar, const D: usize>(path: &Path, array: &mut HaloArray<T, D>) -> Result<(), Failed>
where
    Dim<[usize; D]>: Dimension,
{
    let file = open_to_read(path)?;
    let block = Block::of(array);
    let (bytes, needed) = (metadata(&file)?.len(), block.file_bytes());
    if bytes != needed {
        let kind = match bytes < needed {
            true => ErrorKind::Truncated,
            false => ErrorKind::Shape,
        };
        let array = block.array();
        let cause = format!("the file has {bytes} bytes, but {array} take {needed}");
        return Err(Failed::new(kind, cause));
    }
    fill(array, |layout, memory| {
        read_block(&file, 0, ByteOrder::Little, layout, memory)
    })
}
