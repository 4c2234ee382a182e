//! Where the time goes.

use std::fmt;
use std::time::Instant;

use coarray::prelude::*;

/// A kind of work on which an image spends time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// New states of cells, and the analysis of the result.
    Computing,
    /// Halos: starting exchanges, and waiting for their ends.
    Exchanging,
    /// Sums over all images, which includes waiting for the slowest.
    Reducing,
    /// Files and pictures.
    Writing,
}

const KINDS: usize = 4;

/// Time that is divided among kinds of work.
#[derive(Clone, Debug)]
pub struct Clock {
    since: Instant,
    seconds: [f64; KINDS],
}

impl Clock {
    /// Starts now.
    pub fn start() -> Self {
        Self {
            since: Instant::now(),
            seconds: [0.0; KINDS],
        }
    }

    /// Adds the time since the last call to this work.
    pub fn did(&mut self, work: Work) {
        let now = Instant::now();
        self.seconds[work as usize] += (now - self.since).as_secs_f64();
        self.since = now;
    }

    /// All seconds so far.
    pub fn total(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// The seconds spent on this.
    pub fn seconds(&self, work: Work) -> f64 {
        self.seconds[work as usize]
    }

    /// Collective. The mean over the images.
    pub fn mean(&self) -> Shares {
        let mut seconds = self.seconds;
        co_sum(&mut seconds);
        Shares {
            seconds: seconds.map(|sum| sum / num_images() as f64),
        }
    }
}

/// How the time of all images was divided.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    seconds: [f64; KINDS],
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: f64 = self.seconds.iter().sum();
        let [computing, exchanging, reducing, writing] = self
            .seconds
            .map(|part| 100.0 * part / total.max(f64::MIN_POSITIVE));
        write!(
            f,
            "{total:.3} s: computing {computing:.1} %, exchanging {exchanging:.1} %, reducing {reducing:.1} %, writing {writing:.1} %"
        )
    }
}
