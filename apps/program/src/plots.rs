//! Plots as SVG: lines and bars over two axes, with a legend beside them.
//!
//! `plotters` draws axes, ticks and shapes. The number of a series chooses its colour and its marker. The colours are
//! from M. Okabe and K. Ito, *Color universal design*, 2008: colour-blind people can tell them apart.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::coord::{CoordTranslate, Shift};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::output::{self, OutputError};

/// A plot.
pub struct Plot<'a> {
    /// One line above the plot.
    pub title: &'a str,
    /// A second line, with the numbers.
    pub subtitle: &'a str,
    /// The horizontal axis.
    pub x: Axis<'a>,
    /// The vertical axis.
    pub y: Axis<'a>,
    /// The series, the last on top.
    pub series: Vec<Series<'a>>,
}

/// An axis.
#[derive(Clone, Copy)]
pub struct Axis<'a> {
    /// What it shows, with the unit.
    pub title: &'a str,
    /// Where its values lie.
    pub scale: Scale,
    /// How its numbers are written.
    pub label: &'a dyn Fn(f64) -> String,
}

/// Where the values of an axis lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// At equal distances, from the least value on.
    Linear,
    /// The same from 0 on.
    FromZero,
    /// Groups of bars at 0, 1, 2 and so on.
    Groups,
    /// At equal distances for equal factors, with ticks at the powers of a number.
    Powers(f64),
}

/// Shapes of one colour with one line in the legend.
pub struct Series<'a> {
    /// What the legend says.
    pub name: &'a str,
    /// Chooses colour and marker.
    pub number: usize,
    /// What is drawn.
    pub shape: Shape,
}

/// What is drawn.
pub enum Shape {
    /// Bars that stand on the horizontal axis.
    Bars(Vec<Bar>),
    /// A line through points.
    Line(Vec<(f64, f64)>),
    /// The same with a marker at each point.
    Marked(Vec<(f64, f64)>),
    /// A vertical line.
    Vertical(f64),
}

/// A bar.
pub struct Bar {
    /// Its range on the horizontal axis.
    pub place: Range<f64>,
    /// Its height.
    pub height: f64,
    /// The text above it.
    pub label: String,
}

const SIZE: (u32, u32) = (1000, 640);
const FONT: &str = "DejaVu Sans, Helvetica, Arial, sans-serif";
const DARK: RGBColor = RGBColor(40, 40, 40);
const MEDIUM: RGBColor = RGBColor(95, 95, 95);
const LIGHT: RGBColor = RGBColor(226, 226, 226);

const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(110, 110, 110),
    RGBColor(0, 0, 0),
];

type Area<'s, C> = DrawingArea<SVGBackend<'s>, C>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

impl Plot<'_> {
    /// Writes the plot.
    ///
    /// # Errors
    /// That there is nothing to show, that a number has no place on its axis, or that the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        output::write(path, |file| {
            let (x, y) = (self.columns()?, self.rows()?);
            let mut picture = String::new();
            let area = SVGBackend::with_string(&mut picture, SIZE).into_drawing_area();
            let powers = |range: &Range<f64>, base| range.clone().log_scale().base(base);
            let drawn = match (self.x.scale, self.y.scale) {
                (Scale::Powers(one), Scale::Powers(other)) => {
                    self.draw(&area, powers(&x, one), powers(&y, other), &y)
                }
                (Scale::Powers(base), _) => self.draw(&area, powers(&x, base), y.clone(), &y),
                (_, Scale::Powers(base)) => self.draw(&area, x, powers(&y, base), &y),
                _ => self.draw(&area, x, y.clone(), &y),
            };
            drawn.map_err(|error| io::Error::other(error.to_string()))?;
            drop(area);
            file.write_all(picture.as_bytes())
        })
    }

    fn columns(&self) -> io::Result<Range<f64>> {
        let columns = self.series.iter().flat_map(|series| match &series.shape {
            Shape::Bars(bars) => (bars.iter())
                .flat_map(|bar| [bar.place.start, bar.place.end])
                .collect(),
            Shape::Line(points) | Shape::Marked(points) => points.iter().map(|at| at.0).collect(),
            Shape::Vertical(place) => vec![*place],
        });
        self.x.range(columns, 0.0)
    }

    fn rows(&self) -> io::Result<Range<f64>> {
        let rows = self.series.iter().flat_map(|series| match &series.shape {
            Shape::Bars(bars) => bars.iter().map(|bar| bar.height).collect(),
            Shape::Line(points) | Shape::Marked(points) => points.iter().map(|at| at.1).collect(),
            Shape::Vertical(_) => Vec::new(),
        });
        self.y.range(rows, 0.08)
    }

    fn draw<'s, X, Y>(&self, area: &Area<'s, Shift>, x: X, y: Y, rows: &Range<f64>) -> Drawn
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        area.fill(&WHITE)?;
        area.draw(&Text::new(self.title, (24, 18), text(24, &DARK)))?;
        for (line, words) in (0..).zip(folded(self.subtitle)) {
            area.draw(&Text::new(words, (24, 48 + 17 * line), text(14, &MEDIUM)))?;
        }
        let longest = self.series.iter().map(|series| series.name.len()).max();
        let legend = 64 + 8 * longest.unwrap_or(0) as i32;
        let inside = area.margin(90, 18, 18, 8);
        let (inside, beside) = inside.split_horizontally(SIZE.0 as i32 - 26 - legend);
        let mut chart = ChartBuilder::on(&inside)
            .x_label_area_size(56)
            .y_label_area_size(84)
            .margin_right(20)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(LIGHT)
            .light_line_style(TRANSPARENT)
            .axis_style(MEDIUM)
            .label_style(text(15, &DARK))
            .x_label_style(text(
                if self.x.scale == Scale::Groups {
                    12
                } else {
                    15
                },
                &DARK,
            ))
            .axis_desc_style(text(17, &DARK))
            .x_label_formatter(&|value| (self.x.label)(*value))
            .y_label_formatter(&|value| (self.y.label)(*value))
            .x_desc(self.x.title)
            .y_desc(self.y.title)
            .draw()?;
        for (row, series) in (0..).zip(&self.series) {
            series.draw(chart.plotting_area(), rows)?;
            series.legend(&beside, 20 + 26 * row)?;
        }
        area.present()
    }
}

impl Series<'_> {
    fn colour(&self) -> RGBColor {
        COLOURS[self.number % COLOURS.len()]
    }

    fn draw<C>(&self, area: &Area<'_, C>, rows: &Range<f64>) -> Drawn
    where
        C: CoordTranslate<From = (f64, f64)>,
    {
        let line = self.colour().stroke_width(2);
        match &self.shape {
            Shape::Bars(bars) => bars.iter().try_for_each(|bar| {
                let gap = 0.06 * (bar.place.end - bar.place.start);
                let (left, right) = (bar.place.start + gap, bar.place.end - gap);
                let corners = [(left, rows.start), (right, bar.height)];
                let fill = self.colour().mix(0.75).filled();
                area.draw(&Rectangle::new(corners, fill))?;
                let middle = ((left + right) / 2.0, bar.height);
                area.draw(&(EmptyElement::at(middle) + label(&bar.label, area, [left, right])))
            }),
            Shape::Line(points) => area.draw(&PathElement::new(points.as_slice(), line)),
            Shape::Marked(points) => {
                area.draw(&PathElement::new(points.as_slice(), line))?;
                (points.iter()).try_for_each(|&point| mark(area, self, point))
            }
            Shape::Vertical(place) => {
                let ends = [(*place, rows.start), (*place, rows.end)];
                area.draw(&PathElement::new(ends, line))
            }
        }
    }

    fn legend(&self, area: &Area<'_, Shift>, row: i32) -> Drawn {
        const LEFT: i32 = 8;
        const RIGHT: i32 = 36;
        if let Shape::Bars(_) = self.shape {
            let fill = self.colour().mix(0.75).filled();
            area.draw(&Rectangle::new([(LEFT, row - 6), (RIGHT, row + 6)], fill))?;
        } else {
            let line = self.colour().stroke_width(2);
            area.draw(&PathElement::new([(LEFT, row), (RIGHT, row)], line))?;
        }
        if let Shape::Marked(_) = self.shape {
            mark(area, self, ((LEFT + RIGHT) / 2, row))?;
        }
        let style = text(15, &DARK).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(self.name, (RIGHT + 8, row), style))
    }
}

/// A disc, a triangle or a cross.
fn mark<C: CoordTranslate>(area: &Area<'_, C>, series: &Series<'_>, at: C::From) -> Drawn {
    let (colour, size) = (series.colour(), 5);
    match (series.number + series.number / COLOURS.len()) % 3 {
        0 => area.draw(&Circle::new(at, size, colour.filled())),
        1 => area.draw(&TriangleMarker::new(at, size + 1, colour.filled())),
        _ => area.draw(&Cross::new(at, size, colour.stroke_width(2))),
    }
}

/// The number above a bar, upright where the bar is too narrow for it.
fn label<C>(
    number: &str,
    area: &Area<'_, C>,
    [left, right]: [f64; 2],
) -> Text<'static, (i32, i32), String>
where
    C: CoordTranslate<From = (f64, f64)>,
{
    let column = |at| area.map_coordinate(&(at, 1.0)).0;
    let is_narrow = column(right) - column(left) < 7 * number.chars().count() as i32;
    let style = text(12, &DARK);
    let style = if is_narrow {
        let pos = Pos::new(HPos::Left, VPos::Center);
        style.transform(FontTransform::Rotate270).pos(pos)
    } else {
        style.pos(Pos::new(HPos::Center, VPos::Bottom))
    };
    Text::new(number.to_owned(), (0, -4), style)
}

/// The text on one line, or on two where it is too long; the rest is cut off.
fn folded(line: &str) -> Vec<String> {
    const LONGEST: usize = 130;
    let place = line.char_indices().nth(LONGEST).map(|(place, _)| place);
    let Some(place) = place.and_then(|place| line[..place].rfind(' ')) else {
        return vec![line.to_owned()];
    };
    let (first, second) = (&line[..place], &line[place + 1..]);
    let mut rest: String = second.chars().take(LONGEST).collect();
    if rest.len() < second.len() {
        rest += "…";
    }
    vec![first.to_owned(), rest]
}

fn text(size: i32, colour: &RGBColor) -> TextStyle<'static> {
    (FONT, size).into_font().color(colour)
}

impl<'a> Axis<'a> {
    /// An axis whose numbers are written as they are.
    pub fn plain(title: &'a str, scale: Scale) -> Self {
        Self {
            title,
            scale,
            label: &plain,
        }
    }

    /// Where the axis begins and ends, with some room (a part of the whole) beyond the last value.
    fn range(&self, values: impl Iterator<Item = f64>, room: f64) -> io::Result<Range<f64>> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            if !value.is_finite() || (matches!(self.scale, Scale::Powers(_)) && value <= 0.0) {
                let axis = self.title;
                let error = format!("{value} has no place on the axis '{axis}'");
                return Err(io::Error::other(error));
            }
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return Err(io::Error::other("there is nothing to plot"));
        }
        Ok(match self.scale {
            Scale::Powers(_) => {
                let factor = (high / low).max(4.0).powf(room.max(0.02));
                low / factor..high * factor
            }
            Scale::FromZero => 0.0..if high > 0.0 { high * (1.0 + room) } else { 1.0 },
            Scale::Groups => low.round() - 0.5..high.round() + 0.5,
            Scale::Linear if low == high => low - 0.5..high + 0.5,
            Scale::Linear => low..high + room * (high - low),
        })
    }
}

/// A number without trailing zeros.
fn plain(number: f64) -> String {
    // The sums of an axis's steps have rounding errors.
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
