//! Histograms as SVG.

use std::io::{self, Write};
use std::path::Path;

use crate::output::{self, OutputError};
use plotters::prelude::*;

use crate::histogram::Histogram;

/// What a plot shows, and what is written around it.
pub struct Plot<'a> {
    /// One line above all.
    pub title: &'a str,
    /// A second line, with the numbers.
    pub subtitle: &'a str,
    /// What the horizontal axis is, with the unit.
    pub x: &'a str,
    /// What the vertical axis is, with the unit.
    pub y: &'a str,
    /// The bars, and what they are.
    pub bars: (&'a str, &'a Histogram),
    /// Steps over the same axis, and what they are.
    pub steps: Option<(&'a str, &'a Histogram)>,
    /// A curve: what it is, and its points.
    pub curve: Option<(&'a str, Vec<(f64, f64)>)>,
    /// A vertical line: what it is, and where.
    pub mark: Option<(&'a str, f64)>,
}

const SIZE: (u32, u32) = (1000, 640);
const FONT: &str = "DejaVu Sans, Helvetica, Arial, sans-serif";
const DARK: RGBColor = RGBColor(40, 40, 40);
const MEDIUM: RGBColor = RGBColor(95, 95, 95);
// Colours of M. Okabe and K. Ito, *Color universal design*, 2008: told apart by those who do not see all colours.
const SKY: RGBColor = RGBColor(86, 180, 233);
const VERMILION: RGBColor = RGBColor(213, 94, 0);
const BLUE: RGBColor = RGBColor(0, 114, 178);

impl Plot<'_> {
    /// Writes the plot.
    ///
    /// # Errors
    /// That the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        output::write(path, |file| {
            let mut picture = String::new();
            self.draw(SVGBackend::with_string(&mut picture, SIZE))
                .map_err(|error| io::Error::other(error.to_string()))?;
            file.write_all(picture.as_bytes())
        })
    }

    fn draw<B: DrawingBackend>(
        &self,
        backend: B,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let area = backend.into_drawing_area();
        area.fill(&WHITE)?;
        let text = |size: i32, colour: &RGBColor| (FONT, size).into_font().color(colour);
        area.draw(&Text::new(self.title, (24, 18), text(24, &DARK)))?;
        area.draw(&Text::new(self.subtitle, (24, 52), text(15, &MEDIUM)))?;
        let inside = area.margin(84, 18, 18, 28);

        let (_, bars) = self.bars;
        let steps = self.steps.map(|(_, steps)| steps);
        let weights = bars
            .weights
            .iter()
            .chain(steps.iter().flat_map(|steps| &steps.weights));
        let points = self.curve.iter().flat_map(|(_, points)| points);
        let highest = weights
            .copied()
            .chain(points.map(|point| point.1))
            .fold(0.0, f64::max);
        let highest = if highest > 0.0 { highest * 1.08 } else { 1.0 };
        let mut chart = ChartBuilder::on(&inside)
            .x_label_area_size(56)
            .y_label_area_size(78)
            .build_cartesian_2d(bars.start..bars.end(), 0.0..highest)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(RGBColor(226, 226, 226))
            .light_line_style(TRANSPARENT)
            .axis_style(MEDIUM)
            .label_style(text(16, &DARK))
            .axis_desc_style(text(17, &DARK))
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .x_desc(self.x)
            .y_desc(self.y)
            .draw()?;

        let (name, _) = self.bars;
        chart
            .draw_series(bars.weights.iter().enumerate().map(|(bin, &weight)| {
                let (from, to) = bars.edges(bin);
                let gap = 0.06 * bars.width;
                Rectangle::new(
                    [(from + gap, 0.0), (to - gap, weight)],
                    SKY.mix(0.75).filled(),
                )
            }))?
            .label(name)
            .legend(|(x, y)| Rectangle::new([(x, y - 6), (x + 24, y + 6)], SKY.mix(0.75).filled()));
        if let Some((name, steps)) = self.steps {
            let corners = steps.weights.iter().enumerate().flat_map(|(bin, &weight)| {
                let (from, to) = steps.edges(bin);
                [(from, weight), (to, weight)]
            });
            let style = BLUE.stroke_width(2);
            chart
                .draw_series(LineSeries::new(corners, style))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
        }
        if let Some((name, points)) = &self.curve {
            let style = VERMILION.stroke_width(3);
            chart
                .draw_series(LineSeries::new(points.iter().copied(), style))?
                .label(*name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
        }
        if let Some((name, place)) = self.mark {
            let style = VERMILION.stroke_width(2);
            chart
                .draw_series(LineSeries::new([(place, 0.0), (place, highest)], style))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], style));
        }
        chart
            .configure_series_labels()
            .position(if bars.is_higher_on_the_left() {
                SeriesLabelPosition::UpperRight
            } else {
                SeriesLabelPosition::UpperLeft
            })
            .background_style(WHITE)
            .border_style(RGBColor(226, 226, 226))
            .label_font(text(16, &DARK))
            .legend_area_size(36)
            .margin(14)
            .draw()?;
        area.present()
    }
}

/// A number at an axis, without digits that say nothing.
fn label(number: &f64) -> String {
    // Sums of steps of an axis are not quite what they should be.
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
