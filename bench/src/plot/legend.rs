//! Which colour and marker belong to which name, beside the data.

use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Rectangle};
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use crate::plot::frame::{Canvas, DARK, LABEL, Point, letters, width_of};
use crate::plot::style::{Marker, Style};

const ROW: i32 = 27;
const SAMPLE: i32 = 38;
const RADIUS: i32 = 5;

/// Names with their styles.
pub struct Legend {
    /// In the order in which they are listed.
    pub entries: Vec<(String, Style)>,
    /// They are of bars, not of lines.
    pub of_bars: bool,
}

impl Legend {
    /// How much room it needs.
    pub fn width(&self) -> i32 {
        let widest = self.entries.iter().map(|(name, _)| width_of(name, LABEL));
        widest.max().map_or(0, |widest| SAMPLE + 10 + widest)
    }

    /// Draws it, from this place to the right and down.
    pub fn draw(&self, canvas: &Canvas, left: i32, top: i32) -> Result<(), String> {
        for ((name, style), number) in self.entries.iter().zip(0..) {
            let row = top + 14 + number * ROW;
            if self.of_bars {
                let corners = [(left + SAMPLE - 18, row - 8), (left + SAMPLE, row + 8)];
                canvas.draw(&Rectangle::new(corners, style.colour.filled()))?;
            } else {
                path(canvas, vec![(left, row), (left + SAMPLE, row)], style)?;
                mark(canvas, (left + SAMPLE / 2, row), style)?;
            }
            let at = (left + SAMPLE + 10, row);
            canvas.text(name, at, letters(LABEL, DARK, HPos::Left))?;
        }
        Ok(())
    }
}

/// Draws a line through the points.
pub fn path(canvas: &Canvas, points: Vec<Point>, style: &Style) -> Result<(), String> {
    let stroke = style.colour.stroke_width(2);
    if style.dashed {
        canvas.draw(&DashedPathElement::new(points, 7, 5, stroke))
    } else {
        canvas.draw(&PathElement::new(points, stroke))
    }
}

/// Marks a point.
pub fn mark(canvas: &Canvas, (x, y): Point, style: &Style) -> Result<(), String> {
    let (r, fill) = (RADIUS, style.colour.filled());
    let polygon = |points: Vec<Point>| canvas.draw(&Polygon::new(points, fill));
    let stroke = |from: Point, to: Point| canvas.line(from, to, style.colour, 3);
    match style.marker {
        Marker::Disc => canvas.draw(&Circle::new((x, y), r, fill)),
        Marker::Square => {
            let corners = [(x - r + 1, y - r + 1), (x + r - 1, y + r - 1)];
            canvas.draw(&Rectangle::new(corners, fill))
        }
        Marker::Diamond => {
            let r = r + 1;
            polygon(vec![(x - r, y), (x, y - r), (x + r, y), (x, y + r)])
        }
        Marker::Triangle => polygon(vec![(x - r, y + r - 1), (x, y - r - 1), (x + r, y + r - 1)]),
        Marker::Wedge => polygon(vec![(x - r, y - r + 1), (x, y + r + 1), (x + r, y - r + 1)]),
        Marker::Cross => {
            stroke((x - r + 1, y - r + 1), (x + r - 1, y + r - 1))?;
            stroke((x - r + 1, y + r - 1), (x + r - 1, y - r + 1))
        }
        Marker::Plus => {
            stroke((x - r, y), (x + r, y))?;
            stroke((x, y - r), (x, y + r))
        }
    }
}
