//! placeholder until the barriers arrive
/// Barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// Flat.
    Flat,
    /// Tree.
    Tree,
}
impl Barrier {
    /// All.
    pub const ALL: [Self; 2] = [Self::Flat, Self::Tree];
    /// Name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Tree => "tree",
        }
    }
}
