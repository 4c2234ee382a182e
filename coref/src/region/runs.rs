//! The runs of bytes in which a copy between two strided places moves them.
//!
//! Dimensions that continue each other in both places are merged, the bytes of an item among them. So rows of whole matrices
//! become one run, and a column of each plane of a block one dimension.

use std::array;

pub(crate) use coarray_fabric::Run;
use coarray_fabric::StridedAxis;

/// A dimension of both places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) count: usize,
    /// Bytes from one item to the next.
    pub(super) to: isize,
    pub(super) from: isize,
}

impl Axis {
    /// Whether one step of this dimension, in both places, is as long as all those of `inner`.
    #[inline]
    fn goes_on_from(&self, inner: &Self) -> bool {
        let count = inner.count as isize;
        (self.to, self.from) == (inner.to * count, inner.from * count)
    }
}

const NOT_THERE: Axis = Axis {
    count: 1,
    to: 0,
    from: 0,
};

/// The runs of a copy, in row order.
#[derive(Clone, Debug)]
pub(crate) struct Runs<const D: usize> {
    /// Bytes of each run.
    length: usize,
    /// What the runs count, innermost first.
    axes: [Axis; D],
    at: [usize; D],
    next: Run,
    left: usize,
}

impl<const D: usize> Runs<D> {
    /// The runs of items of `size` bytes in these dimensions, the outermost first.
    ///
    /// Each dimension moves those around it up by one place. So all places have constant indices, and what is made here is never
    /// in memory: a processor that reads back 16 bytes which it wrote as two words has to wait until all its stores are done.
    #[inline]
    pub(super) fn new(size: usize, dimensions: [Axis; D]) -> Self {
        let mut axes = [NOT_THERE; D];
        let mut items = usize::from(size > 0);
        for axis in dimensions {
            items *= axis.count;
            if axis.count <= 1 {
                continue;
            }
            if axes[0].goes_on_from(&axis) {
                let count = axes[0].count * axis.count;
                axes[0] = Axis { count, ..axis };
            } else {
                for outer in (1..D).rev() {
                    axes[outer] = axes[outer - 1];
                }
                axes[0] = axis;
            }
        }
        let item = Axis {
            count: size,
            to: 1,
            from: 1,
        };
        let mut length = size;
        if D > 0 && axes[0].goes_on_from(&item) {
            length *= axes[0].count;
            for inner in 1..D {
                axes[inner - 1] = axes[inner];
            }
            axes[D - 1] = NOT_THERE;
        }
        let left = match items {
            0 => 0,
            _ => axes.iter().map(|axis| axis.count).product(),
        };
        Self {
            length,
            axes,
            at: array::from_fn(|_| 0),
            next: Run { to: 0, from: 0 },
            left,
        }
    }

    /// Bytes of each run.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The dimensions of a put of these runs.
    pub(super) fn axes_to(&self) -> [StridedAxis; D] {
        self.axes.map(|Axis { count, to, from }| StridedAxis {
            count,
            here: from,
            there: to,
        })
    }

    /// The dimensions of a get of these runs.
    pub(super) fn axes_from(&self) -> [StridedAxis; D] {
        self.axes.map(|Axis { count, to, from }| StridedAxis {
            count,
            here: to,
            there: from,
        })
    }

    /// Goes on by `steps` in the innermost dimension, which has that many left. Always inlined: who took a pointer would need the
    /// runs in memory.
    #[inline(always)]
    fn advance(&mut self, steps: usize) {
        self.left -= steps;
        let mut steps = steps;
        for (axis, at) in self.axes.iter().zip(&mut self.at) {
            *at += steps;
            self.next.to += steps as isize * axis.to;
            self.next.from += steps as isize * axis.from;
            if *at < axis.count {
                return;
            }
            *at = 0;
            self.next.to -= axis.count as isize * axis.to;
            self.next.from -= axis.count as isize * axis.from;
            steps = 1;
        }
    }
}

impl<const D: usize> Iterator for Runs<D> {
    type Item = Run;

    #[inline]
    fn next(&mut self) -> Option<Run> {
        if self.left == 0 {
            return None;
        }
        let run = self.next;
        self.advance(1);
        Some(run)
    }

    /// A loop over the innermost dimension, which the compiler can unroll.
    #[inline]
    fn fold<B, F: FnMut(B, Run) -> B>(mut self, mut folded: B, mut step: F) -> B {
        let Some(&innermost) = self.axes.first() else {
            return (0..self.left).fold(folded, |folded, _| step(folded, self.next));
        };
        while self.left > 0 {
            let mut run = self.next;
            let steps = innermost.count - self.at[0];
            for _ in 0..steps {
                folded = step(folded, run);
                run.to += innermost.to;
                run.from += innermost.from;
            }
            self.advance(steps);
        }
        folded
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<const D: usize> ExactSizeIterator for Runs<D> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(count: usize, to: isize, from: isize) -> Axis {
        Axis { count, to, from }
    }

    fn all<const D: usize>(runs: &Runs<D>) -> Vec<(isize, isize)> {
        let one_by_one: Vec<_> = runs.clone().map(|run| (run.to, run.from)).collect();
        let mut rest = runs.clone();
        let mut in_parts: Vec<_> = rest.next().into_iter().collect();
        rest.for_each(|run| in_parts.push(run));
        assert!(
            one_by_one.iter().eq(in_parts
                .iter()
                .map(|run| (run.to, run.from))
                .collect::<Vec<_>>()
                .iter())
        );
        one_by_one
    }

    #[test]
    fn what_continues_in_both_places_is_one_run() {
        let whole = Runs::new(8, [axis(4, 48, 48), axis(3, 16, 16), axis(2, 8, 8)]);
        assert_eq!((whole.length(), all(&whole)), (192, vec![(0, 0)]));
        let rows = Runs::new(8, [axis(2, 100, 16), axis(2, 8, 8)]);
        assert_eq!((rows.length(), all(&rows)), (16, vec![(0, 0), (100, 16)]));
        let columns = Runs::new(1, [axis(2, 2, 40), axis(2, 1, 10)]);
        assert_eq!(columns.length(), 1);
        assert_eq!(all(&columns), [(0, 0), (1, 10), (2, 40), (3, 50)]);
    }

    #[test]
    fn a_column_of_each_plane_is_one_dimension() {
        let runs = Runs::new(8, [axis(3, 80, 16), axis(2, 40, 8), axis(1, 8, 8)]);
        assert_eq!(runs.axes[0], axis(6, 40, 8));
        assert_eq!(runs.axes[1..], [NOT_THERE; 2]);
        assert_eq!(all(&runs).len(), 6);
    }

    #[test]
    fn places_may_go_backwards() {
        let runs = Runs::new(4, [axis(3, -8, 4)]);
        assert_eq!(all(&runs), [(0, 0), (-8, 4), (-16, 8)]);
    }

    #[test]
    fn one_item_without_dimensions_is_one_run() {
        let item = Runs::new(8, []);
        assert_eq!((item.length(), all(&item)), (8, vec![(0, 0)]));
        let mut at_once = Vec::new();
        item.for_each(|run| at_once.push(run));
        assert_eq!(at_once, [Run { to: 0, from: 0 }]);
        assert_eq!(all(&Runs::new(0, [])), []);
    }

    #[test]
    fn nothing_has_no_runs() {
        for count in [0, 1, 5] {
            assert_eq!(all(&Runs::new(0, [axis(count, 8, 8)])), []);
            assert_eq!(all(&Runs::new(8, [axis(count, 8, 8), axis(0, 8, 8)])), []);
            assert_eq!(all(&Runs::new(8, [axis(0, 8, 8), axis(count, 8, 8)])), []);
        }
    }
}
