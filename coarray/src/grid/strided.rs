//! Copies of boxes of cells, from one layout to another.

use std::ptr;

use super::layout::{Cells, Layout};

/// A copy of a box of cells between two parts: loops around a run of cells that lie side by side in both.
#[derive(Clone, Debug)]
pub(super) struct StridedCopy {
    /// The first cell in either part.
    source: usize,
    target: usize,
    /// How many cells lie side by side.
    run: usize,
    /// The outermost first.
    loops: Vec<Loop>,
}

/// A repetition at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Loop {
    count: usize,
    source_step: usize,
    target_step: usize,
}

impl StridedCopy {
    /// The copy of the box `source` of one part to the box `target` of another, which has the same shape and at least one cell.
    pub(super) fn new<const D: usize>(
        from: &Layout<D>,
        source: &Cells<D>,
        to: &Layout<D>,
        target: &Cells<D>,
    ) -> Self {
        let (source_strides, target_strides) = (from.strides(), to.strides());
        let mut run = 1;
        let mut loops: Vec<Loop> = Vec::with_capacity(D);
        for axis in (0..D).rev() {
            let next = Loop {
                count: source[axis].len(),
                source_step: source_strides[axis],
                target_step: target_strides[axis],
            };
            assert_eq!(next.count, target[axis].len(), "boxes of different shapes");
            if next.count == 1 {
                continue;
            }
            // Axes on which the boxes are whole in both parts need no loop of their own.
            match loops.last_mut() {
                None if next.follows(run, run) => run *= next.count,
                Some(inner)
                    if next.follows(
                        inner.count * inner.source_step,
                        inner.count * inner.target_step,
                    ) =>
                {
                    inner.count *= next.count;
                }
                _ => loops.push(next),
            }
        }
        loops.reverse();
        let first = |cells: &Cells<D>| std::array::from_fn(|axis| cells[axis].start);
        Self {
            source: from.offset(first(source)),
            target: to.offset(first(target)),
            run,
            loops,
        }
    }

    /// The same copy from a source that begins `cells` cells later.
    pub(super) fn with_later_source(mut self, cells: usize) -> Self {
        self.source += cells;
        self
    }

    /// Whether it consists of several runs of less than `long` cells.
    pub(super) fn is_scattered(&self, long: usize) -> bool {
        !self.loops.is_empty() && self.run < long
    }

    /// How many cells it copies.
    pub(super) fn cells(&self) -> usize {
        let runs: usize = self.loops.iter().map(|each| each.count).product();
        runs * self.run
    }

    /// Copies cells within memory that this image reaches.
    ///
    /// # Safety
    /// `source` and `target` point to the first cells of memory with the two layouts of this copy. The cells of the source box
    /// are valid and nobody writes to them. The cells of the target box are valid for writes and nobody else accesses them. The
    /// two boxes have no cell in common.
    pub(super) unsafe fn copy<T: Copy>(&self, source: *const T, target: *mut T) {
        // SAFETY: the caller vouches that the cells of the source box are valid for reads, those of the target box for writes, and
        // that the boxes are disjoint; the loops reach these cells only, in runs of `self.run`.
        unsafe {
            let (source, target) = (source.add(self.source), target.add(self.target));
            match self.run {
                1 => copy_loops(&self.loops, source, target, &|from, to| {
                    one::<T, 1>(from, to)
                }),
                2 => copy_loops(&self.loops, source, target, &|from, to| {
                    one::<T, 2>(from, to)
                }),
                3 => copy_loops(&self.loops, source, target, &|from, to| {
                    one::<T, 3>(from, to)
                }),
                4 => copy_loops(&self.loops, source, target, &|from, to| {
                    one::<T, 4>(from, to)
                }),
                run => copy_loops(&self.loops, source, target, &|from, to| {
                    ptr::copy_nonoverlapping(from, to, run);
                }),
            }
        }
    }

    /// Calls `visit` with the first cells, counted from those of the parts, of each pair of runs, and their length.
    pub(super) fn each_run(&self, mut visit: impl FnMut(usize, usize, usize)) {
        each_run(
            &self.loops,
            self.source,
            self.target,
            &mut |source, target| {
                visit(source, target, self.run);
            },
        );
    }
}

impl Loop {
    /// Whether its steps have these lengths.
    fn follows(&self, source: usize, target: usize) -> bool {
        (self.source_step, self.target_step) == (source, target)
    }
}

fn each_run(loops: &[Loop], source: usize, target: usize, visit: &mut impl FnMut(usize, usize)) {
    match loops {
        [] => visit(source, target),
        [outer, inner @ ..] => {
            for index in 0..outer.count {
                each_run(
                    inner,
                    source + index * outer.source_step,
                    target + index * outer.target_step,
                    visit,
                );
            }
        }
    }
}

/// Copies `N` cells that lie side by side, where the compiler knows `N`.
///
/// # Safety
/// As `ptr::copy_nonoverlapping` of `N` cells.
#[inline(always)]
unsafe fn one<T: Copy, const N: usize>(source: *const T, target: *mut T) {
    // SAFETY: the caller vouches for `N` aligned cells that are valid for reads and for writes; `[T; N]` is `N` cells side by side,
    // with the alignment of `T` (the Reference, "Array layout").
    unsafe {
        target
            .cast::<[T; N]>()
            .write(source.cast::<[T; N]>().read())
    }
}

/// # Safety
/// `run` may be called with the first cells of each pair of runs.
#[inline(always)]
unsafe fn copy_loops<T>(
    loops: &[Loop],
    source: *const T,
    target: *mut T,
    run: &impl Fn(*const T, *mut T),
) {
    // SAFETY: every pointer that the loops compute is the first cell of a run in its box, and the caller vouches that `run` may be
    // called with these.
    unsafe {
        match loops {
            [] => run(source, target),
            [only] => innermost(only, source, target, run),
            [outer, inner @ ..] => {
                for index in 0..outer.count {
                    let source = source.add(index * outer.source_step);
                    let target = target.add(index * outer.target_step);
                    match inner {
                        [only] => innermost(only, source, target, run),
                        _ => copy_inner(inner, source, target, run),
                    }
                }
            }
        }
    }
}

/// The inner loops where there are more than two. Not inlined, as it calls itself.
///
/// # Safety
/// As [`copy_loops`].
unsafe fn copy_inner<T>(
    loops: &[Loop],
    source: *const T,
    target: *mut T,
    run: &impl Fn(*const T, *mut T),
) {
    // SAFETY: every pointer that the loops compute is the first cell of a run in its box, and the caller vouches that `run` may be
    // called with these.
    unsafe {
        match loops {
            [] => run(source, target),
            [only] => innermost(only, source, target, run),
            [outer, inner @ ..] => {
                for index in 0..outer.count {
                    copy_inner(
                        inner,
                        source.add(index * outer.source_step),
                        target.add(index * outer.target_step),
                        run,
                    );
                }
            }
        }
    }
}

/// # Safety
/// As [`copy_loops`].
#[inline(always)]
unsafe fn innermost<T>(
    only: &Loop,
    source: *const T,
    target: *mut T,
    run: &impl Fn(*const T, *mut T),
) {
    let Loop {
        count,
        source_step,
        target_step,
    } = *only;
    for index in 0..count {
        // SAFETY: both pointers are first cells of runs in their boxes, and the caller vouches that `run` may be called with these.
        unsafe {
            run(
                source.add(index * source_step),
                target.add(index * target_step),
            );
        }
    }
}
