//! Bars in groups.

use std::path::Path;

use plotters::element::Rectangle;
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use crate::plot::frame::{self, Canvas, DARK, Frame, Inside, LABEL, letters, width_of};
use crate::plot::legend::Legend;
use crate::plot::scale::Scale;
use crate::plot::style::{Style, styles};
use crate::plot::unit::Unit;
use crate::plot::{Axis, Group, PlotError, check};

/// Part of a group's room that stays free.
const GAP: f64 = 0.24;

/// Letters of the numbers on bars.
const NUMBER: f64 = 12.0;

/// Writes a plot of bars in groups. Bars of one name have one colour, and stand in the same order in every group.
///
/// # Errors
/// If there is no bar, a number has no place on the axis, or the file cannot be written.
pub fn bars(
    file: &Path,
    title: &str,
    subtitle: &str,
    y: &Axis,
    groups: &[Group],
) -> Result<(), PlotError> {
    let mut names: Vec<&str> = Vec::new();
    let mut heights = Vec::new();
    for (name, height) in groups.iter().flat_map(|group| &group.bars) {
        heights.push(*height);
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    check(file, y, &heights)?;
    let scale = Scale::new(y, &heights, true);
    let entries = names
        .iter()
        .map(|name| (*name).to_owned())
        .zip(styles(&names));
    let legend = Legend {
        entries: entries.collect(),
        of_bars: true,
    };
    let frame = Frame {
        title,
        subtitle,
        x_title: "",
        y_title: &y.title,
        y: &scale,
        y_unit: y.unit,
        legend: &legend,
    };
    frame.write(file, |canvas, inside| {
        let room = f64::from(inside.right - inside.left) / groups.len() as f64;
        for (group, number) in groups.iter().zip(0..) {
            let left = f64::from(inside.left) + room * f64::from(number);
            let row = Row {
                canvas,
                inside,
                scale: &scale,
                unit: y.unit,
                left: left + room * GAP / 2.0,
                width: room * (1.0 - GAP) / names.len() as f64,
            };
            for ((name, style), place) in legend.entries.iter().zip(0..) {
                let bar = group.bars.iter().find(|bar| bar.0 == *name);
                if let Some((_, height)) = bar {
                    row.draw(place, *height, style)?;
                }
            }
            let middle = (left + room / 2.0).round() as i32;
            caption(canvas, inside, &group.name, middle, room)?;
        }
        frame::ground(canvas, inside)
    })
}

/// Writes the name of a group below it, on two lines where it is too long for one.
fn caption(
    canvas: &Canvas,
    inside: &Inside,
    name: &str,
    middle: i32,
    room: f64,
) -> Result<(), String> {
    let fits = f64::from(width_of(name, LABEL)) < room;
    let halves = name.split_once(' ').filter(|_| !fits);
    let (first, second) = halves.unwrap_or((name, ""));
    for (part, below) in [(first, 20), (second, 42)] {
        let widest = f64::from(width_of(part, LABEL));
        let size = LABEL * (room / widest).min(1.0);
        if !part.is_empty() {
            let style = letters(size, DARK, HPos::Center);
            canvas.text(part, (middle, inside.bottom + below), style)?;
        }
    }
    Ok(())
}

/// Where the bars of a group go.
struct Row<'a, 'text> {
    canvas: &'a Canvas<'text>,
    inside: &'a Inside,
    scale: &'a Scale,
    unit: Unit,
    left: f64,
    width: f64,
}

impl Row<'_, '_> {
    fn draw(&self, place: i32, height: f64, style: &Style) -> Result<(), String> {
        let left = self.left + self.width * f64::from(place);
        let (left, right) = (left.round() as i32, (left + self.width).round() as i32);
        let ground = self.inside.row(self.scale.place(self.scale.ground()));
        let top = self.inside.row(self.scale.place(height));
        let corners = [(left + 1, top.min(ground)), (right - 1, top.max(ground))];
        self.canvas
            .draw(&Rectangle::new(corners, style.colour.filled()))?;
        let number = self.unit.format(height);
        // What stands upright always fits, unless bars are thinner than letters.
        let fits = f64::from(width_of(&number, NUMBER)) < self.width + 4.0;
        let middle = (left + right) / 2;
        if fits {
            let style = letters(NUMBER, DARK, HPos::Center);
            self.canvas
                .text(&number, (middle, top.min(ground) - 9), style)?;
        } else if self.width >= NUMBER {
            let mut style = letters(NUMBER, DARK, HPos::Left);
            style.font = style
                .font
                .transform(plotters::style::FontTransform::Rotate270);
            self.canvas
                .text(&number, (middle, top.min(ground) - 4), style)?;
        }
        Ok(())
    }
}
