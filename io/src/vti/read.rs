//! Reading `.vti` files.

use std::fs::File;
use std::path::Path;

use coarray::grid::HaloArray;
use coarray::ndarray::{Dim, Dimension};

use super::header::Header;
use crate::agreement::FileOperation;
use crate::block::{Block, fill};
use crate::error::{Error, ErrorKind, Failed};
use crate::npy::complete;
use crate::scalar::Scalar;
use crate::target::{metadata, open_to_read};
use crate::transfer::{ByteOrder, read_at, read_block};

/// Collective. Reads cell data from a `.vti` file; each image reads its own cells. As in [`Vti`](super::Vti), the last
/// axis of the array is x. If each cell has several numbers, the last axis has the components, and the one before is x.
///
/// Halos are left as they are; [`exchange`](HaloArray::exchange) fills them. No image returns before all have read.
/// The file may come from VTK or ParaView, if its data are raw, appended, not compressed, and in one piece.
///
/// # Errors
/// If the file cannot be read, is no such file, is too short, or has no array of this name, shape and type. Some cells
/// may have been read then.
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid};
/// use coarray::prelude::*;
/// use coarray_io::{Vti, VtiHeader, read_vti};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = &folder.path().join("grains.vti");
/// coarray::run(4, || {
///     let blocks = Blocks::new([8, 6, 5], ImageGrid::balanced()).unwrap();
///     let grains = HaloArray::from_fn(&blocks, 1, |[z, y, x]| (x + 10 * y + 100 * z) as i32).unwrap();
///     Vti::new().field("grains", &grains).write(path).unwrap();
/// });
/// coarray::run(3, || {
///     let shape = VtiHeader::of(path).unwrap().shape();
///     let blocks = Blocks::new(shape, ImageGrid::balanced()).unwrap();
///     let mut grains = HaloArray::filled(&blocks, 0, 0i32).unwrap();
///     read_vti(path, "grains", &mut grains).unwrap();
///     if this_image() == 0 {
///         assert_eq!(grains.interior()[[0, 1, 2]], 12);
///     }
/// });
/// ```
///
/// # Source
/// As [`Vti`](super::Vti).
#[track_caller]
pub fn read_vti<T: Scalar, const D: usize>(
    path: impl AsRef<Path>,
    name: &str,
    array: &mut HaloArray<T, D>,
) -> Result<(), Error>
where
    Dim<[usize; D]>: Dimension,
{
    let path = path.as_ref();
    let words = Block::of(array).array();
    let request = format!("cell data {name:?} of {} as {words}", path.display());
    FileOperation::begin("read_vti", path, &request)?.agree(read(path, name, array))
}

fn read<T: Scalar, const D: usize>(
    path: &Path,
    name: &str,
    array: &mut HaloArray<T, D>,
) -> Result<(), Failed>
where
    Dim<[usize; D]>: Dimension,
{
    let (file, header, data) = open(path)?;
    let found = header.array(name)?;
    if found.vtk_type != T::TYPE.vtk_name() {
        let cause = format!(
            "the numbers of {name:?} are of type {}, those to read into {}",
            found.vtk_type,
            T::TYPE
        );
        return Err(Failed::new(ErrorKind::ElementType, cause));
    }
    let expected = array.blocks().shape();
    if !is_of_shape(&header, found.components, &expected) {
        let cause = format!(
            "{name:?} has {} numbers for each of {:?} cells in x, y and z, which is not the shape {expected:?} of the array to \
             read into; its last axis is x, or the components if there are several",
            found.components, header.cells
        );
        return Err(Failed::new(ErrorKind::Shape, cause));
    }
    let needed = Block::of(array).file_bytes();
    let too_large = || Failed::new(ErrorKind::Format, format!("{name:?} starts nowhere"));
    let length_at = data.checked_add(found.offset).ok_or_else(too_large)?;
    let offset = length_at
        .checked_add(header.length_bytes as u64)
        .ok_or_else(too_large)?;
    complete(&file, offset.checked_add(needed).ok_or_else(too_large)?)?;
    let mut length = [0; 8];
    let length_bytes = &mut length[..header.length_bytes];
    read_at(&file, length_bytes, length_at)?;
    if header.byte_order == ByteOrder::Big {
        length_bytes.reverse();
    }
    let length = u64::from_le_bytes(length);
    // Longer data have their length modulo 2^32 in a file with lengths of 32 bits.
    if length != needed && !(header.length_bytes == 4 && length == needed & 0xffff_ffff) {
        let cause = format!("{name:?} has {length} bytes, but its shape takes {needed}");
        return Err(Failed::new(ErrorKind::Corrupt, cause));
    }
    fill(array, |layout, memory| {
        read_block(&file, offset, header.byte_order, layout, memory)
    })
}

/// Whether an array of this shape fits the image. Axes that the array lacks must have at most one cell.
fn is_of_shape(header: &Header, components: usize, shape: &[usize]) -> bool {
    let (axes, last) = match components {
        1 => (shape, 1),
        _ => match shape.split_last() {
            Some((last, axes)) => (axes, *last),
            None => return false,
        },
    };
    let own = axes.len();
    own <= 3
        && last == components
        && axes.iter().rev().eq(&header.cells[..own])
        && header.cells[own..].iter().all(|&cells| cells <= 1)
}

/// The longest header that is read.
const LONGEST: usize = 1 << 24;

fn open(path: &Path) -> Result<(File, Header, u64), Failed> {
    let file = open_to_read(path)?;
    let bytes = metadata(&file)?.len();
    let mut length = 4096;
    loop {
        let known = bytes.min(length as u64) as usize;
        let mut start = vec![0; known];
        read_at(&file, &mut start, 0)?;
        if let Some((header, data)) = Header::parse(&start)? {
            return Ok((file, header, data));
        }
        if known < length || length >= LONGEST {
            let cause = "this is no .vti file with appended data, or its header is cut off";
            return Err(Failed::new(ErrorKind::Format, cause));
        }
        length *= 16;
    }
}

/// The header of a `.vti` file, in the order of our axes: the last one is x.
///
/// # Examples
/// See [`read_vti`].
///
/// # Source
/// As [`Vti`](super::Vti).
#[derive(Clone, Debug, PartialEq)]
pub struct VtiHeader {
    header: Header,
}

impl VtiHeader {
    /// Collective. Reads the header of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or is no `.vti` file with raw appended data.
    ///
    /// # Examples
    /// See [`read_vti`].
    #[track_caller]
    pub fn of(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let request = format!("the header of {}", path.display());
        let operation = FileOperation::begin("VtiHeader::of", path, &request)?;
        operation.agree(open(path).map(|(_, header, _)| Self { header }))
    }

    /// Local. How many cells there are in z, y and x.
    pub fn shape(&self) -> [usize; 3] {
        let [x, y, z] = self.header.cells.map(|cells| cells.max(1));
        [z, y, x]
    }

    /// Local. Where the outer corner of the first cell is, in z, y and x.
    pub fn origin(&self) -> [f64; 3] {
        let [x, y, z] = self.header.origin;
        [z, y, x]
    }

    /// Local. How long cells are in z, y and x.
    pub fn spacing(&self) -> [f64; 3] {
        let [x, y, z] = self.header.spacing;
        [z, y, x]
    }

    /// Local. The names of the cell data.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.header.arrays.iter().map(|array| array.name.as_str())
    }
}
