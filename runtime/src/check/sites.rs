//! The lines of the program that accesses and synchronisations are at, by numbers that fit a stamp.

use std::collections::HashMap;
use std::fmt;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::check::stamp::MAX_SITES;

/// A line of the program.
pub(crate) type Line = &'static Location<'static>;

/// How many numbers of bytes are told apart at one line.
const SIZES: usize = 8;

/// An access at a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) line: Line,
    /// What it is called.
    pub(crate) name: &'static str,
    /// Its bytes; 0 if they vary.
    pub(crate) bytes: usize,
    /// Whether the standard library has called the function, so that the line is that where the phase was opened.
    pub(crate) is_inner: bool,
}

impl fmt::Display for Site {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            name,
            bytes,
            is_inner,
        } = self;
        let at = Short(line);
        match bytes {
            0 => write!(formatter, "{name} at {at}"),
            1 => write!(formatter, "{name} of 1 byte at {at}"),
            _ => write!(formatter, "{name} of {bytes} bytes at {at}"),
        }?;
        match is_inner {
            true => formatter.write_str(
                " or below, by a function that is an argument: `|x| x.get()` in its place has a line",
            ),
            false => Ok(()),
        }
    }
}

impl Site {
    /// The same, at the next best line that the program has written.
    fn or_opened(self, opened: Option<Line>) -> Self {
        match opened {
            Some(line) if self.line.file().starts_with("/rustc/") => Self {
                line,
                is_inner: true,
                ..self
            },
            _ => self,
        }
    }
}

/// A line, without its column.
pub(crate) struct Short(pub(crate) Line);

impl fmt::Display for Short {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.0.file(), self.0.line())
    }
}

/// What is the same of two accesses with one number: the place of the line's description, the name, and the bytes.
type Key = (usize, *const u8, usize);

#[derive(Debug, Default)]
struct Table {
    sites: Vec<Site>,
    numbers: HashMap<(usize, usize, usize), u16>,
    /// How many there are of a line and a name.
    sizes: HashMap<(usize, usize), usize>,
}

/// All lines of a job.
#[derive(Debug, Default)]
pub(crate) struct Sites(Mutex<Table>);

impl Sites {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of an access; none if there are too many.
    #[cold]
    fn number(&self, site: Site) -> Option<u16> {
        let mut table = self.table();
        let (line, name, mut bytes) = parts(site);
        let key = (line, name as usize);
        let known = table.numbers.get(&(line, name as usize, bytes)).copied();
        if known.is_some() {
            return known;
        }
        let sizes = table.sizes.entry(key).or_default();
        *sizes += 1;
        if *sizes > SIZES {
            bytes = 0;
            if let Some(&number) = table.numbers.get(&(line, name as usize, 0)) {
                return Some(number);
            }
        }
        let number = table.sites.len();
        if number == MAX_SITES {
            return None;
        }
        table.sites.push(Site { bytes, ..site });
        table
            .numbers
            .insert((line, name as usize, bytes), number as u16);
        Some(number as u16)
    }

    /// The access with this number.
    pub(crate) fn site(&self, number: u16) -> Site {
        self.table().sites[usize::from(number)]
    }
}

#[inline(always)]
fn parts(site: Site) -> Key {
    (
        std::ptr::from_ref(site.line).addr(),
        site.name.as_ptr(),
        site.bytes,
    )
}

/// How many numbers an image remembers.
const RECENT: usize = 256;

/// The numbers that an image has looked for lately.
#[derive(Debug)]
pub(crate) struct Recent(Box<[Option<(Key, u16)>; RECENT]>);

impl Recent {
    pub(crate) fn new() -> Self {
        Self(Box::new([None; RECENT]))
    }

    /// The number of an access in a phase that was opened at this line.
    #[inline(always)]
    pub(crate) fn number(
        &mut self,
        sites: &Sites,
        site: Site,
        opened: Option<Line>,
    ) -> Option<u16> {
        let key = parts(site);
        let (line, _, bytes) = key;
        let index = ((line / 8) ^ (line / 2048) ^ bytes) % RECENT;
        match self.0[index] {
            Some((known, number)) if known == key => Some(number),
            _ => {
                let number = sites.number(site.or_opened(opened))?;
                self.0[index] = Some((key, number));
                Some(number)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_many_sizes_has_few_numbers() {
        let (sites, mut recent) = (Sites::default(), Recent::new());
        let (line, name) = (Location::caller(), "put");
        let mut numbers: Vec<u16> = (1..1000)
            .map(|bytes| {
                let is_inner = false;
                let site = Site {
                    line,
                    name,
                    bytes,
                    is_inner,
                };
                recent.number(&sites, site, None).unwrap()
            })
            .collect();
        let site = |number| sites.site(number).to_string();
        let file = file!();
        assert_eq!(
            site(numbers[0]),
            format!("put of 1 byte at {file}:{}", line.line())
        );
        assert!(site(numbers[998]).starts_with("put at "));
        numbers.dedup();
        assert_eq!(numbers.len(), SIZES + 1);
    }
}
