//! Which kernels there are.

/// A kernel: a program that there is for `coarray` and for each peer.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// What it is called here, and the name of a peer's program without its suffix.
    pub name: &'static str,
    /// The program for `coarray`.
    pub program: &'static str,
    /// What it is run with; large enough that memory and communication count as they do in earnest.
    full: &'static str,
    /// The same, to see that everything works.
    quick: &'static str,
}

impl Kernel {
    /// The words of its command line.
    pub fn parameters(&self, quick: bool) -> &'static str {
        if quick { self.quick } else { self.full }
    }
}

/// All kernels.
pub const KERNELS: [Kernel; 6] = [
    Kernel {
        name: "stencil",
        program: "prk-stencil",
        full: "50 2000",
        quick: "5 200",
    },
    Kernel {
        name: "p2p",
        program: "prk-p2p",
        // Rows so short that what they tell each other counts beside the additions, which no program can do any faster
        // as each needs the one before.
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
];
