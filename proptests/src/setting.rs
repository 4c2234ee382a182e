//! How jobs run in tests.

use coarray::Launch;
use proptest::prelude::*;

/// Bytes of each image's heap: room for some teams.
const HEAP: usize = 8 << 20;

/// Image counts worth a test: one, powers of two, others, and more than there are cores.
pub const IMAGE_COUNTS: [usize; 6] = [1, 2, 3, 4, 7, 8];

/// Counts of images, and of nodes that divide them evenly or not, down to one image each.
pub const DIVISIONS: [(usize, usize); 7] = [(2, 2), (3, 2), (4, 2), (5, 3), (7, 4), (8, 4), (8, 8)];

/// How a job runs.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// How many images it has.
    pub images: usize,
    /// Whether corefs load and store, or take the way of a network.
    pub direct: bool,
    /// How many nodes there are that share no memory.
    pub nodes: usize,
}

impl Setting {
    /// So many images that reach each other's memory directly.
    #[must_use]
    pub fn of(images: usize) -> Self {
        Self {
            images,
            direct: true,
            nodes: 1,
        }
    }

    /// Any of the settings on one node.
    pub fn any() -> impl Strategy<Value = Self> {
        (prop::sample::select(&IMAGE_COUNTS[..]), any::<bool>()).prop_map(|(images, direct)| Self {
            direct,
            ..Self::of(images)
        })
    }

    /// Any of the settings, on one node or on several.
    pub fn anywhere() -> impl Strategy<Value = Self> {
        let apart = (prop::sample::select(&DIVISIONS[..]), any::<bool>());
        let apart = apart.prop_map(|((images, nodes), direct)| Self {
            images,
            direct,
            nodes,
        });
        prop_oneof![Self::any(), apart]
    }

    /// Every setting on one node.
    pub fn all() -> impl Iterator<Item = Self> {
        let both = |images| {
            [true, false].map(|direct| Self {
                direct,
                ..Self::of(images)
            })
        };
        IMAGE_COUNTS.into_iter().flat_map(both)
    }

    /// Settings on several nodes.
    pub fn apart() -> impl Iterator<Item = Self> {
        DIVISIONS.into_iter().map(|(images, nodes)| Self {
            nodes,
            ..Self::of(images)
        })
    }

    /// Every setting on one node, and some on several.
    pub fn everywhere() -> impl Iterator<Item = Self> {
        Self::all().chain(Self::apart())
    }

    /// Whether one image reaches the places of another by load and store.
    #[must_use]
    pub fn reaches(self, image: usize, other: usize) -> bool {
        let each = self.images.div_ceil(self.nodes);
        self.direct && image / each == other / each
    }

    /// A job with this setting.
    #[must_use]
    pub fn launch(self) -> Launch {
        let launch = Launch::new(self.images)
            .direct(self.direct)
            .simulated_nodes(self.nodes)
            .heap(HEAP);
        // With `COARRAY_CHECK=races` all that can be is checked.
        if self.nodes > 1 {
            launch.check(false)
        } else {
            launch
        }
    }

    /// Runs `body` on each image, and returns what it returned in the order of the images.
    ///
    /// # Panics
    /// If an image fails.
    #[track_caller]
    pub fn run<R: Send>(self, body: impl Fn() -> R + Sync) -> Vec<R> {
        self.run_in(HEAP, body)
    }

    /// As [`run`](Self::run), with so many bytes of heap on each image.
    ///
    /// # Panics
    /// If an image fails.
    #[track_caller]
    pub fn run_in<R: Send>(self, heap: usize, body: impl Fn() -> R + Sync) -> Vec<R> {
        match self.launch().heap(heap).run(body) {
            Ok(results) => results,
            Err(failure) => panic!("{self:?}: {failure}"),
        }
    }
}

/// Runs so many cases, or as many as `PROPTEST_CASES` says, and leaves no files about failed ones.
#[must_use]
pub fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: asked.and_then(|cases| cases.parse().ok()).unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}
