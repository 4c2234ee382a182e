//! The barrier algorithms.

// The paths are what the names stand for anyway, also where a loom model includes this file.
#[path = "barrier/central.rs"]
pub(crate) mod central;
#[path = "barrier/dissemination.rs"]
pub(crate) mod dissemination;
#[path = "barrier/flat.rs"]
pub(crate) mod flat;
#[path = "barrier/tree.rs"]
pub(crate) mod tree;

use crate::lockfree::arrival::Signature;

/// A barrier algorithm.
///
/// All are checked alike: no image leaves unless all entered for the same operation. They differ in the reads of other
/// images' memory. Among nodes, where the first image of each node is its leader, they differ in the messages of the
/// leaders. With `n` images, or leaders:
///
/// | | one after the other | in all | by one image |
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
    /// Every image publishes its arrival and reads all others. One round trip, no forwarding: the fastest for few
    /// images. Also where images share cores: one scheduling round suffices.
    #[default]
    Flat = 0,
    /// In round `k` image `i` signals image `i + 2^k` and waits for image `i - 2^k`. The fastest for many images with a
    /// core each (Hensgen, Finkel and Manber).
    Dissemination = 1,
    /// Each image waits for up to four children in a tree, and then for its parent to release it. The least traffic
    /// between cores (Mellor-Crummey and Scott).
    Tree = 2,
    /// A count of arrivals; the last image reads all arrivals and releases everyone with one write (the centralised
    /// barrier; its sense is the number of the barrier). The fewest writes.
    Central = 3,
}

/// Up to this many images with a core each read each other faster than they forward a signal.
const FEW: usize = 16;

/// Up to this many leaders all messages at once are faster than rounds.
const FEW_LEADERS: usize = 6;

/// The position of the barrier in the first word of a signature: above everything that operations, steps and object
/// numbers can count to.
const SHIFT: u32 = 62;

impl Barrier {
    /// All algorithms.
    pub const ALL: [Self; 4] = [Self::Flat, Self::Dissemination, Self::Tree, Self::Central];

    /// Local. Its name in settings and tables.
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

    /// Local. The algorithm with this name.
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

    /// The fastest for `images` images.
    pub(crate) fn for_images(images: usize, has_cores_for_all: bool) -> Self {
        if images <= FEW || !has_cores_for_all {
            Self::Flat
        } else {
            Self::Dissemination
        }
    }

    /// The fastest among so many leaders of nodes, by the LogGP model of a good network (latency 1 us, overhead 0.3 us,
    /// gap 0.4 us).
    pub(crate) fn for_leaders(leaders: usize) -> Self {
        if leaders <= FEW_LEADERS {
            Self::Flat
        } else {
            Self::Dissemination
        }
    }

    /// The signature of an operation that uses this barrier.
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
