//! Reduce-scatter: the values of all images combined, element by element; each image gets the results of one block.

mod flat;
mod scheduled;

use crate::{Algorithm, Kind};
use coarray_coref::{Remote, ValuesMut};
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::collective::{CallFailed, Start, forms};
use crate::eager::Posts;
use crate::epoch::capacity;
use crate::operator::append;

forms! {
    /// Collective. Combines all images' values with `operation`, element by element, and divides the results among all
    /// images of the current team, in the order of the images.
    ///
    /// `values` consists of one block for each image, as long as `mine`: image `i` gets the combination of the `i`-th blocks of
    /// all images.
    ///
    /// `operation` must be associative and the same on all images. It is applied in the order of the images, so it
    /// need not be commutative, unless the caller chooses [`Algorithm::Ring`](crate::Algorithm::Ring), which no built-in
    /// choice does.
    ///
    /// No image leaves before all have entered; nothing else is synchronised.
    ///
    /// # Panics
    /// If `values` is not as long as `mine` of all images together.
    ///
    /// The job ends with a report if images call it with different types or lengths, or have failed, and if
    /// `operation` panics.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::co_reduce_scatter;
    /// use coarray_launch::run;
    /// use coarray_runtime::this_image;
    ///
    /// let sums = run(3, || {
    ///     let mut mine = 0_usize;
    ///     co_reduce_scatter(&[1, 10, this_image()], &mut mine, |a, b| a + b);
    ///     mine
    /// });
    /// assert_eq!(sums, [3, 30, 3]);
    /// ```
    ///
    /// # Source
    /// MPI 3.1 clause 5.10.1, `MPI_Reduce_scatter_block`.
    fn co_reduce_scatter [V: ?Sized + ValuesMut] (
        values: &[V::Element],
        mine: &mut V,
        operation: impl Fn(V::Element, V::Element) -> V::Element
    ) -> ()
    where []

    /// # Examples
    /// ```
    /// use coarray_collectives::try_co_reduce_scatter;
    /// use coarray_launch::run;
    ///
    /// run(2, || {
    ///     let mut mine = 0.0;
    ///     try_co_reduce_scatter(&[1.5, 1.5], &mut mine, |a, b| a + b).unwrap();
    ///     assert_eq!(mine, 3.0);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`co_reduce_scatter`]; failed images as in Fortran 2018, clause 16.6.
    fn try_co_reduce_scatter

    |start| reduce_scatter(start, values, mine.elements_mut(), operation)
}

#[inline]
#[track_caller]
fn reduce_scatter<T: Remote>(
    start: &Start,
    values: &[T],
    mine: &mut [T],
    operator: impl Fn(T, T) -> T,
) -> Result<(), CallFailed> {
    let (team, length) = (&*start.team, mine.len());
    let images = team.images();
    assert!(
        Some(values.len()) == images.checked_mul(length),
        "co_reduce_scatter of {} elements, but {images} images that get {length} elements each need {}",
        values.len(),
        images * length
    );
    let call = start.call::<T>(Operation::CoReduceScatter, values.len(), None);
    let algorithm = start.algorithm(Kind::ReduceScatter, size_of_val(values));
    let reduction = Reduction {
        team,
        values,
        operator,
    };
    if algorithm == Algorithm::Eager {
        reduction.eager(&call, mine);
        return Ok(());
    }
    reduction
        .run(&call, algorithm, mine)
        .map_err(CallFailed::from(&call))
}

/// A reduction whose results are divided among the images.
struct Reduction<'a, T, F> {
    team: &'a Team,
    /// One block for each image.
    values: &'a [T],
    operator: F,
}

impl<T: Remote, F: Fn(T, T) -> T> Reduction<'_, T, F> {
    fn run(&self, call: &Call, algorithm: Algorithm, mine: &mut [T]) -> Result<(), ImageFailed> {
        let images = self.team.images();
        // How many blocks an image publishes parts of, in one buffer.
        let parts = match algorithm {
            Algorithm::Ring => images,
            _ => 2 * images,
        };
        // Also if a buffer has no room for one element of each block.
        if algorithm == Algorithm::Flat || parts > capacity::<T>() {
            return self.flat(call, mine);
        }
        self.scheduled(call, algorithm, capacity::<T>() / parts, mine)
    }

    /// Every image posts its values, and waits for those of all others.
    fn eager(&self, call: &Call, mine: &mut [T]) {
        let (length, images) = (mine.len(), 0..self.team.images());
        let posts = Posts::begin_blocks(self.team, call, self.values, length, images.clone());
        for from in images {
            let combine = |block: &[T]| match from {
                0 => mine.copy_from_slice(block),
                _ => append(mine, block, &self.operator),
            };
            // SAFETY: every image posts a block for each image, whose length is the same on all images whose calls are.
            unsafe { posts.read_block(from, length, combine) };
        }
    }

    /// The values for an image.
    fn block(&self, image: usize) -> &[T] {
        let length = self.values.len() / self.team.images();
        &self.values[image * length..][..length]
    }
}
