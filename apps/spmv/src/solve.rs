//! Solutions and eigenvalues, computed with products.

use coarray::prelude::*;

use crate::product::Product;
use program::shares::Clock;

/// The result of the iterations; the same on all images but for the vector.
pub(crate) struct Outcome {
    pub(crate) iterations: usize,
    /// |b - A x| / |b|, or |A x - lambda x| / |lambda|.
    pub(crate) residual: f64,
    /// None for solutions.
    pub(crate) eigenvalue: Option<f64>,
    /// This image's part.
    pub(crate) vector: Vec<f64>,
}

/// The iterations end when the residual is at most `tolerance`, or after `iterations`.
pub(crate) struct Limits {
    pub(crate) tolerance: f64,
    pub(crate) iterations: usize,
}

/// Conjugate gradients do not work for the matrix.
#[derive(Debug, thiserror::Error)]
#[error(
    "the matrix is not positive definite (found in iteration {0}), which conjugate gradients need; try --compute eigenvalue or --compute product"
)]
pub(crate) struct NotPositiveDefinite(usize);

/// Solves A x = b by conjugate gradients, from x = 0.
///
/// M. R. Hestenes and E. Stiefel, *Methods of conjugate gradients for solving linear systems*, Journal of
/// Research of the National Bureau of Standards 49, 1952.
///
/// # Errors
/// On all images if the matrix is not positive definite. Asymmetry is not noticed, and spoils the result.
pub(crate) fn solution(
    product: &mut Product<'_>,
    b: &[f64],
    limits: &Limits,
    clock: &mut Clock,
    mut report: impl FnMut(f64),
) -> Result<Outcome, NotPositiveDefinite> {
    let mut x = vec![0.0; b.len()];
    let mut remainder = b.to_vec();
    let mut direction = b.to_vec();
    let mut image_of_direction = vec![0.0; b.len()];
    let mut square = dot(&remainder, &remainder, clock);
    let norm = square.sqrt();
    let mut iterations = 0;
    while iterations < limits.iterations && square.sqrt() > limits.tolerance * norm {
        product.multiply(&direction, &mut image_of_direction, clock);
        let curvature = dot(&direction, &image_of_direction, clock);
        // NaN is not above 0 either.
        if curvature.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return Err(NotPositiveDefinite(iterations + 1));
        }
        let step = square / curvature;
        add(&mut x, step, &direction);
        add(&mut remainder, -step, &image_of_direction);
        let next = dot(&remainder, &remainder, clock);
        for (direction, remainder) in direction.iter_mut().zip(&remainder) {
            *direction = remainder + next / square * *direction;
        }
        square = next;
        iterations += 1;
        report(square.sqrt() / norm);
    }
    // The true residual: the residual of the recurrence drifts away from it.
    product.multiply(&x, &mut image_of_direction, clock);
    let differences = b.iter().zip(&image_of_direction);
    let differences: Vec<f64> = differences.map(|(b, product)| b - product).collect();
    let residual = dot(&differences, &differences, clock).sqrt();
    Ok(Outcome {
        iterations,
        residual: if norm > 0.0 { residual / norm } else { 0.0 },
        eigenvalue: None,
        vector: x,
    })
}

/// Finds the eigenvalue of largest magnitude by the power method of R. von Mises, from the vector `x`.
pub(crate) fn eigenvalue(
    product: &mut Product<'_>,
    mut x: Vec<f64>,
    limits: &Limits,
    clock: &mut Clock,
    mut report: impl FnMut(f64),
) -> Outcome {
    let mut y = vec![0.0; x.len()];
    scale(&mut x, clock);
    let (mut iterations, mut residual, mut eigenvalue) = (0, f64::INFINITY, 0.0);
    while iterations < limits.iterations && residual > limits.tolerance {
        product.multiply(&x, &mut y, clock);
        eigenvalue = dot(&x, &y, clock);
        let mut square: f64 = x
            .iter()
            .zip(&y)
            .map(|(x, y)| (y - eigenvalue * x).powi(2))
            .sum();
        clock.wait(|| co_sum(&mut square));
        // A vector that the matrix maps to 0 is an eigenvector of eigenvalue 0.
        residual = match eigenvalue.abs() {
            0.0 => square.sqrt(),
            magnitude => square.sqrt() / magnitude,
        };
        iterations += 1;
        report(residual);
        if residual > limits.tolerance {
            std::mem::swap(&mut x, &mut y);
            scale(&mut x, clock);
        }
    }
    Outcome {
        iterations,
        residual,
        eigenvalue: Some(eigenvalue),
        vector: x,
    }
}

/// Collective. The inner product of vectors, from each image's parts.
pub(crate) fn dot(x: &[f64], y: &[f64], clock: &mut Clock) -> f64 {
    let mut sum: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
    clock.wait(|| co_sum(&mut sum));
    sum
}

fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += factor * y;
    }
}

/// Collective. Makes the vector's length 1, unless it is 0.
fn scale(x: &mut [f64], clock: &mut Clock) {
    let norm = dot(x, x, clock).sqrt();
    if norm > 0.0 {
        x.iter_mut().for_each(|x| *x /= norm);
    }
}
