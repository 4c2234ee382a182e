//! Pictures of cells: states in a circle as hues in a circle.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use crate::cyclic::STATES;

/// Pixels along the side of a cell.
const CELL: usize = 2;

/// Writes a PNG file of `rows` x `columns` cells; `cell` gives the state of the cell at a row and a column.
///
/// ```
/// let path = std::env::temp_dir().join("coarray-book-doctest.png");
/// coarray_book::picture::write_png(&path, 12, 12, |row, column| (row.max(column) % 12) as u8)?;
/// # std::fs::remove_file(&path)?;
/// # std::io::Result::Ok(())
/// ```
///
/// # Errors
/// That the file cannot be written.
pub fn write_png(
    path: impl AsRef<Path>,
    rows: usize,
    columns: usize,
    cell: impl Fn(usize, usize) -> u8,
) -> io::Result<()> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, (columns * CELL) as u32, (rows * CELL) as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette((0..STATES).flat_map(colour).collect::<Vec<u8>>());
    let mut pixels = Vec::with_capacity(rows * columns * CELL * CELL);
    for y in 0..rows * CELL {
        pixels.extend((0..columns * CELL).map(|x| cell(y / CELL, x / CELL)));
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(())
}

/// Red, green and blue of a state: a circle through warm, green and blue, never quite dark.
fn colour(state: u8) -> [u8; 3] {
    let turn = f64::from(state) / f64::from(STATES);
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|phase| {
        let wave = (std::f64::consts::TAU * (turn - phase)).cos();
        (140.0 + 105.0 * wave) as u8
    })
}
