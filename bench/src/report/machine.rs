//! Where numbers come from.

use std::fmt::Write as _;

use crate::conductor::fit;
use crate::options::{Fabric, cores};
use crate::peers::Installed;

/// Where and how something was measured.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Number of images.
    pub images: usize,
    /// What they are.
    pub fabric: Fabric,
    /// How often each program was started.
    pub rounds: usize,
}

impl Machine {
    /// All of it in one line.
    pub fn line(&self) -> String {
        let Self {
            images,
            fabric,
            rounds,
        } = *self;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let cores = cores();
        let place = if fit(images) {
            "each on a core of its own"
        } else {
            "not bound to cores"
        };
        format!(
            "{}: {cores} core{}; {images} image{} as {}, {place}; {rounds} round{}",
            processor(),
            plural(cores),
            plural(images),
            fabric.name(),
            plural(rounds),
        )
    }

    /// What stands above a table: the machine, and what the peers are.
    pub fn heading(&self, peers: &[Installed]) -> String {
        let mut heading = self.line() + "\n";
        for peer in peers {
            if let Some(title) = &peer.title {
                let _ = writeln!(heading, "{}: {title}", peer.peer.name());
            }
        }
        heading
    }
}

/// The processor's name, as the operating system knows it.
fn processor() -> String {
    let described = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    described
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned())
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}
