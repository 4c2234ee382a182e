//! A picture of a field in two dimensions: colours for values, with axes and a scale.

use crate::canvas::{CHARACTER, Canvas, Colour};

const PAPER: Colour = [255, 255, 255];
const INK: Colour = [30, 30, 36];

/// Pixels of the longer side of the field.
const LONGER_SIDE: usize = 720;

/// Pixels around the field: room for labels.
const MARGIN: usize = 5 * CHARACTER;

/// Pixels to the right of the field: room for the scale.
const SCALE: usize = 13 * CHARACTER;

/// What a chart shows, and how.
pub struct Chart<'a> {
    /// One line above the field.
    pub title: &'a str,
    /// Name of the horizontal axis, and the values at its ends.
    pub across: (&'a str, &'a str, &'a str),
    /// Name of the vertical axis, and the values at its top and its bottom.
    pub down: (&'a str, &'a str, &'a str),
    /// What the colours mean.
    pub quantity: &'a str,
    /// The values of the first and the last colour.
    pub range: (f64, f64),
    /// The colours, at equal distances.
    pub colours: &'a [Colour],
}

/// Where on the canvas the field is, in pixels.
#[derive(Clone, Copy)]
pub struct Area {
    /// From the left edge of the canvas.
    pub left: usize,
    /// From its top.
    pub top: usize,
    /// Width of the field.
    pub width: usize,
    /// Height of the field.
    pub height: usize,
}

impl Chart<'_> {
    /// Draws a field of `rows` x `columns` cells, the first row at the top. `over` draws on top of it.
    pub fn draw(
        &self,
        rows: usize,
        columns: usize,
        value: impl Fn(usize, usize) -> f64,
        over: impl FnOnce(&mut Canvas, Area),
    ) -> Canvas {
        let pixels = |cells: usize| (LONGER_SIDE * cells / rows.max(columns)).max(CHARACTER);
        let area = Area {
            left: MARGIN,
            top: MARGIN,
            width: pixels(columns),
            height: pixels(rows),
        };
        let right = (area.width + SCALE).max((self.title.len() + 1) * CHARACTER);
        let mut canvas = Canvas::new(MARGIN + right, 2 * MARGIN + area.height, PAPER);
        for y in 0..area.height {
            for x in 0..area.width {
                let mean = mean(&value, (y, area.height, rows), (x, area.width, columns));
                canvas.dot(area.left + x, area.top + y, self.colour(mean), 1.0);
            }
        }
        over(&mut canvas, area);
        canvas.frame(area.left, area.top, area.width, area.height, INK);
        self.label(&mut canvas, area);
        self.draw_scale(&mut canvas, area);
        canvas
    }

    fn label(&self, canvas: &mut Canvas, area: Area) {
        let Area {
            left,
            top,
            width,
            height,
        } = area;
        let (right, bottom) = (left + width, top + height);
        canvas.text(left, CHARACTER, self.title, INK);
        let (name, first, last) = self.across;
        let below = bottom + CHARACTER / 2;
        canvas.text(left, below, first, INK);
        canvas.text(
            right.saturating_sub(last.len() * CHARACTER),
            below,
            last,
            INK,
        );
        let middle = left + width / 2 - (name.len() * CHARACTER / 2).min(width / 2);
        canvas.text(middle, below, name, INK);
        let (name, first, last) = self.down;
        let before = |text: &str| left.saturating_sub(text.len() * CHARACTER + CHARACTER / 4);
        canvas.text(before(first), top, first, INK);
        canvas.text(before(last), bottom - CHARACTER, last, INK);
        canvas.text(before(name), top + height / 2 - CHARACTER / 2, name, INK);
    }

    fn draw_scale(&self, canvas: &mut Canvas, area: Area) {
        let Area {
            left,
            top,
            width,
            height,
        } = area;
        let (left, bar) = (left + width + 2 * CHARACTER, CHARACTER);
        let (low, high) = self.range;
        let length = height.saturating_sub(2 * CHARACTER).max(CHARACTER);
        canvas.text(left - CHARACTER, top, self.quantity, INK);
        let top = top + 2 * CHARACTER;
        for y in 0..length {
            let value = high - (high - low) * (y as f64 + 0.5) / length as f64;
            for x in 0..bar {
                canvas.dot(left + x, top + y, self.colour(value), 1.0);
            }
        }
        canvas.frame(left, top, bar, length, INK);
        let ticks = if length > 12 * CHARACTER { 5 } else { 1 };
        for tick in 0..=ticks {
            let value = high - (high - low) * f64::from(tick) / f64::from(ticks);
            let y = top + length * tick as usize / ticks as usize;
            canvas.text(
                left + 2 * bar,
                y - CHARACTER / 2,
                // No minus sign before a value that rounds to zero.
                &format!("{:.3}", (1e3 * value).round() / 1e3 + 0.0),
                INK,
            );
        }
    }

    fn colour(&self, value: f64) -> Colour {
        let (low, high) = self.range;
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        // NaN is shown as the lowest value.
        let place = if share.is_nan() {
            0.0
        } else {
            share * (self.colours.len() - 1) as f64
        };
        let below = (place as usize).min(self.colours.len() - 2);
        let part = place - below as f64;
        let (from, to) = (self.colours[below], self.colours[below + 1]);
        std::array::from_fn(|i| {
            (f64::from(from[i]) * (1.0 - part) + f64::from(to[i]) * part).round() as u8
        })
    }
}

/// The mean of the cells that a pixel covers; where cells are larger than pixels, the value interpolated between cells.
/// An axis is a pixel, the number of pixels and the number of cells.
fn mean(
    value: impl Fn(usize, usize) -> f64,
    (y, height, rows): (usize, usize, usize),
    (x, width, columns): (usize, usize, usize),
) -> f64 {
    if rows > height {
        let range = |pixel: usize, pixels: usize, cells: usize| {
            pixel * cells / pixels..((pixel + 1) * cells / pixels).max(pixel * cells / pixels + 1)
        };
        let (down, across) = (range(y, height, rows), range(x, width, columns));
        let count = down.len() * across.len();
        let cells = down.flat_map(|row| across.clone().map(move |column| (row, column)));
        return cells.map(|(row, column)| value(row, column)).sum::<f64>() / count as f64;
    }
    let between = |pixel: usize, pixels: usize, cells: usize| {
        let place = (pixel as f64 + 0.5) * cells as f64 / pixels as f64 - 0.5;
        let place = place.clamp(0.0, (cells - 1) as f64);
        let below = (place as usize).min(cells.saturating_sub(2));
        (below, (below + 1).min(cells - 1), place - below as f64)
    };
    let (up, down, lower) = between(y, height, rows);
    let (left, right, part) = between(x, width, columns);
    let line = |row: usize| value(row, left) * (1.0 - part) + value(row, right) * part;
    line(up) * (1.0 - lower) + line(down) * lower
}
