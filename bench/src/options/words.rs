//! The words of a command line, one after the other, and what they stand for.

use std::ffi::OsString;

use super::OptionsError;

/// Words yet to be read.
#[derive(Debug)]
pub struct Words {
    rest: std::vec::IntoIter<OsString>,
    /// The value that came with an option, as in `--images=3`.
    attached: Option<String>,
}

impl Words {
    /// The words of a command line, without the program's name.
    pub fn new(arguments: impl IntoIterator<Item = OsString>) -> Self {
        Self {
            rest: arguments.into_iter().collect::<Vec<_>>().into_iter(),
            attached: None,
        }
    }

    /// The first word.
    pub fn command(&mut self) -> Option<String> {
        Some(self.rest.next()?.to_string_lossy().into_owned())
    }

    /// The next option.
    pub fn option(&mut self) -> Option<String> {
        let word = self.rest.next()?.to_string_lossy().into_owned();
        match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => {
                self.attached = Some(value.to_owned());
                Some(name.to_owned())
            }
            _ => Some(word),
        }
    }

    /// The value of `option`.
    pub fn value(&mut self, option: &str) -> Result<String, OptionsError> {
        let next = || Some(self.rest.next()?.to_string_lossy().into_owned());
        let value = self.attached.take().or_else(next);
        value.ok_or_else(|| OptionsError::MissingValue(option.to_owned()))
    }

    /// Makes sure that `option` had no value that nobody has asked for.
    pub fn end(&mut self, option: &str) -> Result<(), OptionsError> {
        match self.attached.take() {
            Some(_) => Err(OptionsError::UnwantedValue(option.to_owned())),
            None => Ok(()),
        }
    }
}
