//! A schedule as text: `3i 14>1 37>0 d9 d12@41 a2`.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use coarray_fabric::system::limits::MAX_IMAGES;

/// A schedule: how it deviates from "go on until blocked, then the next image". Every part of one is one, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulePlan {
    /// The number of images.
    pub images: usize,
    /// The deviations, in any order.
    pub deviations: Vec<Deviation>,
}

/// One way in which a schedule deviates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deviation {
    /// At this step, counted from 1, this image goes on. Without effect if it cannot.
    Switch {
        /// The step.
        step: u64,
        /// The image.
        image: usize,
    },
    /// The operation of this kind with this number, counted from 1, is late.
    Delay {
        /// The kind.
        late: Late,
        /// Which of that kind.
        number: u64,
        /// It arrives at this step, if it may be late for so long; none for as late as possible.
        until: Option<u64>,
    },
}

/// What may be late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Late {
    /// A put arrives late, with what it notifies.
    Put,
    /// An asynchronous atomic operation takes effect late.
    Atomic,
}

impl Late {
    /// How texts of schedules begin that name one.
    fn letter(self) -> char {
        match self {
            Self::Put => 'd',
            Self::Atomic => 'a',
        }
    }
}

/// A deviation, by what its image has done: others that come before it in the run hardly change that, so that they can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchored {
    /// When an image has come to its point of this number, or waits after it, another one goes on.
    Switch {
        /// When.
        moment: Moment,
        /// The image that goes on.
        to: usize,
    },
    /// The operation of an image of this kind with this number is late.
    Delay {
        /// The kind.
        late: Late,
        /// The image.
        from: usize,
        /// Counts those of the kind from 1.
        number: u64,
        /// As in [`Deviation::Delay`].
        until: Option<u64>,
    },
}

/// How far an image was when another one got the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// The image.
    pub image: usize,
    /// How many points it had come to.
    pub points: u64,
    /// How often it had offered the turn since, or put and got, whichever it did there.
    pub offers: u64,
    /// What it did there.
    pub doing: Doing,
}

/// What an image does when another one may get the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doing {
    /// It is at a point.
    Point,
    /// It is about to put or get.
    Access,
    /// It waits, or is over.
    Wait,
    /// It is about to complete puts that are late: without them it would not stop here.
    Completion,
}

/// Why a text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleError {
    word: String,
    wrong: &'static str,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { word, wrong } = self;
        write!(
            formatter,
            "`{word}` {wrong}; a schedule is text such as `3i 14>1 d9 d12@41 a2`: 3 images; at step 14 image 1 goes on; put 9 arrives as late \
             as it may, put 12 at step 41; the second asynchronous atomic operation takes effect as late as it may"
        )
    }
}

impl Error for ScheduleError {}

impl fmt::Display for SchedulePlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}i", self.images)?;
        for deviation in &self.deviations {
            write!(formatter, " {deviation}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Switch { step, image } => write!(formatter, "{step}>{image}"),
            Self::Delay {
                late,
                number,
                until,
            } => {
                write!(formatter, "{}{number}", late.letter())?;
                until.map_or(Ok(()), |step| write!(formatter, "@{step}"))
            }
        }
    }
}

impl FromStr for SchedulePlan {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let error = |word: &str, wrong| ScheduleError {
            word: word.into(),
            wrong,
        };
        let images = first.strip_suffix('i').and_then(number::<usize>);
        let images = images.ok_or_else(|| error(first, "is no number of images"))?;
        if !(1..=MAX_IMAGES).contains(&images) {
            return Err(error(first, "is a number of images that no job has"));
        }
        let deviations = words
            .map(|word| {
                let deviation = word.parse().map_err(|wrong| error(word, wrong))?;
                match deviation {
                    Deviation::Switch { image, .. } if image >= images => Err(error(
                        word,
                        "names an image that the schedule does not have",
                    )),
                    _ => Ok(deviation),
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { images, deviations })
    }
}

impl FromStr for Deviation {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, &'static str> {
        const SWITCH: &str = "is no step and image, as in `14>1`";
        const DELAY: &str = "is nothing that is late, as a put is by `d9` or `d9@41`, and an atomic operation by `a9`";
        let late = [Late::Put, Late::Atomic];
        let late = late
            .into_iter()
            .find_map(|late| Some((late, word.strip_prefix(late.letter())?)));
        if let Some((late, rest)) = late {
            let (which, until) = match rest.split_once('@') {
                Some((which, step)) => (which, Some(number(step).ok_or(DELAY)?)),
                None => (rest, None),
            };
            let number = number(which).ok_or(DELAY)?;
            return Ok(Self::Delay {
                late,
                number,
                until,
            });
        }
        let (step, image) = word.split_once('>').ok_or(SWITCH)?;
        Ok(Self::Switch {
            step: number(step).ok_or(SWITCH)?,
            image: number(image).ok_or(SWITCH)?,
        })
    }
}

/// A number of digits alone: the standard library would take `+3`, too.
fn number<N: FromStr>(text: &str) -> Option<N> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["1i", "3i 14>1 37>0 d9", "12i d9@41 5>11 d1 a3 a4@7"] {
            let plan: SchedulePlan = text.parse().unwrap();
            assert_eq!(plan.to_string(), text);
        }
        let spaced: SchedulePlan = "  2i   3>1 ".parse().unwrap();
        assert_eq!(spaced.to_string(), "2i 3>1");
    }

    #[test]
    fn errors_name_the_word_and_what_is_wrong_with_it() {
        let error = |text: &str| text.parse::<SchedulePlan>().unwrap_err().to_string();
        for (text, begins) in [
            ("", "`` is no number of images"),
            ("3", "`3` is no number of images"),
            ("+3i", "`+3i` is no number of images"),
            ("0i", "`0i` is a number of images that no job has"),
            ("3i 14", "`14` is no step and image, as in `14>1`"),
            ("3i 14>x", "`14>x` is no step and image"),
            (
                "3i 14>3",
                "`14>3` names an image that the schedule does not have",
            ),
            ("3i d", "`d` is nothing that is late"),
            ("3i d9@", "`d9@` is nothing that is late"),
            ("3i d9@x", "`d9@x` is nothing that is late"),
            ("3i a", "`a` is nothing that is late"),
            (
                "3i 99999999999999999999>1",
                "`99999999999999999999>1` is no step",
            ),
        ] {
            let said = error(text);
            assert!(said.starts_with(begins), "{text}: {said}");
            assert!(said.contains("a schedule is text such as"), "{said}");
        }
    }
}
