//! Which elements an index, a range, a section, a row or a column means.

use std::ops::Range;

use proptest::prelude::*;
use proptest::sample::Index;

/// The length of the rows of all matrices here.
pub const COLUMNS: usize = 3;

/// The ways to write a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// `..`
    Full,
    /// `a..`
    From,
    /// `..b`
    To,
    /// `a..b`
    Half,
    /// `a..=b`
    Inclusive,
    /// `..=b`
    ToInclusive,
}

impl Bounds {
    const ALL: [Self; 6] = [
        Self::Full,
        Self::From,
        Self::To,
        Self::Half,
        Self::Inclusive,
        Self::ToInclusive,
    ];

    /// Replaces the ends that this way of writing leaves out.
    fn complete(self, range: Range<usize>, extent: usize) -> Range<usize> {
        match self {
            Self::Full => 0..extent,
            Self::From => range.start..extent,
            Self::To | Self::ToInclusive => 0..range.end,
            Self::Half | Self::Inclusive => range,
        }
    }
}

/// A part of an image's elements; rows are [`COLUMNS`] elements long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// All elements.
    Whole,
    /// One element.
    Element(usize),
    /// A range of elements.
    Range(Bounds, Range<usize>),
    /// Every so-manieth element of a range.
    Section(Range<usize>, usize),
    /// A row.
    Row(usize),
    /// A range of rows.
    Rows(Bounds, Range<usize>),
    /// An element of each row.
    Column(usize),
    /// Every so-manieth element of a range of a row.
    InRow(usize, Range<usize>, usize),
    /// Every so-manieth element of a range of columns, of every so-manieth row of a range.
    Block([Range<usize>; 2], [usize; 2]),
}

impl Part {
    /// The positions of the elements, of `extent` there are, in the order in which they are moved.
    #[must_use]
    pub fn elements(&self, extent: usize) -> Vec<usize> {
        let row = |row: usize| row * COLUMNS..(row + 1) * COLUMNS;
        match self.clone() {
            Self::Whole => (0..extent).collect(),
            Self::Element(element) => vec![element],
            Self::Range(_, range) => range.collect(),
            Self::Section(range, step) => range.step_by(step).collect(),
            Self::Row(index) => row(index).collect(),
            Self::Rows(_, rows) => rows.flat_map(row).collect(),
            Self::Column(column) => (0..extent / COLUMNS)
                .map(|index| index * COLUMNS + column)
                .collect(),
            Self::InRow(index, range, step) => row(index)
                .skip(range.start)
                .take(range.len())
                .step_by(step)
                .collect(),
            Self::Block([rows, columns], steps) => rows
                .step_by(steps[0])
                .flat_map(|row| {
                    let columns = columns.clone().step_by(steps[1]);
                    columns.map(move |column| row * COLUMNS + column)
                })
                .collect(),
        }
    }

    /// Another part of the same kind and size.
    #[must_use]
    pub fn twin(&self, extent: usize, pick: Index) -> Self {
        let shift = |range: &Range<usize>, extent: usize| {
            let start = pick.index(extent - range.len() + 1);
            start..start + range.len()
        };
        match self {
            Self::Whole => Self::Whole,
            Self::Element(_) => Self::Element(pick.index(extent)),
            Self::Range(_, range) => Self::Range(Bounds::Half, shift(range, extent)),
            Self::Section(range, step) => Self::Section(shift(range, extent), *step),
            Self::Row(_) => Self::Row(pick.index(extent / COLUMNS)),
            Self::Rows(_, rows) => Self::Rows(Bounds::Half, shift(rows, extent / COLUMNS)),
            Self::Column(_) => Self::Column(pick.index(COLUMNS)),
            Self::InRow(_, range, step) => {
                Self::InRow(pick.index(extent / COLUMNS), range.clone(), *step)
            }
            Self::Block([rows, columns], steps) => Self::Block(
                [shift(rows, extent / COLUMNS), shift(columns, COLUMNS)],
                *steps,
            ),
        }
    }
}

/// A part for any number of elements.
#[derive(Clone, Debug)]
pub struct RawPart {
    kind: Index,
    bounds: Bounds,
    ends: [Index; 2],
    step: usize,
}

impl RawPart {
    /// Any part.
    pub fn any() -> impl Strategy<Value = Self> {
        let bounds = prop::sample::select(&Bounds::ALL[..]);
        (any::<Index>(), bounds, any::<[Index; 2]>(), 1usize..6).prop_map(
            |(kind, bounds, ends, step)| Self {
                kind,
                bounds,
                ends,
                step,
            },
        )
    }

    /// The part for `extent` elements.
    #[must_use]
    pub fn of(&self, extent: usize) -> Part {
        let rows = extent / COLUMNS;
        let first = |extent: usize| self.ends[0].index(extent);
        let range = |extent: usize| {
            let [one, other] = self.ends.map(|end| end.index(extent + 1));
            one.min(other)..one.max(other)
        };
        let kinds = if rows > 0 {
            10
        } else if extent > 0 {
            4
        } else {
            3
        };
        match self.kind.index(kinds) {
            0 => Part::Whole,
            1 => Part::Range(self.bounds, self.bounds.complete(range(extent), extent)),
            2 => Part::Section(range(extent), self.step),
            3 => Part::Element(first(extent)),
            4 => Part::Row(first(rows)),
            5 => Part::Rows(self.bounds, self.bounds.complete(range(rows), rows)),
            6 => Part::Column(first(COLUMNS)),
            7 => Part::InRow(first(rows), range(COLUMNS), self.step),
            kind => {
                let columns = [0..COLUMNS, 1..COLUMNS, 0..2, 1..2][self.step % 4].clone();
                Part::Block([range(rows), columns], [self.step, kind - 7])
            }
        }
    }
}
