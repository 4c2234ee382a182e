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

    /// All pairs of images of which the first has moved something to or from the memory of the second.
    pub(super) fn pairs(&self) -> Vec<(usize, usize, Moved)> {
        let of_row = |(&image, row): (&usize, &Vec<Moved>)| {
            let pairs = row.iter().enumerate();
            let pairs = pairs.map(move |(target, &moved)| (image, target, moved));
            pairs.collect::<Vec<_>>()
        };
        let pairs = self.rows.iter().flat_map(of_row);
        pairs.filter(|(.., moved)| moved.operations > 0).collect()
    }

    /// How many rows and columns it has.
    pub(super) fn images(&self) -> usize {
        self.images
    }
}

impl Data {
    /// Of the images with these numbers, in increasing order; the job has `images`.
    pub(super) fn of(profiles: impl Iterator<Item = (usize, ImageProfile)>, images: usize) -> Self {
        let mut lines = BTreeMap::<Place, LineMoves>::new();
        let mut rows = BTreeMap::new();
        for (image, profile) in profiles {
            rows.insert(image, profile.row);
            for moves in profile.moves {
                match lines.get_mut(&moves.place) {
                    Some(line) => line.join(&moves),
                    None => _ = lines.insert(moves.place.clone(), moves),
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
