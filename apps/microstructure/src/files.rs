//! The files that cells are written to.

use std::path::Path;

use coarray::grid::HaloArray;
use coarray::ndarray::{ArrayView3, Axis};
use program::output::OutputError;

use crate::cubic::Orientations;
use crate::options::Options;
use crate::slice::Plane;

/// Why a file cannot be written. It prints as one line that begins with the path.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A file that image 0 writes alone.
    #[error(transparent)]
    Own(#[from] OutputError),
    /// A file that all images write together.
    #[error(transparent)]
    Joint(#[from] coarray_io::Error),
}

/// The results for each cell.
#[derive(Debug)]
pub struct Fields<'a> {
    /// The number of its grain.
    pub grains: &'a HaloArray<u32, 3>,
    /// How many of its 26 neighbours are of other grains.
    pub boundaries: &'a HaloArray<u8, 3>,
    /// The step in which it broke, from 1 on, or 0.
    pub broken: &'a HaloArray<u32, 3>,
}

impl Fields<'_> {
    /// Collective. Writes the files that `options` name: image 0 the picture, all images together the others.
    ///
    /// # Errors
    /// That a file cannot be written; for the picture, on image 0 only.
    pub fn write(&self, options: &Options, orientations: &Orientations) -> Result<(), FileError> {
        if let Some(path) = &options.npy {
            coarray_io::write_npy(path, self.grains)?;
        }
        if let Some(path) = &options.vti {
            coarray_io::Vti::new()
                .field("grain", self.grains)
                .field("boundary", self.boundaries)
                .field("broken", self.broken)
                .write(path)?;
        }
        if let Some(path) = &options.png {
            self.write_plane(path, orientations)?;
        }
        Ok(())
    }

    /// Collective. The plane in the middle of z, drawn by image 0.
    fn write_plane(&self, path: &Path, orientations: &Orientations) -> Result<(), FileError> {
        let [planes, rows, columns] = self.grains.blocks().shape();
        let middle = planes / 2;
        let ranges = || [middle..middle + 1, 0..rows, 0..columns];
        let grains = self.grains.gather_slice(0, ranges());
        let boundaries = self.boundaries.gather_slice(0, ranges());
        let broken = self.broken.gather_slice(0, ranges());
        let (Some(grains), Some(boundaries), Some(broken)) = (grains, boundaries, broken) else {
            return Ok(());
        };
        let plane = Plane {
            grains: only(grains.view()),
            boundaries: only(boundaries.view()),
            broken: only(broken.view()),
        };
        Ok(plane.write_png(path, orientations)?)
    }
}

fn only<T>(plane: ArrayView3<'_, T>) -> coarray::ndarray::ArrayView2<'_, T> {
    plane.index_axis_move(Axis(0), 0)
}
