//! What an operation accesses, and which two operations must take effect in the order in which they were issued.

/// Whether an operation writes or reads the target's memory, or does both to a word at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Put,
    Get,
    /// An atomic operation whose order among others on the same word the library below keeps, or which does not matter.
    Atomic,
}

/// The bits of a direction.
const DIRECTION: usize = 3;

/// The bytes in the part of an image that an operation accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// The image, and below it the direction. In one word: who copies an access, and reads two narrower ones as one, waits until the stores of
    /// both have reached the cache.
    target: usize,
    start: usize,
    end: usize,
}

impl Access {
    /// No bytes.
    pub(crate) const NONE: Self = Self {
        target: 0,
        start: 0,
        end: 0,
    };

    #[inline]
    pub(crate) fn new(image: usize, direction: Direction, start: usize, length: usize) -> Self {
        Self {
            target: image * (DIRECTION + 1) + direction as usize,
            start,
            end: start + length,
        }
    }

    /// Whether the two must take effect in order.
    #[inline]
    pub(crate) fn conflicts(self, other: Self) -> bool {
        let are_alike = self.target == other.target && self.direction() != Direction::Put;
        self.image() == other.image()
            && self.start < other.end
            && other.start < self.end
            && !are_alike
    }

    #[inline]
    pub(crate) fn image(self) -> usize {
        self.target / (DIRECTION + 1)
    }

    #[inline]
    pub(crate) fn direction(self) -> Direction {
        match self.target & DIRECTION {
            0 => Direction::Put,
            1 => Direction::Get,
            _ => Direction::Atomic,
        }
    }

    #[inline]
    pub(crate) fn start(self) -> usize {
        self.start
    }

    #[inline]
    pub(crate) fn end(self) -> usize {
        self.end
    }

    /// Both together, if the other one continues this one: programs that access one element after the other make one range.
    #[inline]
    pub(crate) fn joined(self, next: Self) -> Option<Self> {
        let continues = (self.target, self.end) == (next.target, next.start);
        let start = self.start;
        continues.then_some(Self { start, ..next })
    }

    /// The range from this one to the other one, if that comes after it: what conflicts with either conflicts with it.
    #[inline]
    pub(crate) fn up_to(self, next: Self) -> Option<Self> {
        let comes_after = self.target == next.target && self.end <= next.start;
        let start = self.start;
        comes_after.then_some(Self { start, ..next })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_reads_and_two_atomic_operations_on_the_same_bytes_do_not_conflict() {
        let access = |direction, start, end| Access::new(1, direction, start, end - start);
        let (put, get, atomic) = (Direction::Put, Direction::Get, Direction::Atomic);
        let all = [put, get, atomic].map(|first| [put, get, atomic].map(|second| (first, second)));
        for &(first, second) in all.as_flattened() {
            let conflicts =
                |start, end| access(first, 10, 20).conflicts(access(second, start, end));
            let expected = first != second || first == put;
            assert_eq!([conflicts(19, 21), conflicts(0, 11)], [expected; 2]);
            assert_eq!([conflicts(12, 13), conflicts(0, 100)], [expected; 2]);
            assert!(!conflicts(20, 30) && !conflicts(0, 10));
        }
        assert!(!access(put, 10, 20).conflicts(Access::new(2, put, 10, 10)));
    }

    #[test]
    fn only_what_continues_in_the_same_direction_is_joined() {
        let put = |start, length| Access::new(1, Direction::Put, start, length);
        let both = put(8, 8).joined(put(16, 4)).unwrap();
        assert_eq!((both.image(), both.start(), both.end()), (1, 8, 20));
        assert!(put(8, 8).joined(put(17, 4)).is_none());
        assert_eq!(put(8, 8).up_to(put(17, 4)), Some(put(8, 13)));
        assert!(put(8, 8).up_to(put(15, 4)).is_none() && put(8, 8).up_to(put(0, 8)).is_none());
        assert!(
            put(8, 8)
                .joined(Access::new(1, Direction::Get, 16, 4))
                .is_none()
        );
        assert!(
            put(8, 8)
                .joined(Access::new(0, Direction::Put, 16, 4))
                .is_none()
        );
    }
}
