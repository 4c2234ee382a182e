//! A picture of a plane of cells: grains coloured by the orientations of their lattices, darker at their boundaries,
//! and black where they are cracked.

use std::path::Path;

use coarray::ndarray::ArrayView2;
use program::output::{self, OutputError};

use crate::cubic::{Orientations, face_normals};
use crate::lattice::LIQUID;
use crate::rotation::{Rotation, Vector, dot};

/// The number of pixels that the shorter side of a picture of few cells reaches.
const SHORTEST: usize = 768;

/// The most pixels that a side is enlarged to.
const LONGEST: usize = 4096;

const CRACKED: [u8; 3] = [0, 0, 0];
const NOTHING: [u8; 3] = [255, 255, 255];

/// The brightness of a cell at a boundary, relative to the grains; a cell with fewer than `SMOOTH` neighbours of other
/// grains is brighter.
const BOUNDARY: f64 = 0.45;
/// A cell in a smooth boundary has this number of neighbours of the other grain, or a few more.
const SMOOTH: f64 = 12.0;

/// The cells of a plane.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a> {
    /// The grain of each.
    pub grains: ArrayView2<'a, u32>,
    /// How many of the 26 neighbours are of other grains.
    pub boundaries: ArrayView2<'a, u8>,
    /// Not 0 where it is cracked.
    pub broken: ArrayView2<'a, u32>,
}

impl Plane<'_> {
    /// Writes the picture; each cell is a square of pixels, the first row at the bottom.
    ///
    /// # Errors
    /// That the file cannot be written.
    pub fn write_png(&self, path: &Path, orientations: &Orientations) -> Result<(), OutputError> {
        let (rows, columns) = self.grains.dim();
        let wanted = SHORTEST.div_ceil(rows.min(columns));
        let side = wanted.min(LONGEST / rows.max(columns)).max(1);
        let mut pixels = Vec::with_capacity(rows * columns * side * side * 3);
        for row in (0..rows).rev() {
            let start = pixels.len();
            for column in 0..columns {
                let colour = self.colour([row, column], orientations);
                (0..side).for_each(|_| pixels.extend(colour));
            }
            let line = start..pixels.len();
            (1..side).for_each(|_| pixels.extend_from_within(line.clone()));
        }
        let (width, height) = ((columns * side) as u32, (rows * side) as u32);
        output::write(path, |file| {
            let mut encoder = png::Encoder::new(file, width, height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&pixels)?;
            Ok(writer.finish()?)
        })
    }

    fn colour(&self, cell: [usize; 2], orientations: &Orientations) -> [u8; 3] {
        let grain = self.grains[cell];
        if self.broken[cell] != 0 {
            CRACKED
        } else if grain == LIQUID {
            NOTHING
        } else {
            let share = (f64::from(self.boundaries[cell]) / SMOOTH).min(1.0);
            let light = 1.0 - share * (1.0 - BOUNDARY);
            colour(orientations.of(grain)).map(|part| (part * light * 255.0).round() as u8)
        }
    }
}

/// The colour of an orientation: which direction of the lattice points to z. Red is a cube's axis, green a diagonal of
/// its faces, blue a diagonal of the cube, as is usual for inverse pole figures.
fn colour(lattice: Rotation) -> Vector {
    let upwards: Vector = [0.0, 0.0, 1.0];
    let mut along = face_normals(lattice).map(|normal| dot(normal, upwards).abs());
    along.sort_unstable_by(|a, b| b.total_cmp(a));
    let [most, middle, least] = along;
    // Each is 0 on one side of the triangle between the three directions.
    let parts = [
        most - middle,
        (middle - least) * std::f64::consts::SQRT_2,
        least * 3f64.sqrt(),
    ];
    let largest = parts.into_iter().fold(f64::MIN_POSITIVE, f64::max);
    // Square roots make the middle of the triangle less dark.
    parts.map(|part| (part / largest).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubic::symmetries;
    use crate::random::Random;
    use coarray::ndarray::{Array2, array};
    use std::fs::File;
    use std::io;

    #[test]
    fn equivalent_lattices_have_one_colour() {
        for index in 0..20 {
            let lattice = Rotation::random(Random::new(1), index);
            let expected = colour(lattice);
            for symmetry in symmetries() {
                let found = colour(symmetry.after(lattice));
                assert!((0..3).all(|part| (found[part] - expected[part]).abs() < 1e-6));
            }
            assert!(expected.iter().all(|part| (0.0..=1.0).contains(part)));
        }
    }

    #[test]
    fn pictures_show_grains_boundaries_and_cracks() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("plane.png");
        let orientations = Orientations::random(Random::new(1), 2);
        let grains = array![[1, 1, 2], [1, 0, 2]];
        let boundaries = array![[0, 9, 0], [0, 0, 0]];
        let mut broken = Array2::zeros((2, 3));
        broken[[0, 2]] = 4;
        let plane = Plane {
            grains: grains.view(),
            boundaries: boundaries.view(),
            broken: broken.view(),
        };
        plane.write_png(&path, &orientations).unwrap();

        let file = io::BufReader::new(File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let side = SHORTEST / 2;
        assert_eq!(
            (info.width as usize, info.height as usize),
            (3 * side, 2 * side)
        );
        let pixel = |row: usize, column: usize| {
            // The first row is the lowest.
            let down = (1 - row) * side + side / 2;
            let place = (down * 3 * side + column * side + side / 2) * 3;
            [0, 1, 2].map(|part| pixels[place + part])
        };
        assert_eq!(pixel(0, 2), CRACKED);
        assert_eq!(pixel(1, 1), NOTHING);
        assert_eq!(pixel(0, 0), pixel(1, 0));
        let light = |colour: [u8; 3]| colour.iter().map(|&part| u32::from(part)).sum::<u32>();
        assert!(light(pixel(0, 1)) < light(pixel(0, 0)));
        assert_ne!(pixel(1, 2), pixel(0, 0));
    }
}
