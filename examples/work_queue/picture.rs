//! The picture: which image computed a row, and the row.

use coarray::prelude::*;
use program::canvas::{CHARACTER, Canvas, Colour};
use program::random;

use crate::options::Options;

const PAPER: Colour = [255, 255, 255];
const INK: Colour = [30, 30, 36];

/// Colours of M. Okabe and K. Ito, *Color universal design*, 2008. More images begin again.
const IMAGES: [Colour; 7] = [
    [0, 114, 178],
    [230, 159, 0],
    [0, 158, 115],
    [204, 121, 167],
    [86, 180, 233],
    [213, 94, 0],
    [240, 228, 66],
];

/// How many characters wide the list of the images is.
const LIST: usize = 22;

pub(crate) struct Picture {
    /// For each row the image that computed it, and the iterations of its points; on image 0 only.
    pub(crate) rows: Ragged<u32>,
    width: usize,
}

impl Picture {
    /// Collective. An empty picture.
    pub(crate) fn new(options: &Options) -> Self {
        let words = options.height * (options.width + 1);
        let own = if this_image() == 0 { words } else { 0 };
        Self {
            rows: Ragged::from_fn(own, |_| 0),
            width: options.width,
        }
    }

    /// For each row the image that computed it, and the iterations of its points.
    fn rows(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let rows = self.rows.chunks_exact(self.width + 1);
        rows.map(|row| (row[0], &row[1..]))
    }

    /// The checksum of the points, whichever images computed them.
    pub(crate) fn checksum(&self) -> u64 {
        let points = self.rows().flat_map(|(_, iterations)| iterations).zip(0..);
        points
            .map(|(&count, point)| random::bits(point, count.into()))
            .fold(0, u64::wrapping_add)
    }

    /// The picture, with a colour for each image, and a list of how many rows each has computed.
    pub(crate) fn draw(&self, limit: u32) -> Canvas {
        let height = self.rows().count();
        let list = height.max((num_images() + 1) * 2 * CHARACTER);
        let mut canvas = Canvas::new(self.width + LIST * CHARACTER, list, PAPER);
        let mut computed = vec![0; num_images()];
        for (y, (image, iterations)) in self.rows().enumerate() {
            computed[image as usize] += 1;
            for (x, &count) in iterations.iter().enumerate() {
                let share = f64::from(count).ln_1p() / f64::from(limit).ln_1p();
                canvas.dot(x, y, colour_of(image as usize), 0.15 + 0.85 * share);
                if count == limit {
                    canvas.dot(x, y, INK, 0.55);
                }
            }
        }
        for (image, rows) in computed.into_iter().enumerate() {
            let (left, top) = (self.width + CHARACTER, (1 + 2 * image) * CHARACTER);
            for dot in 0..CHARACTER * CHARACTER {
                let (x, y) = (left + dot % CHARACTER, top + dot / CHARACTER);
                canvas.dot(x, y, colour_of(image), 1.0);
            }
            canvas.frame(left, top, CHARACTER, CHARACTER, INK);
            let text = format!("image {image}: {rows} rows");
            canvas.text(left + 2 * CHARACTER, top, &text, INK);
        }
        canvas
    }
}

fn colour_of(image: usize) -> Colour {
    IMAGES[image % IMAGES.len()]
}

/// One-sided. Puts a row that this image has computed into the rows of the picture.
pub(crate) fn put(rows: &Coref<[u32]>, row: usize, iterations: &[u32]) {
    let start = row * (iterations.len() + 1);
    rows[start].put(this_image() as u32);
    rows[start + 1..=start + iterations.len()].put_from(iterations);
}
