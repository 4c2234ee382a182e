//! The signal, and the filters.

use program::random;

/// How many samples travel together.
pub(crate) const BLOCK: usize = 256;

/// A block of a slow wave, with noise around it.
pub(crate) fn signal(block: usize) -> [f64; BLOCK] {
    std::array::from_fn(|index| {
        let time = block * BLOCK + index;
        let noise = random::bits(1, time as u64) as f64 / u64::MAX as f64 - 0.5;
        (time as f64 / 1000.0).sin() + noise
    })
}

pub(crate) fn sum_of_squares(block: &[f64; BLOCK]) -> f64 {
    block.iter().map(|sample| sample * sample).sum()
}

/// Filters, one behind the other: each follows its input slowly, which removes noise.
pub(crate) struct Cascade {
    outputs: Vec<f64>,
}

impl Cascade {
    pub(crate) fn new(filters: usize) -> Self {
        Self {
            outputs: vec![0.0; filters],
        }
    }

    pub(crate) fn filter(&mut self, block: &mut [f64; BLOCK]) {
        for sample in block {
            for output in &mut self.outputs {
                *output += 0.1 * (*sample - *output);
                *sample = *output;
            }
        }
    }
}
