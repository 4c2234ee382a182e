//! The command line of `survivor`.

use thiserror::Error;

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
    pub(crate) help: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Death {
    image: usize,
    step: usize,
}

/// A command line that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum OptionsError {
    #[error("unknown option '{0}'; survivor --help lists them all")]
    Unknown(String),
    #[error("option {0} needs a value")]
    MissingValue(String),
    #[error("{option} {value}: expected {expected}")]
    BadValue {
        option: &'static str,
        value: String,
        expected: String,
    },
}

impl Options {
    /// Reads a command line, without the program's name, for a job of `images` images.
    pub(crate) fn parse(
        arguments: impl IntoIterator<Item = String>,
        images: usize,
    ) -> Result<Self, OptionsError> {
        let (mut steps, mut every, mut help) = (1200, 100, false);
        let mut deaths: Option<Vec<String>> = None;
        let mut arguments = arguments.into_iter();
        while let Some(option) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .ok_or(OptionsError::MissingValue(option.clone()))
            };
            match option.as_str() {
                "--steps" => steps = positive("--steps", value()?)?,
                "--every" => every = positive("--every", value()?)?,
                "--kill" => {
                    let death = value()?;
                    let list = deaths.get_or_insert_default();
                    list.extend(Some(death).filter(|death| death != "none"));
                }
                "--help" | "-h" => help = true,
                _ => return Err(OptionsError::Unknown(option)),
            }
        }
        let kill = match deaths {
            Some(deaths) => deaths
                .into_iter()
                .map(|text| Death::parse(text, images, steps))
                .collect::<Result<_, _>>()?,
            None => Vec::from_iter(Death::in_mid_run(images, steps, every)),
        };
        Ok(Self {
            steps,
            every,
            kill,
            help,
        })
    }

    /// Whether that image is to be killed when it comes to that step.
    pub(crate) fn dies(&self, image: usize, step: usize) -> bool {
        self.kill.contains(&Death { image, step })
    }
}

impl Death {
    fn parse(text: String, images: usize, steps: usize) -> Result<Self, OptionsError> {
        let numbers = text.split_once('@').and_then(|(image, step)| {
            let (image, step) = (image.parse().ok()?, step.parse().ok()?);
            (image < images && step < steps).then_some(Self { image, step })
        });
        numbers.ok_or_else(|| OptionsError::BadValue {
            option: "--kill",
            value: text,
            expected: format!(
                "none, or IMAGE@STEP with an image below {images} and a step below {steps}"
            ),
        })
    }

    fn in_mid_run(images: usize, steps: usize, every: usize) -> Option<Self> {
        let step = (steps / 2 + every / 2).min(steps - 1);
        let image = images - 1;
        (images > 1).then_some(Self { image, step })
    }
}

fn positive(option: &'static str, value: String) -> Result<usize, OptionsError> {
    match value.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(OptionsError::BadValue {
            option,
            value,
            expected: "a positive number".into(),
        }),
    }
}
