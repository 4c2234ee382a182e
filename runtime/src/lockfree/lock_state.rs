//! The word of a lock. It names images by their numbers plus one.

#[inline]
pub(crate) fn packed(image: Option<usize>) -> u64 {
    image.map_or(0, |image| image as u64 + 1)
}

/// Why an image does not get a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotAcquired {
    /// That image holds it.
    Busy(usize),
    /// It holds the lock already.
    AlreadyHeld,
    /// That image failed or panicked while it held it.
    Poisoned(usize),
    /// Another image still held it at the deadline.
    TimedOut,
    /// The job has ended.
    Ended,
}

/// A node in a queue. Each image has one for waits that end with the lock, and one for waits with a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) image: usize,
    pub(crate) has_deadline: bool,
}

impl Node {
    /// Its number in the words of locks and nodes; not 0.
    #[inline]
    pub(crate) fn number(self) -> u64 {
        packed(Some(2 * self.image + usize::from(self.has_deadline)))
    }

    #[inline]
    pub(crate) fn numbered(number: u64) -> Option<Self> {
        let index = (number as usize).checked_sub(1)?;
        Some(Self {
            image: index / 2,
            has_deadline: index % 2 == 1,
        })
    }
}

/// The holder of a lock, the last node in its queue, and the image whose failure poisoned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(pub(crate) u64);

/// Where the last node and the poisoner are; the holder is below.
const LAST: u32 = 21;
const POISONER: u32 = 43;

const HOLDER: u64 = (1 << LAST) - 1;

impl State {
    pub(crate) const FREE: Self = Self(0);

    /// All bits but those of the poisoner.
    pub(crate) const UNPOISONED: u64 = (1 << POISONER) - 1;

    #[inline]
    pub(crate) fn holder(self) -> Option<usize> {
        ((self.0 & HOLDER) as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn last(self) -> Option<Node> {
        Node::numbered((self.0 & Self::UNPOISONED) >> LAST)
    }

    #[inline]
    pub(crate) fn poisoner(self) -> Option<usize> {
        ((self.0 >> POISONER) as usize).checked_sub(1)
    }

    /// Held by `image`, behind which nobody waits.
    #[inline]
    pub(crate) fn alone(image: usize) -> Self {
        let node = Node {
            image,
            has_deadline: false,
        };
        Self::FREE.held_by(image).with_last(node)
    }

    #[inline]
    pub(crate) fn held_by(self, image: usize) -> Self {
        Self(self.0 & !HOLDER | packed(Some(image)))
    }

    #[inline]
    pub(crate) fn with_last(self, last: Node) -> Self {
        Self(self.0 & (!Self::UNPOISONED | HOLDER) | last.number() << LAST)
    }

    #[inline]
    pub(crate) fn freed(self) -> Self {
        Self(self.0 & !Self::UNPOISONED)
    }

    #[inline]
    pub(crate) fn poisoned_by(self, image: Option<usize>) -> Self {
        match image {
            Some(_) => Self(self.0 & Self::UNPOISONED | packed(image) << POISONER),
            None => self,
        }
    }
}
