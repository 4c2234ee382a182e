//! Lattices of cubic symmetry: the rotations that leave a lattice as it is, and the misorientation of two grains.

use crate::random::Random;
use crate::rotation::{Rotation, Vector, dot};

/// The orientations of the lattices of all grains.
#[derive(Clone, Debug)]
pub struct Orientations {
    lattices: Vec<Rotation>,
}

impl Orientations {
    /// Random orientations of the grains from 1 to `grains`, uniformly distributed.
    pub fn random(random: Random, grains: u32) -> Self {
        let lattices = (1..=u64::from(grains)).map(|grain| Rotation::random(random, grain));
        Self {
            lattices: lattices.collect(),
        }
    }

    /// The rotation from the sample to the lattice of a grain.
    pub fn of(&self, grain: u32) -> Rotation {
        self.lattices[grain as usize - 1]
    }

    /// The smallest angle, in degrees, of the rotations that take the lattice of one grain to another grain's.
    pub fn misorientation(&self, one: u32, other: u32) -> f64 {
        misorientation(self.of(one), self.of(other))
    }
}

/// The smallest angle, in degrees, of the rotations that take one cubic lattice to another.
pub fn misorientation(one: Rotation, other: Rotation) -> f64 {
    let difference = other.after(one.inverse());
    let cosine = symmetries()
        .iter()
        .map(|symmetry| symmetry.after(difference).real.abs())
        .fold(0.0, f64::max);
    // Rounding may lead a hair beyond 1.
    2.0 * cosine.min(1.0).acos().to_degrees()
}

/// The 24 rotations that take a cube to itself.
pub fn symmetries() -> &'static [Rotation; 24] {
    static SYMMETRIES: std::sync::LazyLock<[Rotation; 24]> = std::sync::LazyLock::new(|| {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let signs = [1.0, -1.0];
        let mut all = Vec::with_capacity(24);
        let mut add = |real, imaginary| all.push(Rotation { real, imaginary });
        add(1.0, [0.0; 3]);
        for axis in 0..3 {
            let along = |length: f64| {
                let mut vector = [0.0; 3];
                vector[axis] = length;
                vector
            };
            add(0.0, along(1.0));
            for sign in signs {
                add(half, along(sign * half));
                // Half a turn about the diagonals of the face across this axis.
                let mut diagonal = [half; 3];
                diagonal[axis] = 0.0;
                diagonal[(axis + 1) % 3] *= sign;
                add(0.0, diagonal);
            }
        }
        for x in signs {
            for y in signs {
                for z in signs {
                    add(0.5, [x * 0.5, y * 0.5, z * 0.5]);
                }
            }
        }
        all.try_into().expect("1 + 3 + 6 + 6 + 8 rotations")
    });
    &SYMMETRIES
}

/// The three normals of the cube's faces in a lattice, in the sample's coordinates.
pub fn face_normals(lattice: Rotation) -> [Vector; 3] {
    let back = lattice.inverse();
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| back.turn(axis))
}

/// The cube's face whose normal is closest to a direction of length 1: the normal, and the square of the cosine
/// between both.
///
/// That square is the share of a stress in this direction that pulls the face open.
pub fn best_face(lattice: Rotation, direction: Vector) -> (Vector, f64) {
    let [first, rest @ ..] = face_normals(lattice).map(|normal| {
        let cosine = dot(normal, direction);
        (normal, cosine * cosine)
    });
    rest.into_iter().fold(
        first,
        |best, face| if face.1 > best.1 { face } else { best },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Rotation = Rotation {
        real: 1.0,
        imaginary: [0.0; 3],
    };

    #[test]
    fn symmetries_form_a_group_and_keep_the_cube() {
        let near = |a: Rotation, b: Rotation| {
            let product = a.real * b.real + dot(a.imaginary, b.imaginary);
            (product.abs() - 1.0).abs() < 1e-12
        };
        let all = symmetries();
        for (place, &one) in all.iter().enumerate() {
            assert!(all[..place].iter().all(|&other| !near(one, other)));
            for &other in all {
                let product = one.after(other);
                assert_eq!(all.iter().filter(|&&known| near(known, product)).count(), 1);
            }
            let corner = one.turn([1.0, 1.0, 1.0]);
            assert!(corner.iter().all(|x| (x.abs() - 1.0).abs() < 1e-12));
        }
    }

    #[test]
    fn angles_are_those_of_the_closed_form() {
        // With a >= b >= c >= d the absolute components, the largest of a, (a + b)/√2 and (a + b + c + d)/2 is the
        // cosine of half the angle: H. Grimmer, Acta Cryst. A 30, 1974.
        let random = Random::new(11);
        for index in 0..10_000 {
            let one = Rotation::random(random, 2 * index);
            let other = Rotation::random(random, 2 * index + 1);
            let difference = other.after(one.inverse());
            let [x, y, z] = difference.imaginary;
            let mut parts = [difference.real, x, y, z].map(f64::abs);
            parts.sort_unstable_by(|a, b| b.total_cmp(a));
            let [a, b, c, d] = parts;
            let cosine = a
                .max((a + b) * std::f64::consts::FRAC_1_SQRT_2)
                .max((a + b + c + d) / 2.0);
            let expected = 2.0 * cosine.min(1.0).acos().to_degrees();
            let angle = misorientation(one, other);
            assert!((angle - expected).abs() < 1e-6, "{angle} {expected}");
            assert!((misorientation(other, one) - angle).abs() < 1e-6);
            assert!((0.0..62.8).contains(&angle));
        }
    }

    #[test]
    fn what_one_cannot_see_makes_no_difference() {
        let random = Random::new(12);
        for index in 0..50 {
            let one = Rotation::random(random, 2 * index);
            let other = Rotation::random(random, 2 * index + 1);
            let angle = misorientation(one, other);
            for symmetry in symmetries() {
                assert!(misorientation(one, symmetry.after(one)) < 1e-5);
                assert!((misorientation(symmetry.after(one), other) - angle).abs() < 1e-6);
                assert!((misorientation(one, symmetry.after(other)) - angle).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn the_best_face_is_the_most_open_one() {
        let (normal, share) = best_face(NONE, [0.6, 0.0, 0.8]);
        assert_eq!(normal, [0.0, 0.0, 1.0]);
        assert!((share - 0.64).abs() < 1e-12);
        for index in 0..1000 {
            let lattice = Rotation::random(Random::new(1), index);
            let (_, share) = best_face(lattice, [0.0, 0.0, 1.0]);
            assert!((1.0 / 3.0..=1.0 + 1e-12).contains(&share));
        }
    }
}
