//! The Game of Life as a kernel: the divided torus of `apps/life`, with an R-pentomino in its middle.
//!
//! Images exchange the rows and columns at the borders of their blocks in each generation. The result is checked against a
//! serial torus, cell by cell.

use coarray::prelude::*;
use life::decomposition::Decomposition;
use life::rle::Pattern;
use life::serial::SerialTorus;
use life::torus::Torus;
use prk::{Clock, Parameter, Program, check, conclude, describe};
use program::command_line::refuse;

const PROGRAM: Program = Program {
    name: "life-torus",
    about: "The Game of Life on coarrays: an R-pentomino on a torus",
    parameters: &[
        Parameter::new(
            "GENERATIONS",
            "how many generations are timed; one more comes before",
            (1, 1_000_000),
        ),
        Parameter::new("COLUMNS", "columns of the torus", (3, 1 << 20)),
        Parameter::new("ROWS", "rows of the torus", (3, 1 << 20)),
    ],
};

const R_PENTOMINO: &str = "x = 3, y = 3, rule = B3/S23\nb2o$2o$bo!";

#[coarray::main]
fn main() {
    let Some([generations, columns, rows]) = PROGRAM.arguments() else {
        return;
    };
    let decomposition =
        Decomposition::new(rows, columns, num_images()).unwrap_or_else(|error| refuse(error));
    let pattern = Pattern::parse(R_PENTOMINO).unwrap_or_else(|error| refuse(error));
    describe(&PROGRAM, &[generations, columns, rows]);
    let mut torus = Torus::new(decomposition);
    torus.place(&pattern);
    torus.step();
    let clock = Clock::start();
    for _ in 0..generations {
        torus.step();
    }
    let seconds = clock.seconds();
    let expected = population_after(&pattern, generations + 1, [rows, columns]);
    let verdict = check(
        "the population",
        torus.population() as f64,
        expected as f64,
        0.0,
    );
    let work = rows as f64 * columns as f64;
    conclude(verdict, (work / 1e6, "Mcells/s"), generations, seconds);
}

/// How many cells live after so many generations, computed cell by cell.
fn population_after(pattern: &Pattern, generations: usize, [rows, columns]: [usize; 2]) -> u64 {
    // Life spreads by at most one cell a generation, so it does not come round a torus of more than this.
    let side = 2 * generations + 2 * pattern.width.max(pattern.height);
    let (rows, columns) = (rows.min(side), columns.min(side));
    let mut torus = SerialTorus::new(rows, columns);
    for (row, column) in pattern.alive() {
        torus.set(
            (generations + row) % rows,
            (generations + column) % columns,
            true,
        );
    }
    for _ in 0..generations {
        torus.step();
    }
    torus.population()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_population_of_the_r_pentomino_is_known() {
        // As the catalogues of patterns say: 5 cells, then 6, 7, 9, 8, 9, 12.
        let pattern = Pattern::parse(R_PENTOMINO).unwrap();
        let populations: Vec<u64> = (0..7)
            .map(|generations| population_after(&pattern, generations, [100; 2]))
            .collect();
        assert_eq!(populations, [5, 6, 7, 9, 8, 9, 12]);
    }
}
