//! The kernels.

/// A program that is measured as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Its name, which is also the name of a peer's program without its suffix.
    pub name: &'static str,
    /// The program on coarrays.
    pub program: &'static str,
    /// The parameters: large enough that memory and communication count.
    full: &'static str,
    /// The parameters of a quick run.
    quick: &'static str,
}

impl Kernel {
    /// The words of its command line, with `growth` times the work.
    pub fn parameters(&self, quick: bool, growth: usize) -> String {
        grown(
            self.name,
            if quick { self.quick } else { self.full },
            growth,
        )
    }
}

/// How many kernels are there for peers, too: the first.
pub const WITH_PEERS: usize = 6;

/// All kernels.
pub const KERNELS: [Kernel; 9] = [
    Kernel {
        name: "stencil",
        program: "prk-stencil",
        full: "50 2000",
        quick: "5 200",
    },
    Kernel {
        name: "p2p",
        program: "prk-p2p",
        // Rows so short that the notifications count beside the additions. No program can do the additions faster,
        // because each needs the one before.
        full: "50 500 8000",
        quick: "5 200 200",
    },
    Kernel {
        name: "transpose",
        program: "prk-transpose",
        full: "50 2000",
        quick: "5 240",
    },
    Kernel {
        name: "nstream",
        program: "prk-nstream",
        full: "20 20000000",
        quick: "5 100000",
    },
    Kernel {
        name: "random",
        program: "prk-random",
        full: "22 8 64",
        quick: "18 8 64",
    },
    Kernel {
        name: "randomaccess",
        program: "hpcc-randomaccess",
        full: "22",
        quick: "18",
    },
    Kernel {
        name: "life",
        program: "life-torus",
        // Each image's part is larger than its caches.
        full: "100 8192 8192",
        quick: "20 300 300",
    },
    Kernel {
        name: "histogram",
        program: "bale-histogram",
        full: "20000000 1000",
        quick: "100000 1000",
    },
    Kernel {
        name: "index_gather",
        program: "bale-gather",
        full: "10000000 100000",
        quick: "50000 1000",
    },
];

/// Parameters for `growth` times the work.
fn grown(kernel: &str, parameters: &str, growth: usize) -> String {
    let words = parameters.split_whitespace();
    let mut numbers: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
    // Which parameter is the extent, and how the work depends on it.
    let (place, work): (usize, fn(usize, usize) -> usize) = match kernel {
        "stencil" | "transpose" => (1, |side, growth| {
            (side as f64 * (growth as f64).sqrt()).round() as usize
        }),
        "p2p" | "life" => (2, |columns, growth| columns * growth),
        "histogram" | "index_gather" => (0, |items, growth| items * growth),
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
            ("life", "100 8192 8192", "100 8192 32768"),
            ("histogram", "1000 50", "4000 50"),
            ("index_gather", "1000 50", "4000 50"),
        ] {
            assert_eq!(grown(kernel, parameters, 1), parameters);
            assert_eq!(grown(kernel, parameters, 4), four_times);
        }
        assert_eq!(grown("stencil", "50 2000", 3), "50 3464");
    }

    #[test]
    fn every_kernel_can_grow() {
        for kernel in KERNELS {
            for quick in [false, true] {
                let same = kernel.parameters(quick, 1);
                assert_ne!(same, kernel.parameters(quick, 2), "{}", kernel.name);
            }
        }
    }
}
