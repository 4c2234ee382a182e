//! What happened in a run: to compare it with another one, and to tell of it.

use std::fmt;
use std::panic::Location;

use super::plan::Late;

/// So many operations of a run are noted.
const MOST_EVENTS: usize = 1_000_000;

/// A line of the program.
pub type Line = &'static Location<'static>;

/// The same; none for what the library does by itself.
pub type Site = Option<Line>;

/// What is noted of operations that are late, and when they arrive.
pub(super) fn names(late: Late) -> [&'static str; 2] {
    match late {
        Late::Put => ["late put", "arrival of a late put"],
        Late::Atomic => [
            "late atomic operation",
            "arrival of a late atomic operation",
        ],
    }
}

/// An operation of an image.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The last step before it.
    pub step: u64,
    /// The image.
    pub image: usize,
    /// What it did, in a word.
    pub what: &'static str,
    /// At which line.
    pub site: Site,
}

impl Event {
    /// Whether it is that an operation is late.
    #[must_use]
    pub fn is_late(&self) -> bool {
        [Late::Put, Late::Atomic]
            .iter()
            .any(|&late| names(late)[0] == self.what)
    }

    /// Whether the other one is of the same image, kind and line.
    fn is_like(&self, other: &Self) -> bool {
        let place = |event: &Self| {
            event
                .site
                .map(|site| (site.file(), site.line(), site.column()))
        };
        (self.image, self.what, place(self)) == (other.image, other.what, place(other))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.what)?;
        match self.site {
            Some(site) => write!(formatter, " at {}:{}", site.file(), site.line()),
            None => Ok(()),
        }
    }
}

/// That another image got the turn.
#[derive(Clone, Copy, Debug)]
pub struct Handover {
    /// At which step.
    pub step: u64,
    /// How many events there were before.
    pub after: usize,
    /// Which image had it.
    pub from: usize,
    /// And which got it.
    pub to: usize,
    /// Whether the former could have gone on.
    pub is_preemption: bool,
}

/// The operations of a run, in their order.
#[derive(Clone, Debug, Default)]
pub struct History {
    events: Vec<Event>,
    handovers: Vec<Handover>,
}

impl History {
    pub(super) fn note(&mut self, event: Event) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        }
    }

    pub(super) fn hand_over(&mut self, handover: Handover) {
        self.handovers.push(handover);
    }

    /// Who got the turn, and when.
    #[must_use]
    pub fn handovers(&self) -> &[Handover] {
        &self.handovers
    }

    /// The operations.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The first operation in which the two differ: what there was in this one, and in the other; none for its end.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<(Option<Event>, Option<Event>)> {
        let longest = self.events.len().max(other.events.len());
        (0..longest).find_map(|index| {
            let pair = [self, other].map(|history| history.events.get(index).copied());
            match pair {
                [Some(one), Some(another)] if one.is_like(&another) => None,
                [one, another] => Some((one, another)),
            }
        })
    }

    /// A number that is the same for equal histories, in every process.
    #[must_use]
    pub fn hash(&self) -> u64 {
        // FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo, 1991): the standard library's may change.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for &byte in bytes {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for event in &self.events {
            add(&(event.image as u64).to_le_bytes());
            add(event.what.as_bytes());
            if let Some(site) = event.site {
                add(site.file().as_bytes());
                add(&site.line().to_le_bytes());
                add(&site.column().to_le_bytes());
            }
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(events: &[(usize, &'static str)]) -> History {
        let mut history = History::default();
        for &(image, what) in events {
            let (step, site) = (0, Some(Location::caller()));
            history.note(Event {
                step,
                image,
                what,
                site,
            });
        }
        history
    }

    #[test]
    fn the_first_difference_is_found() {
        let [one, same, other, longer] = [
            &[(0, "post"), (1, "wait")][..],
            &[(0, "post"), (1, "wait")],
            &[(0, "post"), (2, "wait")],
            &[(0, "post"), (1, "wait"), (1, "lock")],
        ]
        .map(history);
        assert!(one.difference(&same).is_none());
        assert_eq!(one.hash(), same.hash());
        let (here, there) = one.difference(&other).unwrap();
        assert_eq!((here.unwrap().image, there.unwrap().image), (1, 2));
        assert_ne!(one.hash(), other.hash());
        let (here, there) = one.difference(&longer).unwrap();
        assert!(here.is_none());
        let expected = format!("lock at {}:", file!());
        assert!(there.unwrap().to_string().starts_with(&expected));
        assert_ne!(one.hash(), longer.hash());
    }
}
