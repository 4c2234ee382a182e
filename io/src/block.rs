//! This image's block of a halo array, as the formats see it: places and bytes.

use std::fs::File;
use std::path::Path;

use coarray::grid::{Blocks, Halo, HaloArray};
use coarray::ndarray::{Dim, Dimension};
use coarray::num_images;

use crate::error::{ErrorKind, Failed};
use crate::layout::Layout;
use crate::scalar::{ElementType, Scalar};
use crate::together::Staging;
use crate::transfer::write_block;

/// A block to be written.
pub(crate) struct Block<'a> {
    /// Of the global array.
    pub(crate) shape: Vec<usize>,
    pub(crate) element: ElementType,
    /// The grid.
    images: Vec<usize>,
    layout: Layout,
    memory: &'a [u8],
    /// The bytes of the longest run that an image has in the file; `usize::MAX` if each image has one run.
    longest_run: usize,
}

/// Blocks with shorter runs are staged first. For longer runs, the system calls take little of the time.
const SHORT: usize = 16 << 10;

impl<'a> Block<'a> {
    pub(crate) fn of<T: Scalar, const D: usize>(array: &'a HaloArray<T, D>) -> Self
    where
        Dim<[usize; D]>: Dimension,
    {
        let cells = array.local().to_slice().expect("a halo array is row-major");
        let blocks = array.blocks();
        // The first block is as long as any other. Without halos it has the fewest runs.
        let (range, shape) = (blocks.range(0), blocks.block_shape(0));
        let alone = Layout::new(&blocks.shape(), &range, &shape, &[0; D], size_of::<T>());
        let (run, several) = alone.run_bytes();
        Self {
            shape: blocks.shape().to_vec(),
            element: T::TYPE,
            images: blocks.grid().extents().to_vec(),
            layout: layout_of::<T, D>(blocks, array.halo()),
            memory: T::bytes(cells),
            longest_run: if several { run } else { usize::MAX },
        }
    }

    /// The bytes of the global array.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.layout.file_bytes()
    }

    /// The global array, in words.
    pub(crate) fn array(&self) -> String {
        in_words(self.element, &self.shape)
    }

    /// The global array and its division, in words; they must be the same on all images.
    pub(crate) fn division(&self) -> String {
        format!("{} on images {:?}", self.array(), self.images)
    }

    /// Collective. Writes it to a file whose global array starts at byte `offset`. `seen` gets the bytes that this
    /// image writes, in the order of the file, each piece with its offset from the array's first byte.
    ///
    /// All images call this, even after an error.
    #[track_caller]
    pub(crate) fn write(
        &self,
        file: &File,
        offset: u64,
        seen: impl FnMut(u64, &[u8]),
    ) -> Result<(), Failed> {
        of_this_team(self.images.iter().product())?;
        // The same on all images.
        let short = num_images() > 1 && self.longest_run < SHORT;
        let staging = match short {
            true => Staging::new(self.file_bytes()),
            false => None,
        };
        match staging {
            Some(mut staging) => staging.write(file, offset, &self.layout, self.memory, seen),
            None => write_block(file, offset, &self.layout, self.memory, seen),
        }
    }
}

/// An array in words, in errors and requests.
pub(crate) fn in_words(element: ElementType, shape: &[usize]) -> String {
    format!("{element} cells of shape {shape:?}")
}

/// A request in words.
pub(crate) fn request(what: &str, path: &Path, array: &str) -> String {
    format!("{what} {} with {array}", path.display())
}

/// Has `read` fill this image's block: it gets the layout and the memory.
pub(crate) fn fill<T: Scalar, const D: usize>(
    array: &mut HaloArray<T, D>,
    read: impl FnOnce(&Layout, &mut [u8]) -> Result<(), Failed>,
) -> Result<(), Failed>
where
    Dim<[usize; D]>: Dimension,
{
    of_this_team(array.grid().images())?;
    let layout = layout_of::<T, D>(array.blocks(), array.halo());
    let cells = array.local_mut().into_slice();
    let wrong = T::change(cells.expect("a halo array is row-major"), |bytes| {
        read(&layout, bytes)
    })?;
    match wrong {
        None => Ok(()),
        Some(_) => Err(Failed::new(
            ErrorKind::Corrupt,
            format!("a cell has a byte that is no {}", T::TYPE),
        )),
    }
}

/// Checks that the array in a file has the type and shape of `array`.
pub(crate) fn expect<T: Scalar, const D: usize>(
    array: &HaloArray<T, D>,
    element: ElementType,
    shape: &[usize],
) -> Result<(), Failed> {
    let expected = array.blocks().shape();
    if shape != expected {
        return Err(Failed::new(
            ErrorKind::Shape,
            format!("the array in the file has shape {shape:?}, the one to read into {expected:?}"),
        ));
    }
    expect_type::<T>(element)
}

/// Checks that the numbers in a file are of this type.
pub(crate) fn expect_type<T: Scalar>(element: ElementType) -> Result<(), Failed> {
    if element == T::TYPE {
        return Ok(());
    }
    let cause = format!(
        "the numbers in the file are of type {element}, those to read into {}",
        T::TYPE
    );
    Err(Failed::new(ErrorKind::ElementType, cause))
}

/// Checks that an array has as many blocks as the current team has images.
fn of_this_team(images: usize) -> Result<(), Failed> {
    if images == num_images() {
        return Ok(());
    }
    Err(Failed::new(
        ErrorKind::Disagreement,
        format!(
            "the array is divided among {images} images, but the current team has {}; call this in the team that made the array",
            num_images()
        ),
    ))
}

fn layout_of<T: Scalar, const D: usize>(blocks: &Blocks<D>, halo: Halo<D>) -> Layout {
    let range = blocks.own_range();
    let padded: [usize; D] =
        std::array::from_fn(|axis| halo.lower[axis] + range[axis].len() + halo.upper[axis]);
    Layout::new(
        &blocks.shape(),
        &range,
        &padded,
        &halo.lower,
        size_of::<T>(),
    )
}
