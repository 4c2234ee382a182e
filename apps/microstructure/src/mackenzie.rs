//! The distribution of misorientations of cubic lattices that are turned at random.
//!
//! J. K. Mackenzie, *Second paper on statistics associated with the random disorientation of cubes*, Biometrika 45,
//! 1958; D. C. Handscomb, *On the random disorientation of two cubes*, Canad. J. Math. 10, 1958.

use std::f64::consts::{PI, SQRT_2};

/// The largest angle there is, in degrees: 2 arccos((2 + √2) / 4).
pub const LARGEST: f64 = 62.799_429_619_408_75;

/// Where the second and the third piece of the density begin, in degrees.
const SECOND: f64 = 45.0;
const THIRD: f64 = 60.0;

/// Where the last piece begins: at 60.72 degrees.
fn fourth() -> f64 {
    2.0 * (SQRT_2 / (1.0 + SQRT_2)).atan().to_degrees()
}

/// The density at an angle in degrees, per degree.
pub fn density(degrees: f64) -> f64 {
    let angle = degrees.to_radians();
    let (sine, cosine) = angle.sin_cos();
    let third_root = 3f64.sqrt();
    let root = SQRT_2 - 1.0;
    let density = if !(0.0..LARGEST).contains(&degrees) {
        0.0
    } else if degrees <= SECOND {
        2.0 / 15.0 * (1.0 - cosine)
    } else if degrees <= THIRD {
        2.0 / 15.0 * (3.0 * root * sine - 2.0 * (1.0 - cosine))
    } else {
        let both = (3.0 * root + 4.0 / third_root) * sine - 6.0 * (1.0 - cosine);
        2.0 / 15.0 * both
            - if degrees <= fourth() {
                0.0
            } else {
                corner(angle)
            }
    };
    density.max(0.0)
}

/// The density that the corners of the range of rotations cut off beyond 60.72 degrees.
fn corner(angle: f64) -> f64 {
    let third_root = 3f64.sqrt();
    let root = SQRT_2 - 1.0;
    let cotangent = 1.0 / (angle / 2.0).tan();
    let square = cotangent * cotangent;
    let x = root / (1.0 - root * root * square).sqrt();
    let y = root * root / (3.0 - square).sqrt();
    // Rounding may lead a hair beyond 1 at the ends.
    let arccos = |x: f64| x.clamp(-1.0, 1.0).acos();
    let sines = 2.0 * root * arccos(x * cotangent) + arccos(y * cotangent) / third_root;
    let cosines = 2.0 * arccos((SQRT_2 + 1.0) * x / SQRT_2) + arccos((SQRT_2 + 1.0) * y / SQRT_2);
    8.0 / (5.0 * PI) * (sines * angle.sin() - cosines * (1.0 - angle.cos()))
}

/// The probability of an angle between two, in degrees.
pub fn probability(from: f64, to: f64) -> f64 {
    let ends = [0.0, SECOND, THIRD, fourth(), LARGEST];
    let piece = |ends: &[f64]| {
        let (from, to) = (from.max(ends[0]), to.min(ends[1]));
        if from < to { simpson(from, to) } else { 0.0 }
    };
    ends.windows(2).map(piece).sum()
}

/// Simpson's rule over a piece on which the density is smooth.
fn simpson(from: f64, to: f64) -> f64 {
    const PARTS: usize = 200;
    let width = (to - from) / PARTS as f64;
    let inner = (1..PARTS).map(|part| {
        let weight = if part % 2 == 1 { 4.0 } else { 2.0 };
        weight * density(from + part as f64 * width)
    });
    // At the ends take the density of this piece, not of the next one.
    let hair = width * 1e-9;
    (density(from + hair) + density(to - hair) + inner.sum::<f64>()) * width / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubic::misorientation;
    use crate::goodness::ChiSquare;
    use crate::random::Random;
    use crate::rotation::Rotation;

    #[test]
    fn the_density_integrates_to_one() {
        let all = probability(0.0, 90.0);
        assert!((all - 1.0).abs() < 1e-6, "{all}");
    }

    #[test]
    fn the_pieces_meet() {
        for end in [SECOND, THIRD, fourth()] {
            let (before, after) = (density(end - 1e-9), density(end + 1e-9));
            assert!((before - after).abs() < 1e-6, "{end}: {before} {after}");
        }
        assert!(density(LARGEST - 1e-6) < 1e-6);
        assert_eq!(density(LARGEST + 1e-6), 0.0);
        assert_eq!(density(-1.0), 0.0);
        let largest = 2.0 * ((2.0 + SQRT_2) / 4.0).acos().to_degrees();
        assert!((largest - LARGEST).abs() < 1e-9, "{largest:.15}");
    }

    #[test]
    fn published_values_are_met() {
        // The most frequent angle is 45 degrees, the mean 40.736 degrees (Handscomb; Mackenzie, table 1).
        let highest = (0..6280).map(|step| f64::from(step) / 100.0);
        let highest = highest.max_by(|a, b| density(*a).total_cmp(&density(*b)));
        assert_eq!(highest, Some(45.0));
        let mean: f64 = (0..62_800)
            .map(|step| (f64::from(step) + 0.5) / 1000.0)
            .map(|angle| angle * density(angle) / 1000.0)
            .sum();
        assert!((mean - 40.736).abs() < 0.001, "{mean}");
    }

    #[test]
    fn random_pairs_of_lattices_follow_it() {
        let pairs = 1_000_000;
        let random = Random::new(2024);
        // Narrow bins, so that each piece has several.
        let edges: Vec<f64> = (0..=314).map(|bin| f64::from(bin) / 5.0).collect();
        let mut counts = vec![0u64; edges.len() - 1];
        for pair in 0..pairs {
            let one = Rotation::random(random, 2 * pair);
            let other = Rotation::random(random, 2 * pair + 1);
            counts[(misorientation(one, other) * 5.0) as usize] += 1;
        }
        let expected: Vec<f64> = edges
            .windows(2)
            .map(|ends| probability(ends[0], ends[1]) * pairs as f64)
            .collect();
        let test = ChiSquare::of(&counts, &expected);
        assert!(test.degrees_of_freedom > 280);
        assert!(test.probability() > 0.001, "{test:?}");
    }
}
