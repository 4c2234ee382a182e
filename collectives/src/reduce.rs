//! Reductions: the values of all images combined, element by element, for all images or for one.
//!
//! Every algorithm but the ring combines the values in the order of the images. Each computes a result on one image only, or in
//! the same way on all, so all images get the same bits.

mod eager;
mod flat;
mod in_place;
mod reduce_scatter_allgather;
mod scheduled;

pub(crate) use reduce_scatter_allgather::combine_slices;

use crate::{Algorithm, Kind};
use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed, Operation, Team};

use crate::collective::{CallFailed, Start};
use crate::epoch::{Epoch, capacity, chunks, fits_payload, fits_payload_with_root};
use crate::operator;
use crate::schedule;

/// A reduction.
pub(crate) struct Reduction<'a, F> {
    team: &'a Team,
    /// The image that gets the results; none if all get them.
    root: Option<usize>,
    operator: F,
}

/// Combines the values of all images; each gets the results, or only `root` if there is one.
#[inline]
#[track_caller]
pub(crate) fn reduce<T: Remote>(
    start: &Start,
    operation: Operation,
    values: &mut [T],
    root: Option<usize>,
    operator: impl Fn(T, T) -> T,
) -> Result<(), CallFailed> {
    let call = start.call::<T>(operation, values.len(), root);
    let kind = match root {
        None => Kind::Reduce,
        Some(_) => Kind::ReduceTo,
    };
    let algorithm = start.algorithm(kind, size_of_val(values));
    let reduction = Reduction {
        team: &start.team,
        root,
        operator,
    };
    // Inlined, so that the compiler sees the number of values, which is mostly one.
    let is_short = match root {
        None => fits_payload::<T>(values.len()),
        Some(_) => fits_payload_with_root::<T>(values.len()),
    };
    let reduced = if algorithm == Algorithm::Flat && is_short {
        reduction.by_payload(&call, values)
    } else if algorithm == Algorithm::Eager {
        reduction.eager(start, &call, values);
        Ok(())
    } else if algorithm == Algorithm::InPlace {
        reduction.in_place_if_reached(&call, values)
    } else {
        reduction.run(&call, algorithm, values)
    };
    reduced.map_err(CallFailed::from(&call))
}

/// Adds the words of all images; the number of words is the same on all.
#[track_caller]
pub(crate) fn reduce_words(
    start: &Start,
    call: &Call,
    words: &mut [i64],
) -> Result<(), CallFailed> {
    let algorithm = start.algorithm(Kind::TotalReproducible, size_of_val(words));
    let reduction = Reduction {
        team: &start.team,
        root: None,
        operator: i64::wrapping_add,
    };
    reduction
        .run(call, algorithm, words)
        .map_err(CallFailed::from(call))
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
        let mut most = capacity::<T>() / parts(algorithm, self.team.images());
        if most == 0 {
            // With large elements or many images a buffer has no room for more than one piece.
            algorithm = Algorithm::Flat;
            most = capacity::<T>();
        }
        if algorithm == Algorithm::ReduceScatterAllgather {
            return self.reduce_scatter_allgather(call, values);
        }
        if algorithm != Algorithm::Flat {
            return self.scheduled(call, algorithm, most, values);
        }
        if self.root.is_some() {
            // The others write a piece while the root reads the one before, which is still in a cache then.
            most = most.div_ceil(2);
        }
        for (number, chunk) in chunks(values, most).enumerate() {
            self.flat(Epoch::begin(self.team, call, number), chunk)?;
        }
        Ok(())
    }

    /// Whether this image gets the results.
    fn is_for_me(&self) -> bool {
        self.root.is_none_or(|root| root == self.team.index())
    }

    /// Combines `result` with `values`, which are of later images.
    #[inline]
    fn append<T: Remote>(&self, result: &mut [T], values: &[T])
    where
        F: Fn(T, T) -> T,
    {
        operator::append(result, values, &self.operator);
    }

    /// Combines `values`, which are of earlier images, with `result`.
    #[inline]
    fn prepend<T: Remote>(&self, result: &mut [T], values: &[T])
    where
        F: Fn(T, T) -> T,
    {
        operator::prepend(result, values, &self.operator);
    }
}

/// In how many parts an algorithm divides a buffer.
fn parts(algorithm: Algorithm, images: usize) -> usize {
    match algorithm {
        Algorithm::Flat => 1,
        Algorithm::ReduceScatterAllgather => images,
        _ => schedule::reduce_regions(algorithm, images),
    }
}
