//! VTK's images.

pub(crate) mod header;
mod read;
mod tags;

use std::path::Path;

use coarray::grid::HaloArray;
use coarray::ndarray::{Dim, Dimension};
use coarray::this_image;

use crate::agreement::FileOperation;
use crate::block::Block;
use crate::error::{Error, ErrorKind, Failed};
use crate::scalar::Scalar;
use crate::transfer::{ByteOrder, write_at};
use crate::whole_file::Partial;
use header::{Array, END, Header};

pub use read::{VtiHeader, read_vti};

/// The bytes before each array that say how long it is.
const LENGTH: u64 = size_of::<u64>() as u64;

/// Arrays of one shape, to be written to a `.vti` file: an image of VTK, which ParaView shows.
///
/// The numbers become cell data. The file holds them in raw appended binary form, so nothing is converted.
///
/// **The last axis of an array is x** in VTK, the one before y, and the one before that z, because x is the fastest
/// there. A three-dimensional array is thus indexed `[z, y, x]`. Origin and spacing are given in the order of the
/// array's axes, too: `.spacing([dz, dy, dx])`.
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid};
/// use coarray::prelude::*;
/// use coarray_io::Vti;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = &folder.path().join("step-100.vti");
/// coarray::run(4, || {
///     // 20 cells in z, 30 in y, 40 in x.
///     let shape = [20, 30, 40];
///     let blocks = Blocks::new(shape, ImageGrid::balanced()).unwrap();
///     let grains = HaloArray::filled(&blocks, 1, 0i32).unwrap();
///     let heat = HaloArray::from_fn(&blocks, 1, |[z, _, _]| z as f64).unwrap();
///     // Three numbers for each cell: the last axis has the components x, y, z.
///     let blocks = Blocks::new([20, 30, 40, 3], ImageGrid::new([4, 1, 1, 1]).unwrap()).unwrap();
///     let flow = HaloArray::filled(&blocks, 0, 0f32).unwrap();
///     Vti::new()
///         .origin([0.0, 0.0, -1.5])
///         .spacing([0.1, 0.1, 0.05])
///         .field("grains", &grains)
///         .field("temperature", &heat)
///         .vectors("velocity", &flow)
///         .write(path)
///         .unwrap();
/// });
/// ```
///
/// # Source
/// *VTK File Formats*, section on XML, ImageData; Kitware.
pub struct Vti<'a, const D: usize> {
    origin: [f64; D],
    spacing: [f64; D],
    fields: Vec<Field<'a>>,
}

struct Field<'a> {
    name: String,
    /// The numbers of each cell.
    components: usize,
    block: Block<'a>,
}

impl<const D: usize> Default for Vti<'_, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, const D: usize> Vti<'a, D> {
    /// Local. No arrays yet, with the origin at zero and cells of length one.
    ///
    /// Images have one, two or three dimensions; others do not compile.
    ///
    /// # Examples
    /// See [`Vti`].
    pub fn new() -> Self {
        const {
            assert!(
                D >= 1 && D <= 3,
                "images of VTK have one to three dimensions"
            )
        };
        Self {
            origin: [0.0; D],
            spacing: [1.0; D],
            fields: Vec::new(),
        }
    }

    /// Local. Where the outer corner of the first cell is, in the order of the array's axes.
    ///
    /// # Examples
    /// See [`Vti`].
    #[must_use]
    pub fn origin(mut self, origin: [f64; D]) -> Self {
        self.origin = origin;
        self
    }

    /// Local. How long cells are, in the order of the array's axes.
    ///
    /// # Examples
    /// See [`Vti`].
    #[must_use]
    pub fn spacing(mut self, spacing: [f64; D]) -> Self {
        self.spacing = spacing;
        self
    }

    /// Local. Adds an array with one number for each cell. ParaView shows the first array at first.
    ///
    /// # Examples
    /// See [`Vti`].
    #[must_use]
    pub fn field<T: Scalar>(mut self, name: &str, array: &'a HaloArray<T, D>) -> Self
    where
        Dim<[usize; D]>: Dimension,
    {
        self.fields.push(Field {
            name: name.to_owned(),
            components: 1,
            block: Block::of(array),
        });
        self
    }

    /// Local. Adds an array with several numbers for each cell: its last axis counts the components, in the order that
    /// VTK has them in, x first.
    ///
    /// It has one dimension more than the image; others do not compile.
    ///
    /// # Examples
    /// See [`Vti`].
    #[must_use]
    pub fn vectors<T: Scalar, const E: usize>(
        mut self,
        name: &str,
        array: &'a HaloArray<T, E>,
    ) -> Self
    where
        Dim<[usize; E]>: Dimension,
    {
        const {
            assert!(
                E == D + 1,
                "an array of vectors has one axis more than the image"
            )
        };
        self.fields.push(Field {
            name: name.to_owned(),
            components: array.blocks().shape()[D],
            block: Block::of(array),
        });
        self
    }

    /// Collective. Writes the file; each image writes its own cells.
    ///
    /// An older file of this name is replaced when the new one is complete. Halos are not written. No image returns
    /// before the file is there.
    ///
    /// # Errors
    /// If the file cannot be written, there is no array, arrays have different shapes or the same name, or the images
    /// name different files or arrays. Something at the path that is no file is
    /// [not replaced](crate#what-is-at-the-path-already).
    ///
    /// # Examples
    /// See [`Vti`].
    #[track_caller]
    pub fn write(self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let operation = FileOperation::begin("Vti::write", path, &self.in_words(path))?;
        let header = operation.agree(self.header())?;
        let start = header.to_bytes();
        let first = start.len() as u64;
        let end = first + self.appended_bytes();
        let file = Partial::create(operation, end + END.len() as u64)?;
        let mut mine = Ok(());
        for (field, array) in self.fields.iter().zip(&header.arrays) {
            let offset = first + array.offset;
            let written = field.block.write(&file.file, offset + LENGTH, |_, _| ());
            let length = field.block.file_bytes().to_le_bytes();
            mine = mine.and(written);
            if this_image() == 0 {
                mine = mine.and_then(|()| write_at(&file.file, &length, offset));
            }
        }
        if this_image() == 0 {
            mine = mine.and_then(|()| write_at(&file.file, END, end));
        }
        file.finish(mine, &start)
    }

    fn in_words(&self, path: &Path) -> String {
        let mut words = format!(
            "a .vti file {} with origin {:?}, spacing {:?}",
            path.display(),
            self.origin,
            self.spacing
        );
        for field in &self.fields {
            words.push_str(&format!(", {:?}: {}", field.name, field.block.division()));
        }
        words
    }

    fn appended_bytes(&self) -> u64 {
        let bytes = self
            .fields
            .iter()
            .map(|field| LENGTH + field.block.file_bytes());
        bytes.sum()
    }

    fn header(&self) -> Result<Header, Failed> {
        let mut arrays: Vec<Array> = Vec::new();
        let mut offset = 0;
        let first = self.fields.first().ok_or_else(|| {
            Failed::new(
                ErrorKind::Name,
                "there is no array to write; add one with `field`",
            )
        })?;
        let shape = &first.block.shape[..D];
        for field in &self.fields {
            if field.block.shape[..D] != *shape {
                let cause = format!(
                    "arrays of one image have one shape, but {:?} has {shape:?} and {:?} has {:?}",
                    first.name,
                    field.name,
                    &field.block.shape[..D]
                );
                return Err(Failed::new(ErrorKind::Shape, cause));
            }
            if arrays.iter().any(|array| array.name == field.name) {
                let cause = format!("two arrays are named {:?}", field.name);
                return Err(Failed::new(ErrorKind::Name, cause));
            }
            arrays.push(Array {
                name: field.name.clone(),
                vtk_type: field.block.element.vtk_name().to_owned(),
                components: field.components,
                offset,
            });
            offset += LENGTH + field.block.file_bytes();
        }
        Ok(Header {
            cells: reversed(shape, 0),
            origin: reversed(&self.origin, 0.0),
            spacing: reversed(&self.spacing, 1.0),
            arrays,
            byte_order: ByteOrder::Little,
            length_bytes: LENGTH as usize,
        })
    }
}

/// Reverses the order of our axes to x, y, z; axes that the array lacks get `missing`.
fn reversed<T: Copy>(axes: &[T], missing: T) -> [T; 3] {
    let mut reversed = [missing; 3];
    for (place, &axis) in reversed.iter_mut().zip(axes.iter().rev()) {
        *place = axis;
    }
    reversed
}
