//! Tests of the claims in the comment lines of the pattern files.

use std::mem;

use crate::block::Block;
use crate::rle::Pattern;

/// A torus with a pattern in its centre, and its present generation.
struct Run {
    torus: Block,
    spare: Block,
    generation: usize,
}

impl Run {
    fn new(text: &str, rows: usize, columns: usize) -> Run {
        let pattern = Pattern::parse(text).unwrap();
        assert!(pattern.name.is_some());
        let mut torus = Block::new(rows, columns);
        let (north, west) = ((rows - pattern.height) / 2, (columns - pattern.width) / 2);
        for (row, column) in pattern.alive() {
            torus.set(north + row, west + column, true);
        }
        Run {
            spare: torus.clone(),
            torus,
            generation: 0,
        }
    }

    /// Advances to a generation and gives the population there.
    fn population_at(&mut self, generation: usize) -> u64 {
        while self.generation < generation {
            self.torus.wrap();
            self.torus.step_into(&mut self.spare);
            mem::swap(&mut self.torus, &mut self.spare);
            self.generation += 1;
        }
        self.torus.population()
    }

    fn alive(&self) -> Vec<(usize, usize)> {
        let (rows, columns) = (self.torus.rows(), self.torus.columns());
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        cells
            .filter(|&(row, column)| self.torus.get(row, column))
            .collect()
    }
}

macro_rules! run {
    ($file:literal, $rows:expr, $columns:expr) => {
        Run::new(
            include_str!(concat!("../patterns/", $file)),
            $rows,
            $columns,
        )
    };
}

#[test]
fn the_blinker_has_period_2() {
    let mut run = run!("blinker.rle", 8, 8);
    let start = run.alive();
    run.population_at(1);
    assert_ne!(run.alive(), start);
    assert_eq!(run.population_at(2), 3);
    assert_eq!(run.alive(), start);
}

#[test]
fn the_glider_comes_home_after_3404_generations() {
    let mut run = run!("glider.rle", 37, 23);
    let start = run.alive();
    let home = (1..=3404).find(|&generation| {
        run.population_at(generation);
        run.alive() == start
    });
    assert_eq!(home, Some(3404));
}

#[test]
fn the_lightweight_spaceship_moves_west_by_2_in_4_generations() {
    let mut run = run!("lwss.rle", 20, 40);
    let start = run.alive();
    run.population_at(4);
    let moved: Vec<_> = start
        .iter()
        .map(|&(row, column)| (row, column - 2))
        .collect();
    assert_eq!(run.alive(), moved);
}

#[test]
fn the_pulsar_has_period_3() {
    let mut run = run!("pulsar.rle", 20, 20);
    let start = run.alive();
    let populations = [0, 1, 2, 3].map(|generation| run.population_at(generation));
    assert_eq!(populations, [48, 56, 72, 48]);
    assert_eq!(run.alive(), start);
}

#[test]
fn the_r_pentomino_settles_in_generation_1103() {
    for side in [500, 2048] {
        let mut run = run!("rpentomino.rle", side, side);
        assert_ne!(run.population_at(1102), 116);
        assert_eq!(run.population_at(1103), 116);
    }
}

#[test]
fn the_acorn_settles_in_generation_5206() {
    for side in [2100, 4096] {
        let mut run = run!("acorn.rle", side, side);
        assert_ne!(run.population_at(5205), 633);
        assert_eq!(run.population_at(5206), 633);
    }
}

#[test]
fn the_diehard_vanishes_in_generation_130() {
    let mut run = run!("diehard.rle", 256, 256);
    assert!(run.population_at(129) > 0);
    assert_eq!(run.population_at(130), 0);
}

#[test]
fn the_gun_gains_a_glider_every_30_generations() {
    let mut run = run!("gosperglidergun.rle", 512, 512);
    let gun = run.alive();
    assert_eq!(gun.len(), 36);
    for period in 1..20 {
        assert_eq!(run.population_at(30 * period), 36 + 5 * period as u64);
        assert!(gun.iter().all(|&(row, column)| run.torus.get(row, column)));
    }
}
