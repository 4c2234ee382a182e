//! The sums of columns: of each element over all sources.

use super::superaccumulator::Superaccumulator;
use super::{Addend, two_sum};

/// Columns that are added at the same time. With fewer the compiler does not use vector instructions for all operations.
const LANES: usize = 16;

/// Sums element `i` of all `sources` into element `i` of `result`: each the exact sum, rounded once, as
/// [`Superaccumulator::round`] says. The order of the sources does not matter.
///
/// # Panics
/// If the sources are not as long as `result`.
pub(crate) fn sum_columns<T: Addend>(sources: &[&[T]], result: &mut [T]) {
    assert!(
        sources.iter().all(|source| source.len() == result.len()),
        "columns of different lengths"
    );
    match sources {
        [] => result.fill(T::zero()),
        [a] => {
            for (result, a) in result.iter_mut().zip(*a) {
                *result = canonical(*a);
            }
        }
        // One addition is the exact sum, rounded once.
        [a, b] => {
            for ((result, a), b) in result.iter_mut().zip(*a).zip(*b) {
                *result = canonical(*a + *b);
            }
        }
        _ => {
            for (number, sums) in result.as_chunks_mut().0.iter_mut().enumerate() {
                sum_lanes(sources, number * LANES, sums);
            }
            let rest = result.len() % LANES;
            let start = result.len().saturating_sub(LANES);
            match result.last_chunk_mut() {
                // The last columns, of which some have been summed before.
                Some(sums) if rest != 0 => sum_lanes(sources, start, sums),
                Some(_) => {}
                None => {
                    for (index, sum) in result.iter_mut().enumerate() {
                        *sum = exact(sources, index);
                    }
                }
            }
        }
    }
}

/// The one NaN for all NaNs: processors make NaNs of either sign, and pass on the bits of those that they get.
#[inline]
fn canonical<T: Addend>(value: T) -> T {
    if value.is_nan() { T::nan() } else { value }
}

fn exact<T: Addend>(sources: &[&[T]], index: usize) -> T {
    let mut sum = Superaccumulator::new();
    for source in sources {
        sum.add_few(&source[index..=index]);
    }
    sum.round()
}

/// Sums columns `start ..` of three sources or more.
///
/// Each column is added with `TwoSum`, so that its sum is exactly `sum` + the errors. The errors are added with `TwoSum`, too:
/// they are much smaller and mostly add up without second errors. Of the second errors only the sum of the magnitudes is kept,
/// in `lost`. Its relative error is less than a half, as there are less than 2^50 sources. So twice `lost` is no less than the
/// difference of the exact sum and `sum + errors`, and zero only if they are equal.
///
/// If an addition overflows, or an addend is infinite or NaN, the error of that addition is not finite. Then the second error
/// is not finite either, and the column is uncertain.
fn sum_lanes<T: Addend>(sources: &[&[T]], start: usize, result: &mut [T; LANES]) {
    let mut sums = [0.0; LANES];
    let mut errors = [0.0; LANES];
    let mut lost = [0.0; LANES];
    let (first, others) = sources.split_first().expect("three sources or more");
    for (sum, value) in sums.iter_mut().zip(&first[start..]) {
        *sum = value.widen();
    }
    for source in others {
        let values = &source[start..start + LANES];
        for lane in 0..LANES {
            let (sum, error) = two_sum(sums[lane], values[lane].widen());
            let (error, second_error) = two_sum(errors[lane], error);
            sums[lane] = sum;
            errors[lane] = error;
            lost[lane] += second_error.abs();
        }
    }
    let mut certain = [true; LANES];
    for lane in 0..LANES {
        (result[lane], certain[lane]) = T::settle(sums[lane], errors[lane], 2.0 * lost[lane]);
    }
    if certain != [true; LANES] {
        for lane in 0..LANES {
            if !certain[lane] {
                result[lane] = exact(sources, start + lane);
            }
        }
    }
}
