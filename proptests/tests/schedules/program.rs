//! What the programs have in common.

/// Whether a program has its mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Wrong,
    Right,
}

impl Version {
    pub fn is_wrong(self) -> bool {
        self == Self::Wrong
    }

    pub fn is_right(self) -> bool {
        self == Self::Right
    }
}

/// Polls, as programs do on words that others put.
pub fn until(mut condition: impl FnMut() -> bool) {
    while !condition() {
        std::thread::yield_now();
    }
}
