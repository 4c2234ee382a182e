//! From cells to pixels: how large the picture is, and how bright each pixel.
//!
//! Cells first become dots: one dot per cell, or one per square of cells where there are more of
//! them than a picture has pixels. Dots light up what is around them, and then become squares of
//! pixels.

/// The most dots on the longer side of a picture, and the most pixels but for a last gap.
const LONGEST: usize = 2048;

/// The number of pixels that the shorter side of a picture of few cells reaches.
const SHORTEST: usize = 640;

/// The least size in pixels of dots with gaps between them.
const APART: usize = 8;

/// The brightness of a live cell, and of a dot whose cells all live.
pub(super) const LIVE: u8 = 255;

/// The least brightness of a dot with gaps around it: just brighter than the gaps.
pub(super) const DEAD: u8 = 8;

/// The brightness of gaps, and of dead cells without gaps and far from live ones.
pub(super) const GROUND: u8 = 0;

/// A dot is this many times brighter than its glow where the glow is brightest.
pub(super) const GLOW: u8 = 3;

/// A picture: one level of brightness per pixel, row by row.
pub(super) struct Raster {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) levels: Vec<u8>,
}

impl Raster {
    /// Draws `rows` × `columns` cells.
    pub(super) fn new(rows: usize, columns: usize, alive: impl Fn(usize, usize) -> bool) -> Raster {
        assert!(
            rows > 0 && columns > 0,
            "a picture of {rows} x {columns} cells is empty"
        );
        let mut dots = Raster::dots(rows, columns, alive);
        dots.glow();
        dots.magnified()
    }

    /// One dot for each cell, or for each square of cells where the longer side has more than
    /// `LONGEST` cells. The edges of the torus may cut the last squares.
    fn dots(rows: usize, columns: usize, alive: impl Fn(usize, usize) -> bool) -> Raster {
        let side = rows.max(columns).div_ceil(LONGEST);
        let (width, height) = (columns.div_ceil(side), rows.div_ceil(side));
        let mut levels = Vec::with_capacity(width * height);
        for top in (0..rows).step_by(side) {
            let down = top..rows.min(top + side);
            for left in (0..columns).step_by(side) {
                let across = left..columns.min(left + side);
                let live_in = |row| across.clone().filter(|&column| alive(row, column)).count();
                let live: usize = down.clone().map(live_in).sum();
                levels.push(brightness(live, down.len() * across.len()));
            }
        }
        Raster {
            width,
            height,
            levels,
        }
    }

    /// Lets every dot throw light around it, which fades from each dot to the next. Where lights
    /// meet, the strongest counts: a crowd glows no more than a loner does.
    fn glow(&mut self) {
        let mut light: Vec<u8> = self.levels.iter().map(|level| level / GLOW).collect();
        for line in light.chunks_exact_mut(self.width) {
            spread(line, 1);
        }
        spread(&mut light, self.width);
        for (level, light) in self.levels.iter_mut().zip(light) {
            *level = light.max(*level);
        }
    }

    /// A square of pixels for each dot, with gaps between them where the squares are large enough.
    fn magnified(&self) -> Raster {
        let (shorter, longer) = (self.width.min(self.height), self.width.max(self.height));
        let side = SHORTEST.div_ceil(shorter).min(LONGEST / longer);
        let (gap, darkest) = if side < APART { (0, GROUND) } else { (1, DEAD) };
        let (width, height) = (self.width * side + gap, self.height * side + gap);
        let mut levels = vec![GROUND; width * height];
        for (y, line) in levels.chunks_exact_mut(width).enumerate() {
            if y % side < gap {
                continue;
            }
            let dots = &self.levels[y / side * self.width..][..self.width];
            for (square, &level) in line[gap..].chunks_exact_mut(side).zip(dots) {
                square[..side - gap].fill(level.max(darkest));
            }
        }
        Raster {
            width,
            height,
            levels,
        }
    }
}

/// The brightness of a dot with `live` of `all` cells alive. Far from proportional: one glider in a
/// wide torus is to be seen as well as a crowd.
fn brightness(live: usize, all: usize) -> u8 {
    let density = live as f32 / all as f32;
    (f32::from(LIVE) * density.powf(0.4)).round() as u8
}

/// Spreads light forwards and backwards between dots that are `stride` apart.
fn spread(light: &mut [u8], stride: usize) {
    let faded = |level: u8| level / 5 * 3;
    for dot in stride..light.len() {
        light[dot] = light[dot].max(faded(light[dot - stride]));
    }
    for dot in (stride..light.len()).rev() {
        light[dot - stride] = light[dot - stride].max(faded(light[dot]));
    }
}
