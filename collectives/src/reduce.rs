//! Combining the values of all images, element by element, for all images or for one.
//!
//! [`Combine`] is what the algorithms have in common: which images' values are joined with what. Every algorithm but
//! the ring joins them in the order of the images, and each makes every result on one image only or in the same
//! way on all, so all images get the same bits.

mod flat;
mod recursive_doubling;
mod ring;
mod shares;
mod tree;

pub(crate) use shares::by_shares;

use crate::{Algorithm, Kind};
use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::collective::{Lost, Start};
use crate::epoch::{Epoch, capacity, chunks, fits_payload};
use crate::operator;

/// A reduction.
pub(crate) struct Reduction<'a, F> {
    team: &'a Team,
    /// The image that gets the results; none if all get them.
    root: Option<usize>,
    join: F,
}

/// Combines the values of all images; each gets the results, or only `root` if there is one.
#[inline]
#[track_caller]
pub(crate) fn reduce<T: Remote>(
    start: &Start,
    operation: Operation,
    values: &mut [T],
    root: Option<usize>,
    join: impl Fn(T, T) -> T,
) -> Result<(), Lost> {
    let call = start.call::<T>(operation, values.len(), root);
    let kind = match root {
        None => Kind::Reduce,
        Some(_) => Kind::ReduceTo,
    };
    let algorithm = start.algorithm(kind, size_of_val(values));
    let reduction = Reduction {
        team: &start.team,
        root,
        join,
    };
    // This way the compiler sees how many values there are, as a rule one.
    let reduced = if algorithm == Algorithm::Flat && fits_payload::<T>(values.len()) {
        reduction.at_once(&call, values)
    } else {
        reduction.run(&call, algorithm, values)
    };
    reduced.map_err(Lost::from(&call))
}

/// Adds words of all images, the same on all.
#[track_caller]
pub(crate) fn reduce_words(start: &Start, call: &Call, words: &mut [i64]) -> Result<(), Lost> {
    let algorithm = start.algorithm(Kind::TotalReproducible, size_of_val(words));
    let reduction = Reduction {
        team: &start.team,
        root: None,
        join: i64::wrapping_add,
    };
    reduction
        .run(call, algorithm, words)
        .map_err(Lost::from(call))
}

impl<F> Reduction<'_, F> {
    #[inline(never)]
    fn run<T: Remote>(
        &self,
        call: &Call,
        algorithm: Algorithm,
        values: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let mut algorithm = algorithm;
        let mut most = capacity::<T>() / pieces(algorithm, self.team.images());
        if most == 0 {
            // Large elements, or many images, leave no room for more than one piece.
            algorithm = Algorithm::Flat;
            most = capacity::<T>();
        }
        if algorithm == Algorithm::Shares {
            return self.shares(call, values);
        }
        for (number, chunk) in chunks(values, most).enumerate() {
            let epoch = Epoch::begin(self.team, call, number);
            match algorithm {
                Algorithm::Flat => self.flat(epoch, chunk)?,
                Algorithm::RecursiveDoubling => self.recursive_doubling(epoch, chunk)?,
                Algorithm::Ring => self.ring(epoch, chunk)?,
                _ => self.tree(epoch, algorithm, chunk)?,
            }
        }
        Ok(())
    }

    /// Whether this image gets the results.
    fn is_for_me(&self) -> bool {
        self.root.is_none_or(|root| root == self.team.index())
    }

    /// Joins `values` to `result`, which are of later images.
    #[inline]
    fn append<T: Remote>(&self, result: &mut [T], values: &[T])
    where
        F: Fn(T, T) -> T,
    {
        operator::append(result, values, &self.join);
    }

    /// Joins `values` to `result`, which are of earlier images.
    #[inline]
    fn prepend<T: Remote>(&self, result: &mut [T], values: &[T])
    where
        F: Fn(T, T) -> T,
    {
        operator::prepend(result, values, &self.join);
    }
}

/// Into how many pieces a buffer is divided.
fn pieces(algorithm: Algorithm, images: usize) -> usize {
    match algorithm {
        Algorithm::Flat => 1,
        Algorithm::Shares => images,
        Algorithm::RecursiveDoubling => recursive_doubling::pieces(images),
        // What goes up or around, and the results.
        _ => 2,
    }
}
