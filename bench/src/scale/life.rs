//! The Game of Life as a kernel: the torus of the program `life`, an R-pentomino in its middle.

use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use coarray::collectives::co_max;
use coarray::{error_stop_with, num_images, sync_all, this_image};
use life::decomposition::Decomposition;
use life::rle::Pattern;
use life::serial::SerialTorus;
use life::torus::{Mailboxes, Torus as DividedTorus};

/// How large a torus is, and for how long it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torus {
    pub rows: usize,
    pub columns: usize,
    /// Those that are timed; one more comes before.
    pub generations: usize,
}

impl fmt::Display for Torus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rows,
            columns,
            generations,
        } = self;
        write!(formatter, "{generations} {columns}x{rows}")
    }
}

impl FromStr for Torus {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |text: &str| text.parse().map_err(|_| ());
        let (generations, size) = text.split_once(' ').ok_or(())?;
        let (columns, rows) = size.split_once('x').ok_or(())?;
        Ok(Self {
            rows: number(rows)?,
            columns: number(columns)?,
            generations: number(generations)?,
        })
    }
}

const R_PENTOMINO: &str = "x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!";

/// Collective. Lets it live, and says whether the result is right and how fast it was made, in the words of the
/// kernels.
pub fn run(torus: Torus) {
    let pattern = Pattern::parse(R_PENTOMINO).unwrap_or_else(|error| refuse(error));
    let decomposition = Decomposition::new(torus.rows, torus.columns, num_images())
        .unwrap_or_else(|error| refuse(error));
    let mut mailboxes = Mailboxes::new(&decomposition);
    let mut divided = DividedTorus::new(decomposition, &mut mailboxes);
    divided.place(&pattern);
    divided.step();
    sync_all();
    let start = Instant::now();
    for _ in 0..torus.generations {
        divided.step();
    }
    let mut seconds = start.elapsed().as_secs_f64();
    co_max(&mut seconds);
    let population = divided.population();
    if this_image() > 0 {
        return;
    }
    let expected = population_after(&pattern, torus.generations + 1);
    if population != expected {
        error_stop_with(
            1,
            format_args!("ERROR: {population} cells live, but it should be {expected}"),
        );
    }
    let average = seconds / torus.generations as f64;
    let cells = torus.rows as f64 * torus.columns as f64;
    println!("Solution validates");
    println!(
        "Rate (Mcells/s): {:.6} Avg time (s): {average:.9}",
        cells / average / 1e6
    );
}

/// How many cells live on a torus that is large enough for the pattern never to come round, cell by cell.
fn population_after(pattern: &Pattern, generations: usize) -> u64 {
    // Life spreads by at most one cell a generation.
    let side = 2 * generations + 2 * pattern.width.max(pattern.height);
    let mut torus = SerialTorus::new(side, side);
    for (row, column) in pattern.alive() {
        torus.set(generations + row, generations + column, true);
    }
    for _ in 0..generations {
        torus.step();
    }
    torus.population()
}

/// Ends the job because of what it was asked for.
fn refuse(why: impl fmt::Display) -> ! {
    error_stop_with(1, format_args!("ERROR: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torus_is_read_as_it_is_written() {
        let torus = Torus {
            rows: 300,
            columns: 20,
            generations: 7,
        };
        assert_eq!(torus.to_string().parse(), Ok(torus));
        assert!("7 20".parse::<Torus>().is_err());
    }

    #[test]
    fn the_population_of_the_r_pentomino_is_known() {
        // As the catalogues of patterns say: 5 cells, then 6, 7, 9, 8, 9, 12.
        let pattern = Pattern::parse(R_PENTOMINO).unwrap();
        let populations: Vec<u64> = (0..7)
            .map(|generations| population_after(&pattern, generations))
            .collect();
        assert_eq!(populations, [5, 6, 7, 9, 8, 9, 12]);
    }
}
