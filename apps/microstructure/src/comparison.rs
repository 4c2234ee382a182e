//! How long the four reductions take, in the automaton and alone.

use std::fmt;
use std::time::Instant;

use coarray::grid::Blocks;
use coarray::prelude::*;

use crate::clock::{Clock, Work};
use crate::nuclei::Nuclei;
use crate::random::Random;
use crate::reduction::{Adder, Places, Reduction};
use crate::solidify::Solidification;
use program::command_line::fail;

/// Reductions that are timed alone, one after the other.
const REPEATS: u64 = 2000;

/// One line for each reduction.
#[derive(Clone, Debug)]
pub struct Table {
    images: usize,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    how: Reduction,
    /// Seconds of a whole solidification, and of its reductions.
    whole: f64,
    reducing: f64,
    iterations: u32,
    /// Seconds of one reduction when nothing else happens.
    alone: f64,
}

/// Collective. Solidifies the model with each of the reductions, which must agree.
pub fn measure(blocks: &Blocks<3>, nuclei: &Nuclei, random: Random) -> Table {
    let mut places = Coarray::<Places>::zeroed();
    let places = places.open();
    let rows = Reduction::ALL.map(|how| {
        let (whole, reducing, iterations) = solidify(how, &places, blocks, nuclei, random);
        Row {
            how,
            whole,
            reducing,
            iterations,
            alone: alone(how, &places),
        }
    });
    if rows.iter().any(|row| row.iterations != rows[0].iterations) {
        fail("the reductions do not agree");
    }
    Table {
        images: num_images(),
        rows: rows.to_vec(),
    }
}

fn solidify(
    how: Reduction,
    places: &Open<'_, Places>,
    blocks: &Blocks<3>,
    nuclei: &Nuclei,
    random: Random,
) -> (f64, f64, u32) {
    let mut model =
        Solidification::begin(blocks, nuclei, random).unwrap_or_else(|error| fail(error));
    let mut adder = Adder::new(how, places);
    let mut clock = Clock::start();
    let iterations = model.run(&mut adder, &mut clock, |_| {});
    (clock.total(), clock.seconds(Work::Reducing), iterations)
}

fn alone(how: Reduction, places: &Open<'_, Places>) -> f64 {
    let mut adder = Adder::new(how, places);
    let start = Instant::now();
    for round in 0..REPEATS {
        let images = num_images() as u64;
        let sum = adder.sum(round + this_image() as u64);
        let expected = images * round + images * (images - 1) / 2;
        if sum != expected {
            let why = format!("{how} adds up to {sum} instead of {expected}");
            fail(why);
        }
    }
    start.elapsed().as_secs_f64() / REPEATS as f64
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let iterations = self.rows[0].iterations;
        writeln!(
            f,
            "reductions on {} images, {iterations} iterations each:",
            self.images
        )?;
        writeln!(f, "  name      solidify/s  reducing/s  one alone/us")?;
        for row in &self.rows {
            writeln!(
                f,
                "  {:<8} {:>11.3} {:>11.3} {:>13.2}",
                row.how,
                row.whole,
                row.reducing,
                row.alone * 1e6
            )?;
        }
        Ok(())
    }
}
