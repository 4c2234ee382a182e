//! Pictures drawn pixel by pixel, with text.

use std::io::{self, Write};
use std::path::Path;

use crate::output::{self, OutputError};
use font8x8::legacy::BASIC_LEGACY;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// Width and height of a character in pixels.
pub const CHARACTER: usize = 16;

/// Width of a dot of the font in pixels.
const DOT: usize = CHARACTER / 8;

/// A picture. Pixel (0, 0) is at the top left.
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
}

impl Canvas {
    /// A picture of one colour.
    pub fn new(width: usize, height: usize, ground: Colour) -> Self {
        Self {
            width,
            height,
            pixels: vec![ground; width * height],
        }
    }

    /// Mixes a colour into a pixel, if it is in the picture: a share of 1 replaces the old colour.
    pub fn dot(&mut self, x: usize, y: usize, colour: Colour, share: f64) {
        if x < self.width && y < self.height {
            let pixel = &mut self.pixels[y * self.width + x];
            for (old, new) in pixel.iter_mut().zip(colour) {
                *old = (f64::from(*old) * (1.0 - share) + f64::from(new) * share).round() as u8;
            }
        }
    }

    /// Draws the outline of a rectangle around these pixels.
    pub fn frame(&mut self, left: usize, top: usize, width: usize, height: usize, colour: Colour) {
        for x in left - 1..=left + width {
            self.dot(x, top - 1, colour, 1.0);
            self.dot(x, top + height, colour, 1.0);
        }
        for y in top - 1..=top + height {
            self.dot(left - 1, y, colour, 1.0);
            self.dot(left + width, y, colour, 1.0);
        }
    }

    /// Writes ASCII text, with its top left corner at this pixel.
    pub fn text(&mut self, left: usize, top: usize, text: &str, colour: Colour) {
        for (place, byte) in text.bytes().enumerate() {
            let glyph = BASIC_LEGACY[usize::from(byte.min(127))];
            for (row, bits) in glyph.into_iter().enumerate() {
                for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                    for dot in 0..DOT * DOT {
                        let x = left + place * CHARACTER + column * DOT + dot % DOT;
                        self.dot(x, top + row * DOT + dot / DOT, colour, 1.0);
                    }
                }
            }
        }
    }

    /// Writes the picture as a PNG file.
    ///
    /// # Errors
    /// That the file cannot be written.
    pub fn write_png(&self, path: &Path) -> Result<(), OutputError> {
        output::write(path, |file| self.encode(file))
    }

    fn encode(&self, file: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        Ok(writer.finish()?)
    }
}
