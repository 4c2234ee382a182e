//! The number of iterations until a point is known not to be in the Mandelbrot set.

use crate::options::Options;

/// The middle of the picture: above the middle of the set, so that the upper rows take less time.
const MIDDLE: [f64; 2] = [-0.6, 0.35];

/// How wide the picture is.
const WIDTH: f64 = 3.0;

/// The numbers of iterations for the points of a row.
pub(crate) fn row(row: usize, options: &Options) -> Vec<u32> {
    let pixel = WIDTH / options.width as f64;
    let offset = |index: usize, pixels: usize| (index as f64 + 0.5 - pixels as f64 / 2.0) * pixel;
    let [x, y] = MIDDLE;
    let imaginary = y - offset(row, options.height);
    (0..options.width)
        .map(|column| {
            let real = x + offset(column, options.width);
            iterations(real, imaginary, options.limit)
        })
        .collect()
}

/// The number of iterations of z^2 + c until a point c leaves the circle with radius 2, at most `limit`.
fn iterations(real: f64, imaginary: f64, limit: u32) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    for count in 0..limit {
        let (x_squared, y_squared) = (x * x, y * y);
        if x_squared + y_squared > 4.0 {
            return count;
        }
        (x, y) = (x_squared - y_squared + real, 2.0 * x * y + imaginary);
    }
    limit
}
