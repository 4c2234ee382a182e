//! The division of rows among images.

use std::ops::Range;

/// Rows divided among images so that all have about the same number of nonzeros: at most the average plus the length of
/// the longest row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    /// Where each image's rows begin, and where the last one's end.
    pub(crate) starts: Vec<usize>,
}

impl Division {
    /// Divides rows of these lengths.
    pub(crate) fn new(lengths: impl Iterator<Item = usize> + Clone, images: usize) -> Self {
        let (rows, nonzeros) = lengths
            .clone()
            .fold((0, 0), |(rows, sum), length| (rows + 1, sum + length));
        let mut starts = vec![0];
        let mut before = 0;
        for (row, length) in lengths.enumerate() {
            // An image begins where the images before it have at least their share.
            while starts.len() < images && before * images >= starts.len() * nonzeros {
                starts.push(row);
            }
            before += length;
        }
        starts.resize(images, rows);
        starts.push(rows);
        Self { starts }
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The rows of an image, and the elements of vectors that it has.
    pub(crate) fn of(&self, image: usize) -> Range<usize> {
        self.starts[image]..self.starts[image + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_image_has_more_than_its_share_and_a_row(
            lengths in prop::collection::vec(prop_oneof![Just(0), 0..9_usize, 0..200_usize], 0..60),
            images in 1..13_usize,
        ) {
            let division = Division::new(lengths.iter().copied(), images);
            prop_assert_eq!(division.rows(), lengths.len());
            prop_assert_eq!(division.of(0).start, 0);
            let longest = lengths.iter().max().copied().unwrap_or(0);
            let all: usize = lengths.iter().sum();
            for image in 0..images {
                let rows = division.of(image);
                prop_assert!(image == 0 || rows.start == division.of(image - 1).end);
                let nonzeros: usize = lengths[rows].iter().sum();
                prop_assert!(nonzeros * images <= all + longest * images);
            }
        }
    }
}
