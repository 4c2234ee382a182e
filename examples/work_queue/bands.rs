//! The division of bands of rows among images.

use std::fmt;
use std::ops::Range;

use coarray::prelude::*;

/// How bands are divided among images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Division {
    /// Beforehand: all images have about the same number of successive bands.
    Equal,
    /// A counter gives the next band.
    Counter,
    /// As `Equal`, but an image that is done takes some from another.
    Stealing,
}

/// The bands that this image gets, one after the other.
pub(crate) enum Bands {
    Equal(Range<usize>),
    Counter {
        /// Only the counter of image 0 is used.
        next: Coarray<Coatomic<usize>>,
        end: usize,
    },
    /// The first of the bands that an image has left, and the one after the last.
    Stealing(Coarray<Comutex<[usize; 2]>>),
}

impl Bands {
    /// Collective. Divides `bands` bands.
    pub(crate) fn new(division: Division, bands: usize) -> Self {
        let first = |image: usize| bands * image / num_images();
        let own = first(this_image())..first(this_image() + 1);
        match division {
            Division::Equal => Self::Equal(own),
            Division::Counter => Self::Counter {
                next: Coarray::new(Coatomic::new(0)),
                end: bands,
            },
            Division::Stealing => Self::Stealing(Coarray::new(Comutex::new([own.start, own.end]))),
        }
    }
}

impl Iterator for Bands {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        match self {
            Self::Equal(own) => own.next(),
            Self::Counter { next, end } => Some(next.at(0).fetch_add(1)).filter(|band| band < end),
            Self::Stealing(queues) => take(queues).or_else(|| steal(queues)),
        }
    }
}

/// The first of this image's own bands.
fn take(queues: &Coarray<Comutex<[usize; 2]>>) -> Option<usize> {
    queues.at(this_image()).lock().update(|[first, end]| {
        let band = (first < end).then_some(*first)?;
        *first += 1;
        Some(band)
    })
}

/// Takes the second half of the bands that another image has left: returns the first of them, and makes the rest this
/// image's own.
///
/// With none left to take, not all bands need be computed: stolen bands are in no queue for a moment. The image that
/// has taken them computes them.
fn steal(queues: &Coarray<Comutex<[usize; 2]>>) -> Option<usize> {
    let (me, images) = (this_image(), num_images());
    let mut others = (me + 1..images).chain(0..me);
    let [band, end] = others.find_map(|victim| {
        queues.at(victim).lock().update(|[first, end]| {
            let middle = *first + (*end - *first) / 2;
            let stolen = (middle < *end).then_some([middle, *end]);
            *end = middle;
            stolen
        })
    })?;
    queues.at(me).lock().put([band + 1, end]);
    Some(band)
}

impl fmt::Display for Division {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Equal => "equal parts",
            Self::Counter => "counter",
            Self::Stealing => "stealing",
        })
    }
}
