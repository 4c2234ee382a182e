//! Command lines: each option in turn, with its value, or one line that says what is wrong.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use coarray::{error_stop_with, this_image};
pub use lexopt::Arg::{self, Long, Short, Value};
pub use lexopt::Error;

/// Where an option gets its value from.
pub struct Arguments {
    parser: lexopt::Parser,
    option: String,
}

/// Reads the program's command line with [`read`]. Returns whether the program goes on: after `--help` it does not, and
/// image 0 prints `help`.
///
/// A command line that cannot be followed ends the job.
pub fn follow(help: &str, set: impl FnMut(Arg<'_>, &mut Arguments) -> Result<(), Error>) -> bool {
    let goes_on = read(std::env::args_os().skip(1), set).unwrap_or_else(|error| refuse(error));
    if !goes_on && this_image() == 0 {
        println!("{help}");
    }
    goes_on
}

/// Reads a command line, without the program's name: `set` gets each option in turn, and asks for its value if it has
/// one. `--option=value` means `--option value`. Returns whether no help was asked for.
///
/// # Errors
/// The error of `set`, or that an option has a value for which `set` did not ask.
pub fn read(
    words: impl IntoIterator<Item = impl Into<OsString>>,
    set: impl FnMut(Arg<'_>, &mut Arguments) -> Result<(), Error>,
) -> Result<bool, Error> {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    read_all(words, set).map_err(|error| match error {
        Error::UnexpectedOption(word) => unknown(&word),
        Error::UnexpectedArgument(word) => unknown(&word.to_string_lossy()),
        Error::UnexpectedValue { option, .. } => format!("option {option} takes no value").into(),
        error => error,
    })
}

fn read_all(
    words: Vec<OsString>,
    mut set: impl FnMut(Arg<'_>, &mut Arguments) -> Result<(), Error>,
) -> Result<bool, Error> {
    let mut arguments = Arguments {
        parser: lexopt::Parser::from_args(words),
        option: String::new(),
    };
    while let Some(word) = arguments.parser.next()? {
        let name;
        let option = match word {
            Long("help") | Short('h') => return Ok(false),
            Long(long) => {
                name = long.to_owned();
                arguments.option = format!("--{name}");
                Long(&name)
            }
            Short(short) => {
                arguments.option = format!("-{short}");
                Short(short)
            }
            Value(word) => Value(word),
        };
        set(option, &mut arguments)?;
    }
    Ok(true)
}

fn unknown(word: &str) -> Error {
    format!("unknown option '{word}'; {} --help lists them all", name()).into()
}

impl Arguments {
    /// The value of the current option, converted by `understand`; `expected` describes it in errors.
    ///
    /// # Errors
    /// If there is none, or it is not understood.
    pub fn value<T>(
        &mut self,
        expected: impl Display,
        understand: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Error> {
        let value = self.word(&expected)?;
        let (option, value) = (&self.option, value.to_string_lossy());
        understand(&value).ok_or_else(|| format!("{option} {value}: expected {expected}").into())
    }

    /// The name of a file, which need not be Unicode.
    ///
    /// # Errors
    /// If there is none.
    pub fn path(&mut self) -> Result<PathBuf, Error> {
        self.word("the name of a file").map(PathBuf::from)
    }

    fn word(&mut self, expected: impl Display) -> Result<OsString, Error> {
        let missing = |_| format!("option {} needs a value: {expected}", self.option).into();
        self.parser.value().map_err(missing)
    }

    /// Values with commas between them, each converted by `understand`.
    ///
    /// # Errors
    /// If there is none, or one of them is not understood.
    pub fn list<T>(
        &mut self,
        expected: impl Display,
        understand: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        self.value(expected, |text| {
            text.split(',')
                .map(|word| understand(word.trim()))
                .collect()
        })
    }

    /// A number that `is_good` accepts.
    ///
    /// # Errors
    /// If there is none.
    pub fn number<T: FromStr>(
        &mut self,
        expected: impl Display,
        is_good: impl FnOnce(&T) -> bool,
    ) -> Result<T, Error> {
        self.value(expected, |text| text.parse().ok().filter(is_good))
    }

    /// A number from 1 to `largest`.
    ///
    /// # Errors
    /// If there is none.
    pub fn count(&mut self, largest: usize) -> Result<usize, Error> {
        let expected = match largest {
            usize::MAX => "a positive number".to_owned(),
            _ => format!("a number from 1 to {largest}"),
        };
        self.number(expected, |number| (1..=largest).contains(number))
    }

    /// Numbers from 1 to `largest` with an `x` between them; `expected` shows their form.
    ///
    /// # Errors
    /// If there are other numbers, or not `N`.
    pub fn extents<const N: usize>(
        &mut self,
        expected: &str,
        largest: usize,
    ) -> Result<[usize; N], Error> {
        self.value(format_args!("{expected}, each 1 to {largest}"), |text| {
            extents(text, largest)?.try_into().ok()
        })
    }

    /// The value with one of these names.
    ///
    /// # Errors
    /// If no value has this name.
    pub fn one_of<T: Copy, const N: usize>(&mut self, named: [(&str, T); N]) -> Result<T, Error> {
        let names = named.map(|(name, _)| name);
        let (last, others) = names.split_last().expect("there are names");
        self.value(format_args!("{} or {last}", others.join(", ")), |text| {
            Some(named.into_iter().find(|(name, _)| *name == text)?.1)
        })
    }
}

/// Numbers from 1 to `largest` with an `x` between them, such as `640x480`.
pub fn extents(text: &str, largest: usize) -> Option<Vec<usize>> {
    let side = |side: &str| {
        let side = side.parse().ok()?;
        (1..=largest).contains(&side).then_some(side)
    };
    text.split(['x', 'X']).map(side).collect()
}

/// Ends the job because of its user's input, before anything is computed where possible.
pub fn refuse(why: impl Display) -> ! {
    error_stop_with(2, format_args!("{}: {why}", name()))
}

/// Ends the job because of an error on the way, such as a full disk.
pub fn fail(why: impl Display) -> ! {
    error_stop_with(1, format_args!("{}: {why}", name()))
}

/// The program's name.
pub fn name() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let name = program.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<(usize, [usize; 2], Vec<OsString>), String> {
        let (mut count, mut size, mut words) = (0, [0; 2], Vec::new());
        let set = |option: Arg<'_>, arguments: &mut Arguments| {
            match option {
                Long("count") | Short('c') => count = arguments.count(9)?,
                Long("size") => size = arguments.extents("WxH", 5)?,
                Long("kind") => drop(arguments.one_of([("a", 1), ("b", 2), ("c", 3)])?),
                Long("quiet") => (),
                Value(word) => words.push(word),
                _ => return Err(option.unexpected()),
            }
            Ok(())
        };
        let goes_on =
            super::read(line.split_whitespace(), set).map_err(|error| error.to_string())?;
        goes_on.then_some((count, size, words)).ok_or("help".into())
    }

    #[test]
    fn values_may_be_attached_and_words_may_be_anywhere() {
        let expected = Ok((3, [4, 5], vec!["a".into(), "-b".into()]));
        assert_eq!(read("--count=3 a --size 4x5 --quiet -- -b"), expected);
        assert_eq!(read("a -c 3 --size=4X5 -- -b"), expected);
    }

    #[test]
    fn help_is_asked_for_before_or_after_all_else() {
        for line in ["--help", "-h", "--count 3 --help --nothing"] {
            assert_eq!(read(line), Err("help".into()));
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_what_is_expected() {
        let unknown = |word| format!("unknown option '{word}'; {} --help lists them all", name());
        for (line, told) in [
            ("--sise 3", unknown("--sise")),
            ("-x", unknown("-x")),
            ("--quiet=yes", "option --quiet takes no value".into()),
            (
                "--count",
                "option --count needs a value: a number from 1 to 9".into(),
            ),
            (
                "--count -1",
                "--count -1: expected a number from 1 to 9".into(),
            ),
            (
                "--count 10",
                "--count 10: expected a number from 1 to 9".into(),
            ),
            ("--size 3", "--size 3: expected WxH, each 1 to 5".into()),
            ("--size 3x6", "--size 3x6: expected WxH, each 1 to 5".into()),
            ("--kind d", "--kind d: expected a, b or c".into()),
        ] {
            assert_eq!(read(line), Err(told));
        }
    }
}
