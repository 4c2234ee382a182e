//! What can be wrong with a simulated network, for tests.

use std::str::FromStr;

/// What is wrong with a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// A fence does not order anything, nor does a signal.
    DropFence,
    /// Puts may not be complete when they should be.
    DelayPuts,
    /// A put may be overtaken by operations on the same place, too.
    Reorder,
    /// One atomic operation in sixteen does not happen.
    LoseAtomic,
}

impl Fault {
    /// All of them, by the names that `COARRAY_SIMULATED_FAULT` has for them.
    pub const ALL: [(&'static str, Self); 5] = [
        ("none", Self::None),
        ("drop-fence", Self::DropFence),
        ("delay-puts", Self::DelayPuts),
        ("reorder", Self::Reorder),
        ("lose-atomic", Self::LoseAtomic),
    ];
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|(name, _)| *name == text);
        let names = || Self::ALL.map(|(name, _)| name).join(", ");
        known
            .map(|(_, fault)| fault)
            .ok_or_else(|| format!("expected one of {}", names()))
    }
}
