//! The programs that are scaled, and how their problems grow.

use std::process::Command;

use crate::conductor;
use crate::kernels::list::{KERNELS, Kernel};
use crate::kernels::outcome::KernelError;
use crate::kernels::own;
use crate::options::{Fabric, Job, Task};
use crate::scale::life::Torus;

/// How the problem depends on the number of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// Not at all.
    Strong,
    /// It has as much work for each image.
    Weak,
}

impl Scaling {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Strong, Self::Weak];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Weak => "weak",
        }
    }
}

/// A program.
#[derive(Clone, Copy, Debug)]
pub enum Workload {
    /// The Game of Life, a job of this program.
    Life,
    /// A program of its own.
    Kernel(&'static Kernel),
}

const LIFE: &str = "life";

/// A torus of which each image's part is larger than its nearest memories, and one that is only just large enough.
const FULL: Torus = Torus {
    rows: 8192,
    columns: 8192,
    generations: 100,
};
const QUICK: Torus = Torus {
    rows: 300,
    columns: 300,
    generations: 20,
};

impl Workload {
    /// All programs.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Life]
            .into_iter()
            .chain(KERNELS.iter().map(Self::Kernel))
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Life => LIFE,
            Self::Kernel(kernel) => kernel.name,
        }
    }

    /// The words of its command line, with so many times the work.
    pub fn parameters(self, quick: bool, growth: usize) -> String {
        match self {
            Self::Life => {
                let torus = if quick { QUICK } else { FULL };
                let rows = torus.rows * growth;
                Torus { rows, ..torus }.to_string()
            }
            Self::Kernel(kernel) => grown(kernel.name, kernel.parameters(quick), growth),
        }
    }

    /// The command that runs it with these parameters.
    ///
    /// # Errors
    /// If it is not there.
    pub fn program(
        self,
        parameters: &str,
        images: usize,
        fabric: Fabric,
    ) -> Result<Command, KernelError> {
        let kernel = match self {
            Self::Kernel(kernel) => return own(kernel, parameters, images, fabric),
            Self::Life => LIFE,
        };
        let mut command = std::env::current_exe()
            .map(Command::new)
            .map_err(|source| KernelError::Run {
                program: kernel.to_owned(),
                source,
            })?;
        // It was made from a torus.
        let task = Task::Life(parameters.parse().unwrap_or(QUICK));
        command.args(Job::of(task).words());
        conductor::as_job(&mut command, images, fabric);
        Ok(command)
    }
}

/// The parameters of a kernel with `growth` times the work.
fn grown(kernel: &str, parameters: &str, growth: usize) -> String {
    let words = parameters.split_whitespace();
    let mut numbers: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
    // Which of them is the extent, and how the work depends on it.
    let (place, work): (usize, fn(usize, usize) -> usize) = match kernel {
        "stencil" | "transpose" => (1, |side, growth| {
            (side as f64 * (growth as f64).sqrt()).round() as usize
        }),
        "p2p" => (2, |columns, growth| columns * growth),
        "nstream" => (1, |length, growth| length * growth),
        // Their tables are powers of two.
        "random" | "randomaccess" => (0, |log2, growth| log2 + growth.ilog2() as usize),
        _ => unreachable!("every kernel is scaled in some way"),
    };
    numbers[place] = work(numbers[place], growth);
    let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_grow_with_the_images() {
        for (kernel, parameters, four_times) in [
            ("stencil", "50 2000", "50 4000"),
            ("transpose", "50 2000 32", "50 4000 32"),
            ("p2p", "50 500 8000", "50 500 32000"),
            ("nstream", "20 1000", "20 4000"),
            ("random", "22 8 64", "24 8 64"),
            ("randomaccess", "22", "24"),
        ] {
            assert_eq!(grown(kernel, parameters, 1), parameters);
            assert_eq!(grown(kernel, parameters, 4), four_times);
        }
        assert_eq!(grown("stencil", "50 2000", 3), "50 3464");
    }

    #[test]
    fn every_program_can_grow() {
        for workload in Workload::all() {
            for quick in [false, true] {
                let same = workload.parameters(quick, 1);
                assert_ne!(same, workload.parameters(quick, 2), "{}", workload.name());
            }
        }
        let life = Workload::Life.parameters(false, 3);
        assert_eq!(life.parse::<Torus>().unwrap().rows, 3 * FULL.rows);
    }
}
