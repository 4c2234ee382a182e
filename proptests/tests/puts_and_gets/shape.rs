//! The shapes of coarrays, each with its native indexing; casts reach the rest.

use coarray::places::{Access, Shape, Values, ValuesMut};
use coarray::{Bounded, Coarray, Coref, Remote};
use coarray_proptests::{COLUMNS, Part, Sample};

use crate::view::{View, of_array, of_bounded_matrix, of_slice, of_unbounded_matrix};

/// Rows of the matrix with bounds.
pub const ROWS: usize = 4;

/// Elements of the array with bounds. It has as many as the matrix, and then two.
pub const LENGTH: usize = ROWS * COLUMNS + 2;

/// A shape of elements `T`.
pub trait Shaped<T: Sample>: Shape<Item: Remote<Element = T>> + 'static {
    /// How many elements there are if `rows` rows are asked for.
    fn count(rows: usize) -> usize;

    /// Collective. A coarray with so many elements.
    fn create(elements: usize, value: impl FnMut(usize) -> T) -> Coarray<Self>;

    /// A part other than the whole.
    fn view<'a, A: Access>(place: &'a Coref<Self, A>, part: &Part) -> View<'a, T, A>;

    /// Gets everything.
    fn get_whole<A: Access>(place: &Coref<Self, A>, way: usize) -> Vec<T>;

    /// Puts everything.
    fn put_whole(place: &Coref<Self>, values: &[T], way: usize);
}

/// What a shape without native elements or rows shows when it is cast.
fn cast<'a, T: Sample, A: Access>(flat: &'a Coref<[T], A>, part: &Part) -> View<'a, T, A> {
    of_slice(flat, part)
        .or_else(|| of_unbounded_matrix(flat.shape_cast::<[[T; COLUMNS]]>(), part))
        .expect("elements and rows are all there is")
}

/// Whole values of a type whose size is known. `$blank` is one for gets to overwrite.
macro_rules! sized {
    ($blank:expr) => {
        fn get_whole<A: Access>(place: &Coref<Self, A>, way: usize) -> Vec<T> {
            match way % 2 {
                0 => Values::elements(&place.get()).to_vec(),
                _ => {
                    let mut value = $blank;
                    place.get_into(&mut value);
                    Values::elements(&value).to_vec()
                }
            }
        }

        fn put_whole(place: &Coref<Self>, values: &[T], way: usize) {
            let mut value = $blank;
            ValuesMut::elements_mut(&mut value).copy_from_slice(values);
            match way % 2 {
                0 => place.put(value),
                _ => place.put_from(&value),
            }
        }
    };
}

impl<T: Sample> Shaped<T> for T {
    fn count(_rows: usize) -> usize {
        1
    }

    fn create(_elements: usize, mut value: impl FnMut(usize) -> T) -> Coarray<Self> {
        Coarray::new(value(0))
    }

    fn view<'a, A: Access>(place: &'a Coref<Self, A>, part: &Part) -> View<'a, T, A> {
        cast(place.shape_cast::<[T]>(), part)
    }

    sized!(T::sample(0));
}

impl<T: Sample> Shaped<T> for [T; LENGTH] {
    fn count(_rows: usize) -> usize {
        LENGTH
    }

    fn create(_elements: usize, value: impl FnMut(usize) -> T) -> Coarray<Self> {
        Coarray::<[T; LENGTH]>::from_fn(value)
    }

    fn view<'a, A: Access>(place: &'a Coref<Self, A>, part: &Part) -> View<'a, T, A> {
        of_array(place, part)
            .or_else(|| of_bounded_matrix(place.shape_cast::<[[T; COLUMNS]; ROWS]>(), part))
            .expect("elements and rows are all there is")
    }

    sized!([T::sample(0); LENGTH]);
}

impl<T: Sample> Shaped<T> for [[T; COLUMNS]; ROWS] {
    fn count(_rows: usize) -> usize {
        ROWS * COLUMNS
    }

    fn create(_elements: usize, mut value: impl FnMut(usize) -> T) -> Coarray<Self> {
        let row = |row| std::array::from_fn(|column| value(row * COLUMNS + column));
        Coarray::<[[T; COLUMNS]; ROWS]>::from_fn(row)
    }

    fn view<'a, A: Access>(place: &'a Coref<Self, A>, part: &Part) -> View<'a, T, A> {
        of_bounded_matrix(place, part).unwrap_or_else(|| cast(place.shape_cast::<[T]>(), part))
    }

    sized!([[T::sample(0); COLUMNS]; ROWS]);
}

impl<T: Sample> Shaped<T> for [T] {
    fn count(rows: usize) -> usize {
        (rows * COLUMNS).saturating_sub(1)
    }

    fn create(elements: usize, value: impl FnMut(usize) -> T) -> Coarray<Self> {
        Coarray::<[T]>::from_fn(elements, value)
    }

    fn view<'a, A: Access>(place: &'a Coref<Self, A>, part: &Part) -> View<'a, T, A> {
        cast(place, part)
    }

    fn get_whole<A: Access>(place: &Coref<Self, A>, way: usize) -> Vec<T> {
        View::Run(place).get(way)
    }

    fn put_whole(place: &Coref<Self>, values: &[T], way: usize) {
        View::Run(place).put(values, way);
    }
}

impl<T: Sample> Shaped<T> for [[T; COLUMNS]] {
    fn count(rows: usize) -> usize {
        rows * COLUMNS
    }

    fn create(elements: usize, mut value: impl FnMut(usize) -> T) -> Coarray<Self> {
        let row = |row| std::array::from_fn(|column| value(row * COLUMNS + column));
        Coarray::<[[T; COLUMNS]]>::from_fn(elements / COLUMNS, row)
    }

    fn view<'a, A: Access>(place: &'a Coref<Self, A>, part: &Part) -> View<'a, T, A> {
        of_unbounded_matrix(place, part).unwrap_or_else(|| cast(place.shape_cast::<[T]>(), part))
    }

    fn get_whole<A: Access>(place: &Coref<Self, A>, way: usize) -> Vec<T> {
        View::Rows(place).get(way)
    }

    fn put_whole(place: &Coref<Self>, values: &[T], way: usize) {
        View::Rows(place).put(values, way);
    }
}
