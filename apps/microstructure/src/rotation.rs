//! Rotations as quaternions of length 1.

use crate::random::{Purpose, Random};

/// A vector in space: x, y, z.
pub type Vector = [f64; 3];

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// The cosine of half the angle.
    pub real: f64,
    /// The axis, times the sine of half the angle.
    pub imaginary: Vector,
}

impl Rotation {
    /// A random rotation, uniformly distributed.
    ///
    /// By G. Marsaglia, *Choosing a point from the surface of a sphere*, Ann. Math. Stat. 43, 1972: two points of the
    /// disc make one of the sphere in four dimensions. It needs no trigonometric functions, so it gives the same bits
    /// on every machine.
    pub fn random(random: Random, index: u64) -> Self {
        let mut step = 0;
        let mut in_disc = || loop {
            let point = random.two_signed(Purpose::Orientations, index, step);
            step += 1;
            let square = point[0] * point[0] + point[1] * point[1];
            if square < 1.0 && square > 0.0 {
                return (point, square);
            }
        };
        let ([a, b], first) = in_disc();
        let ([c, d], second) = in_disc();
        let scale = ((1.0 - first) / second).sqrt();
        Self {
            real: a,
            imaginary: [b, c * scale, d * scale],
        }
    }

    /// The rotation back.
    pub fn inverse(self) -> Self {
        Self {
            real: self.real,
            imaginary: self.imaginary.map(|x| -x),
        }
    }

    /// The rotation `first`, and then this one.
    pub fn after(self, first: Self) -> Self {
        let (p, q) = (self.imaginary, first.imaginary);
        let crossed = cross(p, q);
        let along = |axis: usize| self.real * q[axis] + first.real * p[axis] + crossed[axis];
        Self {
            real: self.real * first.real - dot(p, q),
            imaginary: [along(0), along(1), along(2)],
        }
    }

    /// A vector, turned.
    pub fn turn(self, vector: Vector) -> Vector {
        let once = cross(self.imaginary, vector);
        let twice = cross(self.imaginary, once);
        [0, 1, 2].map(|axis| vector[axis] + 2.0 * (self.real * once[axis] + twice[axis]))
    }
}

/// The scalar product.
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Vector = [1.0, 0.0, 0.0];
    const Y: Vector = [0.0, 1.0, 0.0];
    const Z: Vector = [0.0, 0.0, 1.0];

    #[track_caller]
    fn assert_near(a: Vector, b: Vector) {
        assert!(
            (0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-12),
            "{a:?} {b:?}"
        );
    }

    fn quarter_about(axis: Vector) -> Rotation {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        Rotation {
            real: half,
            imaginary: axis.map(|x| x * half),
        }
    }

    #[test]
    fn quarter_turns_take_axes_to_axes() {
        assert_near(quarter_about(Z).turn(X), Y);
        assert_near(quarter_about(X).turn(Y), Z);
        assert_near(quarter_about(X).after(quarter_about(Z)).turn(X), Z);
        assert_near(quarter_about(Z).inverse().turn(Y), X);
    }

    #[test]
    fn random_rotations_keep_lengths_and_angles() {
        for index in 0..1000 {
            let rotation = Rotation::random(Random::new(5), index);
            let [x, y, z] = [X, Y, Z].map(|axis| rotation.turn(axis));
            for (a, b) in [(x, y), (y, z), (z, x)] {
                assert!(dot(a, b).abs() < 1e-12 && (dot(a, a) - 1.0).abs() < 1e-12);
            }
            assert_near(cross(x, y), z);
        }
    }

    #[test]
    fn random_rotations_prefer_no_direction() {
        // A turned axis is uniform on the sphere, so its height is uniform (Archimedes).
        for (axis, seed) in [(X, 1), (Y, 2), (Z, 3)] {
            let mut heights = [0u32; 40];
            for index in 0..40_000 {
                let [.., height] = Rotation::random(Random::new(seed), index).turn(axis);
                heights[((height + 1.0) * 20.0).min(39.0) as usize] += 1;
            }
            let chi_square: f64 = heights
                .iter()
                .map(|&count| (f64::from(count) - 1000.0).powi(2) / 1000.0)
                .sum();
            // 39 degrees of freedom; exceeded once in 1000 times.
            assert!(chi_square < 72.1, "{axis:?}: {chi_square}");
        }
    }
}
