//! The lattice D3Q19: velocities, weights, and collisions.
//!
//! Y. H. Qian, D. d'Humieres and P. Lallemand, *Lattice BGK models for Navier-Stokes equation*, Europhysics Letters 17,
//! 1992.

/// The number of populations.
pub const Q: usize = 19;

/// Where each population goes, along x, y and z. From number 1 on, each odd one is followed by its opposite.
pub const VELOCITIES: [[isize; 3]; Q] = [
    [0, 0, 0],
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
    [1, 1, 0],
    [-1, -1, 0],
    [1, -1, 0],
    [-1, 1, 0],
    [1, 0, 1],
    [-1, 0, -1],
    [1, 0, -1],
    [-1, 0, 1],
    [0, 1, 1],
    [0, -1, -1],
    [0, 1, -1],
    [0, -1, 1],
];

/// The populations of a fluid of density 1 at rest.
pub const WEIGHTS: [f64; Q] = {
    let (rest, axis, diagonal) = (1.0 / 3.0, 1.0 / 18.0, 1.0 / 36.0);
    let mut weights = [diagonal; Q];
    weights[0] = rest;
    let mut i = 1;
    while i < 7 {
        weights[i] = axis;
        i += 1;
    }
    weights
};

/// How many cells collide at a time: these loops become vector instructions.
pub const LANES: usize = 8;

/// The populations of some cells.
pub type Populations = [[f64; LANES]; Q];

/// Density and velocity of a cell.
pub fn moments(populations: &[f64; Q]) -> (f64, [f64; 3]) {
    let density: f64 = populations.iter().sum();
    let momentum = |axis: usize| {
        let shares = populations.iter().zip(VELOCITIES);
        shares
            .map(|(population, velocity)| population * velocity[axis] as f64)
            .sum::<f64>()
    };
    (density, [0, 1, 2].map(|axis| momentum(axis) / density))
}

/// Lets populations relax by the share `relaxation` towards the equilibrium of their density and velocity (Bhatnagar,
/// Gross and Krook).
#[inline]
pub fn collide(populations: &mut Populations, relaxation: f64) {
    let mut density = populations[0];
    let mut velocity = [[0.0; LANES]; 3];
    for pair in 0..Q / 2 {
        let [there, back] = [populations[2 * pair + 1], populations[2 * pair + 2]];
        let direction = VELOCITIES[2 * pair + 1];
        for lane in 0..LANES {
            density[lane] += there[lane] + back[lane];
        }
        for axis in 0..3 {
            let part = direction[axis] as f64;
            for lane in 0..LANES {
                velocity[axis][lane] += part * (there[lane] - back[lane]);
            }
        }
    }
    let mut square = [0.0; LANES];
    for lane in 0..LANES {
        let volume = 1.0 / density[lane];
        for axis in &mut velocity {
            axis[lane] *= volume;
        }
        let [x, y, z] = [velocity[0][lane], velocity[1][lane], velocity[2][lane]];
        square[lane] = 1.0 - 1.5 * (x * x + y * y + z * z);
    }
    for lane in 0..LANES {
        let rest = &mut populations[0][lane];
        *rest += relaxation * (WEIGHTS[0] * density[lane] * square[lane] - *rest);
    }
    for pair in 0..Q / 2 {
        let (there, back) = (2 * pair + 1, 2 * pair + 2);
        let [x, y, z] = VELOCITIES[there].map(|part| part as f64);
        for lane in 0..LANES {
            let along = x * velocity[0][lane] + y * velocity[1][lane] + z * velocity[2][lane];
            let mass = WEIGHTS[there] * density[lane];
            let even = mass * (square[lane] + 4.5 * along * along);
            let odd = mass * 3.0 * along;
            let population = &mut populations[there][lane];
            *population += relaxation * (even + odd - *population);
            let population = &mut populations[back][lane];
            *population += relaxation * (even - odd - *population);
        }
    }
}
