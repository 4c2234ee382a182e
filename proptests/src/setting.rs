//! How jobs run in tests.

use coarray::Launch;
use proptest::prelude::*;

/// Image counts worth a test: one, powers of two, others, and more than there are cores.
pub const IMAGE_COUNTS: [usize; 6] = [1, 2, 3, 4, 7, 8];

/// How a job runs.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// How many images it has.
    pub images: usize,
    /// Whether corefs load and store, or take the way of a network.
    pub direct: bool,
}

impl Setting {
    /// Any of the settings.
    pub fn any() -> impl Strategy<Value = Self> {
        (prop::sample::select(&IMAGE_COUNTS[..]), any::<bool>())
            .prop_map(|(images, direct)| Self { images, direct })
    }

    /// Every setting.
    pub fn all() -> impl Iterator<Item = Self> {
        let both = |images| [true, false].map(|direct| Self { images, direct });
        IMAGE_COUNTS.into_iter().flat_map(both)
    }

    /// A job with this setting.
    #[must_use]
    pub fn launch(self) -> Launch {
        Launch::new(self.images).direct(self.direct).heap(1 << 20)
    }

    /// Runs `body` on each image, and returns what it returned in the order of the images.
    ///
    /// # Panics
    /// If an image fails.
    #[track_caller]
    pub fn run<R: Send>(self, body: impl Fn() -> R + Sync) -> Vec<R> {
        self.run_in(1 << 20, body)
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

/// Runs so many cases, and leaves no files about failed ones.
#[must_use]
pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}
