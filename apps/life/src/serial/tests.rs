use super::SerialTorus;
use crate::rle::Pattern;

const BLINKER: &str = include_str!("../../patterns/blinker.rle");
const GLIDER: &str = include_str!("../../patterns/glider.rle");

fn torus(rows: usize, columns: usize, pattern: &str, (south, east): (usize, usize)) -> SerialTorus {
    let mut torus = SerialTorus::new(rows, columns);
    for (row, column) in Pattern::parse(pattern).unwrap().alive() {
        torus.set((row + south) % rows, (column + east) % columns, true);
    }
    torus
}

fn after(generations: usize, mut torus: SerialTorus) -> SerialTorus {
    for _ in 0..generations {
        torus.step();
    }
    torus
}

#[test]
fn a_blinker_has_period_2() {
    let blinker = torus(7, 9, BLINKER, (3, 3));
    assert_ne!(after(1, blinker.clone()), blinker);
    assert_eq!(after(2, blinker.clone()), blinker);
}

#[test]
fn a_glider_moves_by_one_row_and_one_column_in_4_generations() {
    for start in [(0, 0), (5, 9), (11, 3)] {
        let moved = (start.0 + 1, start.1 + 1);
        assert_eq!(
            after(4, torus(12, 10, GLIDER, start)),
            torus(12, 10, GLIDER, moved)
        );
    }
}

#[test]
fn a_glider_comes_home_only_after_having_been_everywhere() {
    let start = torus(37, 23, GLIDER, (0, 0));
    let mut torus = start.clone();
    let home = (1..=4 * 37 * 23).find(|_| {
        torus.step();
        torus == start
    });
    assert_eq!(home, Some(4 * 37 * 23));
}

#[test]
fn the_four_counts_of_the_rule() {
    for neighbours in 0..=8 {
        for alive in [false, true] {
            let mut torus = SerialTorus::new(5, 5);
            torus.set(2, 2, alive);
            let around = [
                (1, 1),
                (1, 2),
                (1, 3),
                (2, 1),
                (2, 3),
                (3, 1),
                (3, 2),
                (3, 3),
            ];
            for &(row, column) in &around[..neighbours] {
                torus.set(row, column, true);
            }
            torus.step();
            assert_eq!(torus.get(2, 2), neighbours == 3 || alive && neighbours == 2);
        }
    }
}

#[test]
fn on_a_narrow_torus_a_neighbour_counts_as_often_as_it_is_met() {
    // One cell is its own neighbour eight times over, and dies.
    let single = after(1, torus(1, 1, "x = 1, y = 1\no!", (0, 0)));
    assert_eq!(single.population(), 0);
    // In one row of five, a cell meets either neighbour three times and itself twice.
    let row = after(1, torus(1, 5, "x = 1, y = 1\no!", (0, 2)));
    assert_eq!(
        (0..5)
            .filter(|&column| row.get(0, column))
            .collect::<Vec<_>>(),
        [1, 2, 3]
    );
}

#[test]
fn the_population_counts_the_live_cells() {
    let glider = torus(9, 9, GLIDER, (8, 8));
    assert_eq!(glider.population(), 5);
    assert_eq!((glider.rows(), glider.columns()), (9, 9));
}

#[test]
#[should_panic(expected = "cell (0, 4) of a torus of 3 x 4 cells")]
fn a_column_out_of_range_is_refused() {
    SerialTorus::new(3, 4).get(0, 4);
}
