//! What surrounds the data: title, subtitle, axes and grid.

use std::path::Path;

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Drawable, PathElement, PointCollection, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, FontTransform, IntoTextStyle, RGBColor, TextStyle, WHITE};

use crate::plot::PlotError;
use crate::plot::legend::Legend;
use crate::plot::scale::Scale;
use crate::plot::unit::Unit;

/// Place in the picture, in pixels.
pub type Point = (i32, i32);

const WIDTH: i32 = 1200;
const HEIGHT: i32 = 720;

const FONT: &str = "DejaVu Sans, Helvetica, Arial, sans-serif";

/// Sizes of letters. The library writes them to the file divided by this factor.
const FACTOR: f64 = 1.24;
const TITLE: f64 = 25.0;
const SUBTITLE: f64 = 14.0;
pub const LABEL: f64 = 16.0;

pub const DARK: RGBColor = RGBColor(40, 40, 40);
const MEDIUM: RGBColor = RGBColor(95, 95, 95);
const LIGHT: RGBColor = RGBColor(226, 226, 226);

const EDGE: i32 = 24;
const HEAD: i32 = 44;
const LINE: i32 = 20;

/// A picture that is being drawn.
pub struct Canvas<'text> {
    area: DrawingArea<SVGBackend<'text>, Shift>,
}

impl Canvas<'_> {
    /// Draws an element.
    pub fn draw<E>(&self, element: &E) -> Result<(), String>
    where
        for<'b> &'b E: PointCollection<'b, Point>,
        for<'b> E: Drawable<SVGBackend<'b>>,
    {
        self.area.draw(element).map_err(|error| error.to_string())
    }

    /// Draws a line of so many pixels.
    pub fn line(&self, from: Point, to: Point, colour: RGBColor, width: u32) -> Result<(), String> {
        self.draw(&PathElement::new(
            vec![from, to],
            colour.stroke_width(width),
        ))
    }

    /// Writes text.
    pub fn text(&self, text: &str, at: Point, style: TextStyle<'_>) -> Result<(), String> {
        self.draw(&Text::new(text.to_owned(), at, style))
    }
}

/// How text is written, `align`ed to its place.
pub fn letters(size: f64, colour: RGBColor, align: HPos) -> TextStyle<'static> {
    let font = (FONT, size * FACTOR).into_text_style(&(WIDTH as u32, HEIGHT as u32));
    TextStyle {
        color: colour.to_backend_color(),
        pos: Pos::new(align, VPos::Center),
        ..font
    }
}

/// About how wide a text is.
pub fn width_of(text: &str, size: f64) -> i32 {
    (text.chars().count() as f64 * size * 0.61).ceil() as i32
}

/// The part of the picture where the data are.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    pub left: i32,
    pub right: i32,
    pub top: i32,
    pub bottom: i32,
}

impl Inside {
    /// The column of a place between 0 and 1 along the axis.
    pub fn column(&self, place: f64) -> i32 {
        self.left + (f64::from(self.right - self.left) * place).round() as i32
    }

    /// The row of a place between 0 and 1 along the axis.
    pub fn row(&self, place: f64) -> i32 {
        self.bottom - (f64::from(self.bottom - self.top) * place).round() as i32
    }
}

/// What is written around the data.
pub struct Frame<'a> {
    pub title: &'a str,
    pub subtitle: &'a str,
    pub x_title: &'a str,
    pub y_title: &'a str,
    pub y: &'a Scale,
    pub y_unit: Unit,
    pub legend: &'a Legend,
}

impl Frame<'_> {
    /// Draws the frame, then what `data` draws inside, and writes the file.
    pub fn write(
        &self,
        file: &Path,
        data: impl FnOnce(&Canvas, &Inside) -> Result<(), String>,
    ) -> Result<(), PlotError> {
        let written = |reason: String| PlotError::Write {
            file: file.to_owned(),
            reason,
        };
        let mut picture = String::new();
        self.draw(&mut picture, data).map_err(written)?;
        std::fs::write(file, picture).map_err(|error| written(error.to_string()))
    }

    fn draw(
        &self,
        picture: &mut String,
        data: impl FnOnce(&Canvas, &Inside) -> Result<(), String>,
    ) -> Result<(), String> {
        let size = (WIDTH as u32, HEIGHT as u32);
        let area = SVGBackend::with_string(picture, size).into_drawing_area();
        area.fill(&WHITE).map_err(|error| error.to_string())?;
        let canvas = Canvas { area };
        let inside = self.surround(&canvas)?;
        data(&canvas, &inside)?;
        self.legend.draw(&canvas, inside.right + EDGE, inside.top)?;
        canvas.area.present().map_err(|error| error.to_string())
    }

    fn surround(&self, canvas: &Canvas) -> Result<Inside, String> {
        let mut title = letters(TITLE, DARK, HPos::Left);
        title.font = title.font.style(FontStyle::Bold);
        canvas.text(self.title, (EDGE, HEAD - 8), title)?;
        let fitting = (f64::from(WIDTH - 2 * EDGE) / (SUBTITLE * 0.56)) as usize;
        let lines = wrap(self.subtitle, fitting);
        for (line, row) in lines.iter().zip(0..) {
            let at = (EDGE, HEAD + 22 + row * LINE);
            canvas.text(line, at, letters(SUBTITLE, MEDIUM, HPos::Left))?;
        }
        let labels: Vec<String> = self
            .y
            .ticks
            .iter()
            .map(|&tick| self.y_unit.format(tick))
            .collect();
        let widest = labels.iter().map(|label| width_of(label, LABEL)).max();
        let inside = Inside {
            left: EDGE + 34 + widest.unwrap_or(0),
            right: WIDTH - 2 * EDGE - self.legend.width(),
            top: HEAD + 22 + lines.len() as i32 * LINE + 16,
            bottom: HEIGHT - EDGE - 62,
        };
        for (&tick, label) in self.y.ticks.iter().zip(&labels) {
            let row = inside.row(self.y.place(tick));
            canvas.line((inside.left, row), (inside.right, row), LIGHT, 1)?;
            let style = letters(LABEL, DARK, HPos::Right);
            canvas.text(label, (inside.left - 10, row), style)?;
        }
        let middle = (inside.top + inside.bottom) / 2;
        let mut along = letters(LABEL, DARK, HPos::Center);
        along.font = along.font.transform(FontTransform::Rotate270);
        canvas.text(self.y_title, (EDGE, middle), along)?;
        let middle = (inside.left + inside.right) / 2;
        let style = letters(LABEL, DARK, HPos::Center);
        canvas.text(self.x_title, (middle, HEIGHT - EDGE), style)?;
        Ok(inside)
    }
}

/// Draws the ticks of the horizontal axis, leaving out labels that would touch others.
pub fn columns(canvas: &Canvas, inside: &Inside, x: &Scale, unit: Unit) -> Result<(), String> {
    let mut end = i32::MIN;
    for &tick in &x.ticks {
        let column = inside.column(x.place(tick));
        let (top, bottom) = (inside.top, inside.bottom);
        canvas.line((column, top), (column, bottom), LIGHT, 1)?;
        let label = unit.format(tick);
        let half = width_of(&label, LABEL) / 2;
        if column - half > end {
            let style = letters(LABEL, DARK, HPos::Center);
            canvas.text(&label, (column, bottom + 20), style)?;
            end = column + half + 6;
        }
    }
    ground(canvas, inside)
}

/// Draws the line on which the data stand.
pub fn ground(canvas: &Canvas, inside: &Inside) -> Result<(), String> {
    let (left, right) = (inside.left, inside.right);
    canvas.line((left, inside.bottom), (right, inside.bottom), MEDIUM, 1)
}

/// Lines of about so many letters, at most two.
fn wrap(text: &str, letters: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let is_full = lines[last].chars().count() + 1 + word.chars().count() > letters;
        if is_full && !lines[last].is_empty() {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}
