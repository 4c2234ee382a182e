//! Jobs inside a program: images on its threads, which borrow from it and return values to it.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use crate::checked;
use crate::threads::{self, Stragglers};
use coarray_runtime::{
    Bind, FabricKind, Failure, Profile, ProfileFiles, SettingError, Settings, USAGE, Wait,
};

/// How to run images inside this process, on threads.
///
/// Tests, debuggers and notebooks use it; programs use [`launch`](crate).
///
/// # Examples
/// ```
/// use coarray_launch::Launch;
/// use coarray_runtime::this_image;
///
/// let squares = Launch::new(4).run(|| this_image() * this_image());
/// assert_eq!(squares.unwrap(), [0, 1, 4, 9]);
/// ```
///
/// # Source
/// Its own.
#[derive(Clone, Debug)]
pub struct Launch {
    settings: Result<Settings, SettingError>,
}

impl Launch {
    /// Local. `images` images, with the heap and binding that the environment asks for.
    ///
    /// # Examples
    /// See [`Launch`].
    #[must_use]
    pub fn new(images: usize) -> Self {
        let settings = Settings::with_images(images).map(|settings| Settings {
            fabric: FabricKind::Threads,
            keep_going: false,
            ..settings
        });
        Self { settings }
    }

    /// Local. Reserves `bytes` of heap for each image.
    ///
    /// # Examples
    /// Many small jobs that reserve little:
    /// ```
    /// use coarray_launch::Launch;
    /// use coarray_runtime::num_images;
    ///
    /// for images in 1..20 {
    ///     let outcome = Launch::new(images).heap(1 << 20).run(num_images);
    ///     assert_eq!(outcome.unwrap(), vec![images; images]);
    /// }
    /// ```
    #[must_use]
    pub fn heap(mut self, bytes: usize) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.heap = bytes;
        }
        self
    }

    /// Local. Whether corefs reach memory by load and store (the default) or through the fabric's operations,
    /// as they would across a network.
    ///
    /// # Examples
    /// The same program, by both ways:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// for direct in [true, false] {
    ///     let sums = coarray::Launch::new(3).direct(direct).run(|| {
    ///         let mut x = Coarray::new(this_image());
    ///         let x = x.open();
    ///         (0..3).map(|image| x.at(image).get()).sum::<usize>()
    ///     });
    ///     assert_eq!(sums.unwrap(), [3, 3, 3]);
    /// }
    /// ```
    #[must_use]
    pub fn direct(mut self, direct: bool) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.direct = direct;
        }
        self
    }

    /// Local. Counts each `images` images as one node (the default: all are one), so that tests see what collectives
    /// would send between nodes.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::collectives::{Algorithm, Collective};
    /// use coarray::testing::record_messages;
    ///
    /// // A broadcast of two levels enters the second node once: image 2 gets the values, and image 3 has them from there.
    /// let received = coarray::Launch::new(4).images_per_node(2).run(|| {
    ///     let broadcast = || Collective::new().algorithm(Algorithm::Hierarchical).co_broadcast(&mut 1.5, 0);
    ///     record_messages(broadcast).1.iter().map(|message| message.from).collect::<Vec<_>>()
    /// });
    /// assert_eq!(received.unwrap()[2..], [[0], [2]]);
    /// ```
    #[must_use]
    pub fn images_per_node(mut self, images: usize) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.node_images = images.max(1);
        }
        self
    }

    /// Divides the images into this number of nodes that share no memory, with a network between them.
    #[cfg(feature = "simulated")]
    #[must_use]
    pub fn simulated_nodes(mut self, nodes: usize) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.simulated_nodes = nodes;
        }
        self
    }

    /// Local. How long images of other nodes may be silent while an image waits for them, before that is taken for the loss of
    /// their node; `COARRAY_PEER_TIMEOUT` sets the same.
    ///
    /// # Examples
    /// ```
    /// use coarray_launch::Launch;
    /// use coarray_runtime::num_images;
    /// use std::time::Duration;
    ///
    /// let patient = Launch::new(2).peer_timeout(Duration::from_secs(600));
    /// assert_eq!(patient.run(num_images).unwrap(), [2, 2]);
    /// ```
    #[must_use]
    pub fn peer_timeout(mut self, limit: Duration) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.peer_timeout = Some(limit);
        }
        self
    }

    /// Local. Whether the other images go on when one panics or calls [`fail_image`](coarray_runtime::fail_image), instead of
    /// ending with it (the default, whatever `COARRAY_FAULT_TOLERANT` says). A line on stderr then tells of it.
    ///
    /// # Examples
    /// ```
    /// use coarray_launch::Launch;
    /// use coarray_runtime::this_image;
    ///
    /// let shares = Launch::new(3).keep_going(true).run(|| 100 / this_image());
    /// assert_eq!(shares.unwrap(), [100, 50]);
    /// ```
    #[must_use]
    pub fn keep_going(mut self, keep_going: bool) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.keep_going = keep_going;
        }
        self
    }

    /// Local. Where images run: with [`Bind::Core`], image `i` on the `i`-th usable core.
    ///
    /// # Examples
    /// ```
    /// use coarray_launch::Launch;
    /// use coarray_runtime::{Bind, num_images};
    ///
    /// assert_eq!(Launch::new(2).bind(Bind::Core).run(num_images).unwrap(), [2, 2]);
    /// ```
    #[must_use]
    pub fn bind(mut self, bind: Bind) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.bind = bind;
        }
        self
    }

    /// Local. How images wait.
    ///
    /// # Examples
    /// More images than cores, which sleep at once:
    /// ```
    /// use coarray_collectives::co_count;
    /// use coarray_launch::Launch;
    /// use coarray_runtime::Wait;
    ///
    /// assert_eq!(Launch::new(20).wait(Wait::Sleep).run(|| co_count(true)).unwrap(), [20; 20]);
    /// ```
    #[must_use]
    pub fn wait(mut self, wait: Wait) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.wait = wait;
        }
        self
    }

    /// Local. What the job reports on stderr, at its end, of where its time went; `COARRAY_PROFILE` sets the same.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_count;
    /// use coarray_launch::Launch;
    /// use coarray_runtime::Profile;
    ///
    /// // Prints how long the images waited at `co_count`, and which of them came last.
    /// let counts = Launch::new(2).profile(Profile::Waits).run(|| co_count(true));
    /// assert_eq!(counts.unwrap(), [2, 2]);
    /// ```
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.profile = profile;
        }
        self
    }

    /// Local. Writes all that is known of where the time of the job went to this file at its end, in JSON, and has it
    /// [profiled](Launch::profile) if it is not; `COARRAY_PROFILE_JSON` sets the same. If the file cannot be written, a line on stderr says so.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_count;
    /// use coarray_launch::Launch;
    ///
    /// let file = std::env::temp_dir().join(format!("profile-{}.json", std::process::id()));
    /// let counts = Launch::new(2).profile_json(&file).run(|| co_count(true));
    /// assert_eq!(counts.unwrap(), [2, 2]);
    /// let json = std::fs::read_to_string(&file).unwrap();
    /// assert!(json.contains("\"parallel_efficiency\":"));
    /// # std::fs::remove_file(file).unwrap();
    /// ```
    #[must_use]
    pub fn profile_json(self, path: impl Into<PathBuf>) -> Self {
        self.with_file(|files| files.json = Some(path.into()))
    }

    /// Local. As [`profile_json`](Launch::profile_json), a page for people: HTML that needs no other file. `COARRAY_PROFILE_HTML` sets the
    /// same.
    ///
    /// # Examples
    /// ```
    /// use coarray_launch::Launch;
    /// use coarray_runtime::num_images;
    ///
    /// let file = std::env::temp_dir().join(format!("profile-{}.html", std::process::id()));
    /// Launch::new(2).profile_html(&file).run(num_images).unwrap();
    /// assert!(std::fs::read_to_string(&file).unwrap().starts_with("<!DOCTYPE html>"));
    /// # std::fs::remove_file(file).unwrap();
    /// ```
    #[must_use]
    pub fn profile_html(self, path: impl Into<PathBuf>) -> Self {
        self.with_file(|files| files.html = Some(path.into()))
    }

    fn with_file(mut self, name: impl FnOnce(&mut ProfileFiles)) -> Self {
        if let Ok(settings) = &mut self.settings {
            name(&mut settings.profile_files);
            if settings.profile == Profile::Off {
                settings.profile = settings.profile_files.profile();
            }
        }
        self
    }

    /// Local. The file for a timeline of what each image did and waited for, which the viewer at <https://ui.perfetto.dev> shows; `COARRAY_TRACE` sets the
    /// same. A file of that name is replaced. If it cannot be written, a line on stderr says so, and the job runs all the same.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_count;
    /// use coarray_launch::Launch;
    ///
    /// let file = std::env::temp_dir().join(format!("{}.pftrace", std::process::id()));
    /// let counts = Launch::new(2).trace(&file).run(|| co_count(true));
    /// assert_eq!(counts.unwrap(), [2, 2]);
    /// assert!(std::fs::metadata(&file).unwrap().len() > 0);
    /// # std::fs::remove_file(file).unwrap();
    /// ```
    #[must_use]
    pub fn trace(mut self, path: impl Into<PathBuf>) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.trace = Some(path.into());
        }
        self
    }

    /// Local. Whether the job is checked for races: accesses of two images to one place, one of them a put, that no rule of the memory model
    /// orders. Then each access goes through the fabric, as on a cluster, and takes some tens of nanoseconds. `COARRAY_CHECK=races` sets the same.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let outcome = coarray::Launch::new(2).check(true).run(|| {
    ///     let mut x = Coarray::new(0);
    ///     let x = x.open();
    ///     if this_image() == 0 {
    ///         x.at(1).put(7);
    ///     } else {
    ///         let _ = x.here().get(); // 0 or 7: there should be a sync_all before
    ///     }
    /// });
    /// let failure = outcome.unwrap_err();
    /// assert_eq!(failure.code, 66);
    /// assert!(failure.text.contains("race on the value of image 1 in the coarray of i32"));
    /// ```
    #[must_use]
    pub fn check(mut self, check: bool) -> Self {
        if let Ok(settings) = &mut self.settings {
            settings.check = check.then(|| settings.check.take().unwrap_or_default());
        }
        self
    }

    /// Local. Runs `body` on each image, and returns what it returned in the order of the images. If the job
    /// keeps going without some images, the others' results follow one another.
    ///
    /// # Errors
    /// The first [`Failure`]: an image panicked, stopped, or was in another collective operation than
    /// the others; or the images could not be started. If the job keeps going, an image's panic is one
    /// only if every image fails.
    ///
    /// # Examples
    /// ```
    /// use coarray_launch::Launch;
    /// use coarray_runtime::this_image;
    ///
    /// assert_eq!(Launch::new(3).run(|| 10 * this_image()).unwrap(), [0, 10, 20]);
    /// let failure = Launch::new(3).run(|| 12 / this_image()).unwrap_err();
    /// assert_eq!(failure.image, 0);
    /// ```
    pub fn run<R: Send>(self, body: impl Fn() -> R + Sync) -> Result<Vec<R>, Failure> {
        let settings = self.into_settings()?;
        threads::run(&settings, || Ok(body()), Stragglers::Join)
            .map_err(not_started)?
            .map_err(|lost| lost.failure)
    }

    fn into_settings(self) -> Result<Settings, Failure> {
        let settings = self.settings.map_err(not_started)?;
        checked::adapt(settings, false).map_err(not_started)
    }
}

fn not_started(error: impl Display) -> Failure {
    Failure {
        image: 0,
        code: USAGE,
        text: format!("was not started: {error}"),
    }
}

/// Local. Runs `body` on `images` images, as threads of this process; returns what it returned in the order of
/// the images.
///
/// # Panics
/// If an image panics or fails in another way, with the report of the job.
///
/// # Examples
/// ```
/// let images = coarray_launch::run(3, coarray_runtime::num_images);
/// assert_eq!(images, [3, 3, 3]);
/// ```
///
/// # Source
/// Its own.
#[track_caller]
pub fn run<R: Send>(images: usize, body: impl Fn() -> R + Sync) -> Vec<R> {
    match Launch::new(images).run(body) {
        Ok(results) => results,
        Err(failure) => panic!("{failure}"),
    }
}
