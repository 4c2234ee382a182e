//! The command line of `survivor`.

use coarray::num_images;
use program::command_line::{Long, follow, refuse};

/// What `survivor --help` prints.
pub(crate) const HELP: &str = "\
Heat spreads over a plate, and the computation outlives the images that compute it.

usage: survivor [--steps N] [--every N] [--kill IMAGE@STEP]... [--kill none]

  --steps N           how many steps to compute (default: 1200)
  --every N           how many steps lie between two checkpoints (default: 100)
  --kill IMAGE@STEP   kill this image when it comes to this step (default: the last image, half-way
                      between two checkpoints in mid-run; none if there is only one image)
  --kill none         kill no image

It tells who died and from where the others go on, and compares the result with that of an
undisturbed computation. Images can be killed from outside, too, at any time.

Images: one for each core, or COARRAY_IMAGES=N.";

/// What the user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) steps: usize,
    /// Steps between two checkpoints.
    pub(crate) every: usize,
    kill: Vec<Death>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Death {
    image: usize,
    step: usize,
}

impl Options {
    /// The options of this image's command line; none after `--help`. An error in it ends the job.
    pub(crate) fn from_command_line() -> Option<Self> {
        let (mut steps, mut every, mut kill) = (1200, 100, None);
        let images = num_images();
        let goes_on = follow(HELP, |option, arguments| {
            match option {
                Long("steps") => steps = arguments.count(usize::MAX)?,
                Long("every") => every = arguments.count(usize::MAX)?,
                Long("kill") => {
                    let expected = format!("none, or IMAGE@STEP with an image below {images}");
                    let death = arguments.value(expected, |text| match text {
                        "none" => Some(None),
                        _ => Death::read(text, images).map(Some),
                    })?;
                    kill.get_or_insert_with(Vec::new).extend(death);
                }
                _ => return Err(option.unexpected()),
            }
            Ok(())
        });
        if !goes_on {
            return None;
        }
        let never = |death: &&Death| death.step >= steps;
        if let Some(Death { image, step }) = kill.iter().flatten().find(never) {
            refuse(format!(
                "--kill {image}@{step}: expected a step below {steps}"
            ));
        }
        let usual = || Vec::from_iter(Death::in_mid_run(images, steps, every));
        Some(Self {
            steps,
            every,
            kill: kill.unwrap_or_else(usual),
        })
    }

    /// Whether that image is to be killed when it comes to that step.
    pub(crate) fn dies(&self, image: usize, step: usize) -> bool {
        self.kill.contains(&Death { image, step })
    }
}

impl Death {
    fn read(text: &str, images: usize) -> Option<Self> {
        let (image, step) = text.split_once('@')?;
        let (image, step) = (image.parse().ok()?, step.parse().ok()?);
        (image < images).then_some(Self { image, step })
    }

    fn in_mid_run(images: usize, steps: usize, every: usize) -> Option<Self> {
        let step = (steps / 2 + every / 2).min(steps - 1);
        let image = images - 1;
        (images > 1).then_some(Self { image, step })
    }
}
