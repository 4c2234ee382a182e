//! The ways in which the images of a team wait for each other.

// The paths are those that the names stand for anyway, also where a model includes this file.
#[path = "barrier/central.rs"]
pub(crate) mod central;
#[path = "barrier/dissemination.rs"]
pub(crate) mod dissemination;
#[path = "barrier/flat.rs"]
pub(crate) mod flat;
#[path = "barrier/tree.rs"]
pub(crate) mod tree;

use crate::lockfree::arrival::Signature;

/// How the images of a team wait for each other in a barrier.
///
/// All are checked alike: no image comes out unless all went in for the same operation. They differ in how often
/// the images look at each other's memory. With `n` images:
///
/// | | in a row | in all | looked at by one image |
/// |-|-|-|-|
/// | `Flat` | 1 | n | n - 1 |
/// | `Dissemination` | log2 n | n log2 n | log2 n |
/// | `Tree` | 2 log4 n | 2 n | 5 |
/// | `Central` | n | n | 1, and the last one n - 1 |
///
/// # Examples
/// ```
/// use coarray_launch::run;
/// use coarray_runtime::{Barrier, Team};
///
/// run(5, || {
///     let team = Team::current();
///     // SAFETY: no collective operation is in progress.
///     unsafe { team.set_barrier_algorithm(Barrier::Tree) };
///     assert_eq!(team.barrier_algorithm().name(), "tree");
/// });
/// ```
///
/// # Source
/// D. Hensgen, R. Finkel, U. Manber, *Two algorithms for barrier synchronization*, International Journal of
/// Parallel Programming 17 (1988); J. M. Mellor-Crummey, M. L. Scott, *Algorithms for scalable synchronization
/// on shared-memory multiprocessors*, ACM Transactions on Computer Systems 9 (1991).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Barrier {
    /// Every image shows its arrival and looks at everyone's. The fastest for few images, since nobody waits for
    /// what another makes of what it saw. Also where images share cores: who gets the core finds
    /// everyone there.
    #[default]
    Flat = 0,
    /// In round `k` image `i` signals image `i + 2^k` and waits for image `i - 2^k`. The fastest for many images
    /// with a core each (Hensgen, Finkel and Manber).
    Dissemination = 1,
    /// Each image waits for up to four others, its children in a tree, and then for its parent to let it go.
    /// The least traffic between cores (Mellor-Crummey and Scott).
    Tree = 2,
    /// A count of those who have come; the last one looks at all arrivals and lets everybody go with one write
    /// (the centralised barrier; its sense is the number of the barrier). The fewest writes.
    Central = 3,
}

/// So many images that have a core each look at each other faster than they pass a message on.
const FEW: usize = 16;

/// Where in the first word of a signature the barrier is: above all that other parts of it, steps of operations and
/// numbers of objects, can ever count to.
const SHIFT: u32 = 62;

impl Barrier {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Flat, Self::Dissemination, Self::Tree, Self::Central];

    /// Local. What it is called in settings and tables.
    ///
    /// # Examples
    /// ```
    /// use coarray_runtime::Barrier;
    ///
    /// assert_eq!(Barrier::ALL.map(Barrier::name), ["flat", "dissemination", "tree", "central"]);
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Dissemination => "dissemination",
            Self::Tree => "tree",
            Self::Central => "central",
        }
    }

    /// Local. The barrier of that name.
    ///
    /// # Examples
    /// ```
    /// use coarray_runtime::Barrier;
    ///
    /// assert_eq!(Barrier::from_name("central"), Some(Barrier::Central));
    /// assert_eq!(Barrier::from_name("turnstile"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|barrier| barrier.name() == name)
    }

    /// The fastest for so many images.
    pub(crate) fn for_images(images: usize, has_cores_for_all: bool) -> Self {
        if images <= FEW || !has_cores_for_all {
            Self::Flat
        } else {
            Self::Dissemination
        }
    }

    /// The signature of an operation for which images meet in this way.
    #[inline]
    pub(crate) fn mark(self, signature: &Signature) -> Signature {
        let [first, rest @ ..] = *signature;
        debug_assert!(first >> SHIFT == 0);
        let first = first | (self as u64) << SHIFT;
        [first, rest[0], rest[1], rest[2]]
    }

    /// The barrier in a signature, and the signature without it.
    pub(crate) fn of(signature: &Signature) -> (Self, Signature) {
        let mut plain = *signature;
        plain[0] &= (1 << SHIFT) - 1;
        (Self::ALL[(signature[0] >> SHIFT) as usize], plain)
    }
}
