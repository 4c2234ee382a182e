//! What a kernel says at its end, in the words of the Parallel Research Kernels.

use coarray::{error_stop_with, num_images, this_image};
use thiserror::Error;

use crate::Program;

/// A result that is not what it should be.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{what} is {found}, but it should be {expected} to within {tolerance}")]
pub struct Wrong {
    what: &'static str,
    found: f64,
    expected: f64,
    tolerance: f64,
}

/// Compares a result with what it should be.
///
/// # Errors
/// If the difference exceeds `tolerance`, or is no number.
pub fn check(what: &'static str, found: f64, expected: f64, tolerance: f64) -> Result<(), Wrong> {
    if (found - expected).abs() <= tolerance {
        Ok(())
    } else {
        Err(Wrong {
            what,
            found,
            expected,
            tolerance,
        })
    }
}

/// Says what is about to be computed.
pub fn describe(program: &Program, values: &[usize]) {
    if this_image() == 0 {
        println!("{}", program.about);
        println!("images = {}", num_images());
        for (parameter, value) in program.parameters.iter().zip(values) {
            println!("{} = {value}", parameter.name);
        }
    }
}

/// Says whether the result is right and how fast it was made: `work`, in units of `unit`, in each of the `iterations`.
///
/// All images give the same. If the result is wrong, the job ends with exit code 1.
pub fn conclude(
    verdict: Result<(), Wrong>,
    (work, unit): (f64, &str),
    iterations: usize,
    seconds: f64,
) {
    if let Err(wrong) = verdict {
        error_stop_with(1, format_args!("ERROR: {wrong}"));
    }
    if this_image() == 0 {
        let average = seconds / iterations as f64;
        println!("Solution validates");
        println!(
            "Rate ({unit}): {:.6} Avg time (s): {average:.9}",
            work / average
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_wrong() {
        assert!(check("sum", f64::NAN, 1.0, 1e-8).is_err());
        assert!(check("sum", f64::INFINITY, 1.0, 1e-8).is_err());
        assert_eq!(check("sum", 1.0 + 1e-9, 1.0, 1e-8), Ok(()));
        let wrong = check("the sum", 3.0, 2.5, 0.25).unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "the sum is 3, but it should be 2.5 to within 0.25"
        );
    }
}
