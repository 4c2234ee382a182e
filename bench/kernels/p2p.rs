//! Synch_p2p of the Parallel Research Kernels: a wavefront that travels over a grid, as fast as images can tell each
//! other that a single value is there.
//!
//! ```text
//! a[i][j] = a[i-1][j] + a[i][j-1] - a[i-1][j-1]        columns i are divided among the images
//! ```
//!
//! An image needs the last value of its left neighbour's row before it can begin with the row, so that all
//! images work as a pipeline: image 1 is at row 1 while image 0 is at row 2. The value is put into the neighbour's
//! memory together with an event (`put_notify`), for which the neighbour waits. At the end of each iteration the
//! last image sends the corner of the grid, negated, to the first one, which begins the next iteration with it: so no
//! image can be further ahead than that.

use coarray::prelude::*;
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, share};
use program::command_line::refuse;

const PROGRAM: Program = Program {
    name: "prk-p2p",
    about: "Synch_p2p of the Parallel Research Kernels on coarrays: a wavefront over a grid",
    parameters: &[
        Parameter::new(
            "ITERATIONS",
            "how often the wavefront goes over the grid, once more to warm up",
            (1, 1_000_000_000),
        ),
        Parameter::new(
            "M",
            "columns, which are divided among the images; more than there are images",
            (2, 1 << 30),
        ),
        Parameter::new("N", "rows", (2, 1 << 30)),
    ],
};

#[coarray::main]
fn main() {
    let Some([iterations, m, n]) = PROGRAM.arguments() else {
        return;
    };
    // The corner comes back to the first column, which only image 0 may have.
    if m <= num_images() {
        refuse(format_args!(
            "{} images cannot share {m} columns, for there must be more columns than images",
            num_images()
        ));
    }
    describe(&PROGRAM, &[iterations, m, n]);
    let (grid, seconds) = run(iterations, m, n);
    let work = (2 * (m - 1) * (n - 1)) as f64;
    conclude(
        validate(&grid, iterations, m, n),
        (work / 1e6, "MFlops/s"),
        iterations,
        seconds,
    );
}

/// Collective. Sends the wavefront over the grid once to warm up and then `iterations` times; returns this image's part,
/// and the time.
fn run(iterations: usize, m: usize, n: usize) -> (Grid, f64) {
    let (me, last) = (this_image(), num_images() - 1);
    let mut grid = Grid::new(m, n);
    let mut values = Coarray::<[f64]>::zeroed(n);
    let arrived = Coarray::new(Coevent::new());
    let values = values.open();
    let send = |image: usize, row: usize, value: f64| {
        values.at(image)[row].put_notify(value, arrived.at(image));
    };
    let receive = |row: usize| {
        arrived.wait();
        values.here()[row].get()
    };

    let mut clock = Clock::start();
    for iteration in 0..=iterations {
        if iteration == 1 {
            clock = Clock::start();
        }
        for row in 1..n {
            if me > 0 {
                grid.set_first(row, receive(row));
            }
            grid.advance(row);
            if me < last {
                send(me + 1, row, grid.last(row));
            }
        }
        // Row 0 never travels, so its place is free for the corner.
        if me == last {
            send(0, 0, -grid.last(n - 1));
        }
        if me == 0 {
            grid.set_first(0, receive(0));
        }
    }
    (grid, clock.seconds())
}

/// This image's columns of the grid, and the column to the left of them.
struct Grid {
    width: usize,
    values: Vec<f64>,
}

impl Grid {
    fn new(m: usize, n: usize) -> Self {
        let mine = share(m, num_images(), this_image());
        // The first column is never computed: it is to the left of image 0's others.
        let first = mine.start.saturating_sub(1);
        let width = mine.end - first;
        let mut grid = Self {
            width,
            values: vec![0.0; width * n],
        };
        for (column, value) in grid.values[..width].iter_mut().enumerate() {
            *value = (first + column) as f64;
        }
        if first == 0 {
            (0..n).for_each(|row| grid.set_first(row, row as f64));
        }
        grid
    }

    /// Computes a row from its first value and the row before.
    fn advance(&mut self, row: usize) {
        let (before, from_row) = self.values.split_at_mut(row * self.width);
        let south = &before[before.len() - self.width..];
        let row = &mut from_row[..self.width];
        let (mut west, mut south_west) = (row[0], south[0]);
        for (value, &south) in row[1..].iter_mut().zip(&south[1..]) {
            // In this order only one addition waits for the value to the left.
            west += south - south_west;
            south_west = south;
            *value = west;
        }
    }

    fn set_first(&mut self, row: usize, value: f64) {
        self.values[row * self.width] = value;
    }

    fn last(&self, row: usize) -> f64 {
        self.values[(row + 1) * self.width - 1]
    }
}

/// Collective. Checks the corner of the grid, which the last image has.
fn validate(grid: &Grid, iterations: usize, m: usize, n: usize) -> Result<(), Wrong> {
    let mut corner = grid.values[grid.values.len() - 1];
    co_broadcast(&mut corner, num_images() - 1);
    let expected = ((iterations + 1) * (m + n - 2)) as f64;
    check("the corner of the grid", corner, expected, 1e-8 * expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        let (m, n) = (9, 7);
        let (mut grid, _) = run(3, m, n);
        assert_eq!(validate(&grid, 3, m, n), Ok(()));
        assert!(validate(&grid, 2, m, n).is_err());
        let corner = grid.values.len() - 1;
        grid.values[corner] += 1e-3;
        assert!(validate(&grid, 3, m, n).is_err());
    }
}
