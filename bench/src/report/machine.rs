//! The machine of a measurement.

use std::fmt::Write as _;

use crate::options::{Fabric, cores};
use crate::peers::Installed;
use crate::runner::fit;

/// Where and how something was measured.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Number of images.
    pub images: usize,
    /// Their fabric.
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
        let place = if fit(images) {
            "each on a core of its own"
        } else {
            "not bound to cores"
        };
        format!(
            "{}; {images} image{} as {}, {place}; {rounds} round{}",
            Self::cores(),
            plural(images),
            fabric.name(),
            plural(rounds),
        )
    }

    /// The cores of this machine that are used.
    fn cores() -> String {
        let cores = cores();
        format!("{}: {cores} core{}", processor(), plural(cores))
    }

    /// The lines above a table: the machine and the peers.
    pub fn heading(&self, peers: &[Installed]) -> String {
        self.line() + "\n" + &titles(peers)
    }

    /// The same where the table has the numbers of images, and no image is bound to a core.
    pub fn heading_of_all(rounds: usize, peers: &[Installed]) -> String {
        let cores = Self::cores();
        let titles = titles(peers);
        format!("{cores}; {rounds} round{}\n{titles}", plural(rounds))
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A line for each peer that has printed its title.
fn titles(peers: &[Installed]) -> String {
    let mut titles = String::new();
    for peer in peers {
        if let Some(title) = &peer.title {
            let _ = writeln!(titles, "{}: {title}", peer.peer.name());
        }
    }
    titles
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
