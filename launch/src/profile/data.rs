//! What the images of a job have moved, all together.

use std::collections::BTreeMap;

use coarray_runtime::{ImageProfile, LineMoves, Moved, Place};

/// What the images of a job have moved: by line of the program, and between which images.
#[derive(Debug)]
pub(super) struct Data {
    /// How many images it is about, of those that the job had.
    pub(super) known: usize,
    pub(super) images: usize,
    /// Of all images; the lines with the most operations first.
    pub(super) lines: Vec<LineMoves>,
    pub(super) matrix: Matrix,
}

/// Which image has moved how much to and from the memory of which: a row for each that did so.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    images: usize,
    rows: BTreeMap<usize, Vec<Moved>>,
}

impl Matrix {
    /// What `image` has moved to and from the memory of `target`.
    pub(super) fn at(&self, image: usize, target: usize) -> Moved {
        let row = self.rows.get(&image);
        row.and_then(|row| row.get(target))
            .copied()
            .unwrap_or_default()
    }

    /// How many rows and columns it has.
    pub(super) fn images(&self) -> usize {
        self.images
    }
}

impl Data {
    /// Of the images with these numbers, in increasing order; the job has `images`.
    pub(super) fn of<'a>(
        profiles: impl Iterator<Item = (usize, &'a ImageProfile)>,
        images: usize,
    ) -> Self {
        let mut lines = BTreeMap::<Place, LineMoves>::new();
        let mut rows = BTreeMap::new();
        for (image, profile) in profiles {
            rows.insert(image, profile.row.clone());
            for moves in &profile.moves {
                match lines.get_mut(&moves.place) {
                    Some(line) => line.join(moves),
                    None => {
                        lines.insert(moves.place.clone(), moves.clone());
                    }
                }
            }
        }
        let mut lines: Vec<_> = lines.into_values().collect();
        lines.sort_by_key(|line| std::cmp::Reverse((line.all().operations, line.all().bytes)));
        Self {
            known: rows.len(),
            images,
            lines,
            matrix: Matrix { images, rows },
        }
    }
}
