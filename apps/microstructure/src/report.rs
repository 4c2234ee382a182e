//! The report of image 0: printed results and histograms.

use std::fmt::Display;
use std::path::Path;

use program::output::OutputError;

use crate::contacts::Contacts;
use crate::crack::Outcome;
use crate::options::Options;
use crate::texture::{Texture, theory};
use program::histogram::Histogram;
use program::plots::{Axis, Plot, Scale, Series, Shape};

/// The results.
#[derive(Clone, Debug)]
pub struct Report {
    /// Iterations until all was solid.
    pub iterations: u32,
    /// Seconds they took.
    pub seconds: f64,
    /// Cells of each grain.
    pub volumes: Vec<u64>,
    /// Cells that have a neighbour of another grain.
    pub boundary_cells: usize,
    /// Which grains touch.
    pub contacts: Contacts,
    /// How the crack ended.
    pub crack: Outcome,
}

impl Report {
    /// Prints the results.
    pub fn print(&self, texture: &Texture, options: &Options) {
        let cells: u64 = self.volumes.iter().sum();
        let faces: u64 = self.contacts.values().sum();
        let grown = cells as f64 * f64::from(self.iterations);
        println!("grains: {}", self.volumes.len());
        println!("iterations: {}", self.iterations);
        println!("sum of grain volumes: {cells} cells");
        println!("boundary cells: {}", self.boundary_cells);
        println!(
            "contacts: {} pairs of grains, {faces} faces",
            self.contacts.len()
        );
        println!("misorientations: {}", agreement(texture));
        let Outcome {
            cells,
            grains,
            steps,
        } = self.crack;
        println!("crack: {cells} cells in {grains} grains, {steps} steps");
        let files: Vec<String> = options
            .files()
            .map(|file| file.display().to_string())
            .collect();
        if !files.is_empty() {
            println!("files: {}", files.join(", "));
        }
        println!(
            "rate: {:.1} Mcell/s with {}",
            grown / self.seconds.max(f64::MIN_POSITIVE) / 1e6,
            options.reduction
        );
    }

    /// Draws the histograms that `options` name.
    ///
    /// # Errors
    /// That a file cannot be written.
    pub fn plot(&self, texture: &Texture, options: &Options) -> Result<(), OutputError> {
        if let Some(path) = &options.sizes {
            self.plot_sizes(path, options)?;
        }
        if let Some(path) = &options.misorientations {
            plot_misorientations(texture, path, options)?;
        }
        Ok(())
    }

    fn plot_sizes(&self, path: &Path, options: &Options) -> Result<(), OutputError> {
        let volumes: Vec<f64> = self.volumes.iter().map(|&cells| cells as f64).collect();
        let mean = volumes.iter().sum::<f64>() / volumes.len() as f64;
        let histogram = Histogram::of(&volumes, 30);
        let plot = Plot {
            title: "Grain volumes",
            subtitle: &format!(
                "{}, {} grains, mean {mean:.0} cells, {} iterations",
                size(options),
                volumes.len(),
                self.iterations
            ),
            x: Axis::plain("grain volume / cells", Scale::Linear),
            y: Axis::plain("number of grains", Scale::FromZero),
            series: vec![
                Series {
                    name: "grains",
                    number: 5,
                    shape: Shape::Bars(histogram.bars()),
                },
                Series {
                    name: "mean",
                    number: 1,
                    shape: Shape::Vertical(mean),
                },
            ],
        };
        plot.write(path)
    }
}

fn plot_misorientations(
    texture: &Texture,
    path: &Path,
    options: &Options,
) -> Result<(), OutputError> {
    let by_area = texture.faces.densities();
    let plot = Plot {
        title: "Misorientation of neighbouring grains",
        subtitle: &format!("{}; {}", size(options), agreement(texture)),
        x: Axis::plain("misorientation angle / degrees", Scale::Linear),
        y: Axis::plain("probability density / (1/degree)", Scale::FromZero),
        series: vec![
            Series {
                name: "pairs that touch",
                number: 5,
                shape: Shape::Bars(texture.pairs.densities().bars()),
            },
            Series {
                name: "by area of contact",
                number: 0,
                shape: Shape::Line(by_area.steps()),
            },
            Series {
                name: "Mackenzie (1958)",
                number: 1,
                shape: Shape::Line(theory()),
            },
        ],
    };
    plot.write(path)
}

fn size(options: &Options) -> String {
    let [z, y, x] = options.shape;
    format!("{x} x {y} x {z} cells, seed {}", options.seed)
}

fn agreement(texture: &Texture) -> impl Display + use<> {
    let test = texture.compare();
    format!(
        "{} pairs against theory: chi-square {:.1}, {} degrees of freedom, p = {:.3}",
        texture.pairs.total(),
        test.statistic,
        test.degrees_of_freedom,
        test.probability()
    )
}
