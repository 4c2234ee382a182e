//! The model without images: two copies of all cells, and every cell looked at in each iteration.

use microstructure::lattice::{LIQUID, NEIGHBOURS, STEPS};
use microstructure::nuclei::Nuclei;
use microstructure::random::{Purpose, Random};

/// The grains of all cells, x first, then y, then z; and the number of iterations until all were solid.
pub fn solidify(
    [columns, rows, planes]: [i64; 3],
    cells_per_grain: u64,
    seed: u64,
    periodic: bool,
) -> (Vec<u32>, u32) {
    let random = Random::new(seed);
    let cells = columns * rows * planes;
    let mut now = vec![LIQUID; cells as usize];
    let nuclei = Nuclei::new(random, cells as u64, cells_per_grain);
    for grain in 1..=nuclei.count() {
        now[nuclei.cell(grain) as usize] = grain;
    }
    let mut iterations = 0;
    while now.contains(&LIQUID) {
        let mut next = now.clone();
        for z in 0..planes {
            for y in 0..rows {
                for x in 0..columns {
                    let cell = ((z * rows + y) * columns + x) as usize;
                    if now[cell] != LIQUID {
                        continue;
                    }
                    let drawn = random.below(NEIGHBOURS, Purpose::Growth, cell as u64, iterations);
                    let [dz, dy, dx] = STEPS[drawn].map(|step| step as i64);
                    let (z, y, x) = (z + dz, y + dy, x + dx);
                    let is_inside = (0..planes).contains(&z)
                        && (0..rows).contains(&y)
                        && (0..columns).contains(&x);
                    if is_inside || periodic {
                        let (z, y, x) = (
                            z.rem_euclid(planes),
                            y.rem_euclid(rows),
                            x.rem_euclid(columns),
                        );
                        next[cell] = now[((z * rows + y) * columns + x) as usize];
                    }
                }
            }
        }
        now = next;
        iterations += 1;
    }
    (now, iterations)
}
