//! Pictures of a torus as PNG files: glowing cells on a dark ground.

mod raster;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::Path;

use raster::Raster;

use program::output::{self, OutputError};

/// Writes a picture of `rows` × `columns` cells; `alive` tells for a row and a column, in this
/// order, whether the cell lives.
///
/// A small torus is enlarged, each cell to a square, until its shorter side has at least 512 pixels
/// (unless the longer one would then have more than 2048); cells of 8 pixels and more stand a little
/// apart. A large torus is reduced until its longer side has at most 2048 pixels; then a pixel is
/// the brighter the more of its cells live, and a single live cell is enough to see.
///
/// ```
/// let path = std::env::temp_dir().join("life-doctest.png");
/// life::picture::write_png(&path, 3, 3, |row, column| row == column)?;
/// # std::fs::remove_file(&path).ok();
/// # Ok::<(), program::output::OutputError>(())
/// ```
///
/// # Errors
///
/// That the file cannot be written.
///
/// # Panics
///
/// If `rows` or `columns` is 0.
pub fn write_png(
    path: &Path,
    rows: usize,
    columns: usize,
    alive: impl Fn(usize, usize) -> bool,
) -> Result<(), OutputError> {
    let raster = Raster::new(rows, columns, alive);
    output::write(path, |file| encode(file, &raster))
}

fn encode(file: impl Write, raster: &Raster) -> io::Result<()> {
    let mut encoder = png::Encoder::new(file, raster.width as u32, raster.height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette());
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&raster.levels)?;
    Ok(writer.finish()?)
}

/// The colours of the 256 levels of brightness, as red, green and blue in turn: from a bluish
/// black over ember red and orange to a warm white.
fn palette() -> Vec<u8> {
    const STOPS: [(u8, [u8; 3]); 6] = [
        (0, [12, 14, 20]),
        (8, [20, 22, 29]),
        (64, [92, 36, 36]),
        (140, [214, 96, 36]),
        (205, [250, 174, 70]),
        (255, [255, 212, 122]),
    ];
    let blend = |level: u8, stops: &[(u8, [u8; 3])]| {
        let [(below, dark), (above, light)] = [stops[0], stops[1]];
        let share = f32::from(level - below) / f32::from(above - below);
        [0, 1, 2].map(|part| {
            let (dark, light) = (f32::from(dark[part]), f32::from(light[part]));
            (dark + share * (light - dark)).round() as u8
        })
    };
    (0..=255)
        .flat_map(|level| {
            let stops = STOPS.windows(2).find(|stops| level <= stops[1].0);
            blend(level, stops.expect("the last stop is the highest level"))
        })
        .collect()
}
