//! Runs of bytes, and those at equal distances, in several dimensions: blocks of arrays.

/// Bytes that lie side by side at both ends of a copy, from these offsets on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where they go.
    pub to: isize,
    /// Where they are.
    pub from: isize,
}

impl Run {
    /// The other way.
    #[inline]
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            to: self.from,
            from: self.to,
        }
    }
}

/// Where the runs of a copy are, at both ends.
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a> {
    /// Bytes of each run.
    pub length: usize,
    /// The dimensions that the runs count, innermost first.
    pub axes: &'a [StridedAxis],
}

/// A dimension of a block at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StridedAxis {
    /// How many there are.
    pub count: usize,
    /// Bytes from one to the next in this image's memory.
    pub here: isize,
    /// Bytes from one to the next in the part of the other image; not negative.
    pub there: isize,
}

/// The offset of the first of runs whose places ascend, and the bytes from there to the end of the last.
#[must_use]
pub(crate) fn reach_of(runs: &[Run], length: usize) -> (isize, usize) {
    let [first, .., last] = runs else {
        return runs.first().map_or((0, 0), |run| (run.to, length));
    };
    (first.to, first.to.abs_diff(last.to) + length)
}

impl Strided<'_> {
    /// Bytes from the first to the last in the part of the other image.
    #[must_use]
    pub fn span(&self) -> usize {
        let steps = |axis: &StridedAxis| (axis.count - 1) * axis.there.unsigned_abs();
        self.axes.iter().map(steps).sum::<usize>() + self.length
    }

    /// All bytes that are copied.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.axes.iter().map(|axis| axis.count).product::<usize>() * self.length
    }

    /// Whether they lie side by side in this image's memory, in row order.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        let mut length = self.length;
        self.axes.iter().filter(|axis| axis.count > 1).all(|axis| {
            let follows = axis.here == length as isize;
            length *= axis.count;
            follows
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(count: usize, here: isize, there: isize) -> StridedAxis {
        StridedAxis { count, here, there }
    }

    #[test]
    fn a_block_knows_its_bytes_and_its_span() {
        let axes = [axis(3, 8, 100), axis(1, 0, 0), axis(2, 24, 1000)];
        let block = Strided {
            length: 8,
            axes: &axes,
        };
        assert_eq!((block.bytes(), block.span()), (48, 1208));
        assert!(block.is_packed());
        let turned = [axis(3, 16, 100), axis(2, 8, 1000)];
        let turned = Strided {
            length: 8,
            axes: &turned,
        };
        assert!(!turned.is_packed());
    }
}
