//! A command line, word by word.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use thiserror::Error;

/// The words of a command line, without the program's name. `--option=value` is as good as `--option value`.
pub(crate) struct Arguments {
    program: &'static str,
    words: std::vec::IntoIter<OsString>,
    word: OsString,
    option: String,
    attached: Option<OsString>,
}

/// A command line that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ArgumentError {
    #[error("unknown option '{word}'; {program} --help lists them all")]
    Unknown { program: &'static str, word: String },
    #[error("option {0} needs a value")]
    MissingValue(String),
    #[error("option {0} takes no value")]
    NeedlessValue(String),
    #[error("{option} {value}: expected {expected}")]
    BadValue {
        option: String,
        value: String,
        expected: Cow<'static, str>,
    },
}

impl Arguments {
    pub(crate) fn new(
        program: &'static str,
        words: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
        Self {
            program,
            words: words.into_iter(),
            word: OsString::new(),
            option: String::new(),
            attached: None,
        }
    }

    /// The next option, or a word that belongs to none.
    ///
    /// # Errors
    /// If the option before had a value and did not ask for it.
    pub(crate) fn next(&mut self) -> Result<Option<String>, ArgumentError> {
        if self.attached.is_some() {
            return Err(ArgumentError::NeedlessValue(self.option.clone()));
        }
        let Some(word) = self.words.next() else {
            return Ok(None);
        };
        // Names of files need not be UTF-8; names of options are.
        let bytes = word.as_bytes();
        let end = bytes.iter().position(|&byte| byte == b'=');
        let end = end.filter(|_| bytes.starts_with(b"--"));
        self.attached = end.map(|end| OsStr::from_bytes(&bytes[end + 1..]).into());
        let option = OsStr::from_bytes(&bytes[..end.unwrap_or(bytes.len())]);
        self.option = option.to_string_lossy().into_owned();
        self.word = word;
        Ok(Some(self.option.clone()))
    }

    /// The word that came last, as it was given.
    pub(crate) fn word(&self) -> OsString {
        self.word.clone()
    }

    /// The value of the option that came last.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn value(&mut self) -> Result<OsString, ArgumentError> {
        let value = self.attached.take().or_else(|| self.words.next());
        value.ok_or_else(|| ArgumentError::MissingValue(self.option.clone()))
    }

    /// The value of the option that came last, as `read` understands it.
    ///
    /// # Errors
    /// If there is none, or `read` does not understand it: then `expected` says what it would.
    pub(crate) fn value_as<T>(
        &mut self,
        expected: impl Into<Cow<'static, str>>,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, ArgumentError> {
        let value = self.value()?.to_string_lossy().into_owned();
        read(&value).ok_or_else(|| ArgumentError::BadValue {
            option: self.option.clone(),
            value,
            expected: expected.into(),
        })
    }

    /// That there is no such option.
    pub(crate) fn unknown(&self) -> ArgumentError {
        ArgumentError::Unknown {
            program: self.program,
            word: self.option.clone(),
        }
    }
}

/// A number from 1 to `largest`.
pub(crate) fn count(text: &str, largest: usize) -> Option<usize> {
    let number = text.parse().ok()?;
    (1..=largest).contains(&number).then_some(number)
}

/// Numbers from 1 to `largest` with an `x` between them, such as `640x480`.
pub(crate) fn extents(text: &str, largest: usize) -> Option<Vec<usize>> {
    text.split(['x', 'X'])
        .map(|side| count(side, largest))
        .collect()
}
