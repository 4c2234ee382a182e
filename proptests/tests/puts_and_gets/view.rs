//! A part of a place, reached natively, and the ways to get from it and to put to it.

use coarray::asynchronous::async_scope;
use coarray::ndarray::{Array2, ShapeBuilder};
use coarray::places::{Access, ReadWrite, Region, Section, Selector};
use coarray::{Coref, quiet};
use coarray_proptests::{Bounds, COLUMNS, Part, Sample};

/// What indexing gave.
pub enum View<'a, T: Sample, A: Access> {
    One(&'a Coref<T, A>),
    Run(&'a Coref<[T], A>),
    Row(&'a Coref<[T; COLUMNS], A>),
    Rows(&'a Coref<[[T; COLUMNS]], A>),
    Strided(Section<'a, T, A>),
    Block(Region<'a, T, 2, A>),
}

/// Writes a range in all ways there are.
macro_rules! range {
    ($place:expr, $bounds:expr, $range:expr) => {
        match ($bounds, $range) {
            (Bounds::Full, _) => &$place[..],
            (Bounds::From, range) => &$place[range.start..],
            (Bounds::To, range) => &$place[..range.end],
            (Bounds::Inclusive, range) if !range.is_empty() => &$place[range.start..=range.end - 1],
            (Bounds::ToInclusive, range) if !range.is_empty() => &$place[..=range.end - 1],
            (_, range) => &$place[range],
        }
    };
}

/// Indexing of elements in a row, and of matrices, which looks alike for all their types.
macro_rules! views {
    ($flat:ident, $matrix:ident, $elements:ty, $rows:ty $(, $($extent:tt)*)?) => {
        /// A part of elements in a row; `None` for rows and columns.
        pub fn $flat<'a, T: Sample, A: Access $(, $($extent)*)?>(
            place: &'a Coref<$elements, A>,
            part: &Part,
        ) -> Option<View<'a, T, A>> {
            Some(match part.clone() {
                Part::Element(element) => View::One(&place[element]),
                Part::Range(bounds, elements) => View::Run(range!(place, bounds, elements)),
                Part::Section(elements, step) => View::Strided(place.section(elements, step)),
                _ => return None,
            })
        }

        /// A part of a matrix; `None` for runs of elements that take no notice of rows.
        pub fn $matrix<'a, T: Sample, A: Access $(, $($extent)*)?>(
            place: &'a Coref<$rows, A>,
            part: &Part,
        ) -> Option<View<'a, T, A>> {
            Some(match part.clone() {
                Part::Element(element) if element < place[..].len() * COLUMNS => {
                    View::One(&place[element / COLUMNS][element % COLUMNS])
                }
                Part::Row(row) => View::Row(&place[row]),
                Part::Rows(bounds, rows) => View::Rows(range!(place, bounds, rows)),
                Part::Column(column) => View::Strided(place.column(column)),
                Part::InRow(row, elements, step) => View::Strided(place[row].section(elements, step)),
                Part::Block([rows, columns], steps) => View::Block(
                    place.region((rows.every(steps[0]), columns.every(steps[1]))),
                ),
                _ => return None,
            })
        }
    };
}

views!(of_array, of_bounded_matrix, [T; N], [[T; COLUMNS]; N], const N: usize);
views!(of_slice, of_unbounded_matrix, [T], [[T; COLUMNS]]);

/// Values for a get to overwrite.
fn blank<T: Sample>(count: usize) -> Vec<T> {
    vec![T::sample(0); count]
}

/// Gets a region, in one of several ways.
fn get_region<T: Sample, const D: usize, A: Access>(
    region: &Region<'_, T, D, A>,
    way: usize,
) -> Vec<T> {
    let mut values = blank(region.len());
    match way % 4 {
        0 => return region.to_vec(),
        1 => region.get_into(&mut values),
        2 => async_scope(|scope| drop(region.get_into_async(&mut values, scope))),
        _ => async_scope(|scope| {
            let fetched = region.get_into_async(&mut values, scope);
            assert_eq!(fetched.wait().len(), region.len());
        }),
    }
    values
}

/// Puts to a region, in one of several ways.
fn put_region<T: Sample, const D: usize>(
    region: &Region<'_, T, D, ReadWrite>,
    values: &[T],
    way: usize,
) {
    match way % 4 {
        0 => region.put_from(values),
        1 => async_scope(|scope| drop(region.put_from_async(values, scope))),
        2 => async_scope(|scope| region.put_from_async(values, scope).wait()),
        _ => {
            region.put_from(values);
            quiet();
        }
    }
}

impl<T: Sample, A: Access> View<'_, T, A> {
    /// Gets all values, in one of several ways.
    pub fn get(&self, way: usize) -> Vec<T> {
        match self {
            Self::One(place) => match way % 2 {
                0 => vec![place.get()],
                _ => {
                    let mut value = T::sample(0);
                    place.get_into(&mut value);
                    vec![value]
                }
            },
            Self::Run(place) => match way % 5 {
                0 => place.to_vec(),
                1 => place.remote_clone(),
                2 => place.iter().map(Coref::get).collect(),
                3 => (0..place.len()).map(|index| place[index].get()).collect(),
                _ => {
                    let mut values = blank(place.len());
                    place.get_into(&mut values);
                    values
                }
            },
            Self::Row(place) => match way % 4 {
                0 => place.get().to_vec(),
                1 => place[..].to_vec(),
                2 => place.iter().map(Coref::get).collect(),
                _ => {
                    let mut row = [T::sample(0); COLUMNS];
                    place.get_into(&mut row);
                    row.to_vec()
                }
            },
            Self::Rows(place) => match way % 3 {
                0 => place.to_vec().into_flattened(),
                1 => place.into_iter().flat_map(Coref::get).collect(),
                _ => {
                    let mut rows = vec![[T::sample(0); COLUMNS]; place.len()];
                    place.get_into(&mut rows);
                    rows.into_flattened()
                }
            },
            Self::Strided(section) => match way % 5 {
                0 => section.into_iter().map(Coref::get).collect(),
                1 => (0..section.len())
                    .map(|index| section[index].get())
                    .collect(),
                _ => get_region(section, way),
            },
            Self::Block(block) => match way % 4 {
                0 => {
                    let [rows, columns] = block.extents();
                    let shape = (rows, columns).set_f(way.is_multiple_of(8));
                    let mut values = Array2::from_elem(shape, T::sample(0));
                    block.get_into_array(&mut values);
                    values.iter().copied().collect()
                }
                _ => get_region(block, way),
            },
        }
    }
}

impl<T: Sample> View<'_, T, coarray::places::ReadWrite> {
    /// Puts values, in one of several ways.
    pub fn put(&self, values: &[T], way: usize) {
        match self {
            Self::One(place) => match way % 2 {
                0 => place.put(values[0]),
                _ => place.put_from(&values[0]),
            },
            Self::Run(place) => match way % 2 {
                0 => place.put_from(values),
                _ => place
                    .iter()
                    .zip(values)
                    .for_each(|(place, value)| place.put(*value)),
            },
            Self::Row(place) => {
                let row = values.first_chunk().expect("a row of values");
                match way % 3 {
                    0 => place.put(*row),
                    1 => place.put_from(row),
                    _ => place[..].put_from(row),
                }
            }
            Self::Rows(place) => {
                let (rows, _) = values.as_chunks();
                match way % 2 {
                    0 => place.put_from(rows),
                    _ => place
                        .iter()
                        .zip(rows)
                        .for_each(|(place, row)| place.put(*row)),
                }
            }
            Self::Strided(section) => match way % 3 {
                0 => (0..values.len()).for_each(|index| section[index].put(values[index])),
                _ => put_region(section, values, way),
            },
            Self::Block(block) => match way % 3 {
                0 => {
                    let extents = block.extents();
                    let array = Array2::from_shape_vec(extents, values.to_vec()).unwrap();
                    let columns_first = array.t().to_owned();
                    block.put_from_array(&columns_first.t());
                }
                _ => put_region(block, values, way),
            },
        }
    }

    /// Puts one value everywhere.
    pub fn fill(&self, value: T) {
        match self {
            Self::One(place) => place.fill(value),
            Self::Run(place) => place.fill(value),
            Self::Row(place) => place.fill(value),
            Self::Rows(place) => place.fill(value),
            Self::Strided(section) => section.fill(value),
            Self::Block(block) => match block.len() % 2 {
                0 => block.fill(value),
                _ => drop(block.fill_async(value)),
            },
        }
    }

    /// Copies from a part of the same kind.
    pub fn copy_from(&self, source: &Self) {
        match (self, source) {
            (Self::One(place), Self::One(source)) => place.copy_from(source),
            (Self::Run(place), Self::Run(source)) => place.copy_from(source),
            (Self::Row(place), Self::Row(source)) => place.copy_from(source),
            (Self::Rows(place), Self::Rows(source)) => place.copy_from(source),
            (Self::Strided(place), Self::Strided(source)) => place.copy_from(source),
            (Self::Block(place), Self::Block(source)) => match place.len() % 2 {
                0 => place.copy_from(source),
                _ => drop(place.copy_from_async(source)),
            },
            _ => unreachable!("twins are of the same kind"),
        }
    }
}
