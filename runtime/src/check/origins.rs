//! Where what was got came from: for each line with gets, which lines had put that, on which images, and how many releases of the putting image ago.
//!
//! Each image counts by itself, what it has got in bytes. A get of many bytes may have them from many puts.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::check::origins::report::report;
use crate::check::sites::Sites;

mod report;

/// How many combinations an image tells apart.
const MOST: usize = 4096;

/// How many releases ago the last put was that is told exactly.
const EXACT: u32 = 15;

/// Of what a get has got, a part that is from one put line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    /// The put, by its number, and the image that put; none if it was written before the phase, or by whatever is not noted.
    pub(crate) put: Option<(u16, usize)>,
    pub(crate) ago: Ago,
}

/// When something was put, as the image that gets knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Ago {
    /// So many releases of the putting image ago.
    Releases(u32),
    /// At least so many.
    More(u32),
    /// It was announced by itself: a flag that was seen, or a put that nothing else is announced with.
    Announced,
    /// Nothing orders the put before the get.
    Unordered,
}

impl Ago {
    pub(crate) fn releases(count: u32) -> Self {
        match count < EXACT {
            true => Self::Releases(count),
            false => Self::More(EXACT),
        }
    }
}

/// How much, and in how many gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    bytes: u64,
    gets: u64,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.gets += other.gets;
    }
}

/// What one image has got.
#[derive(Debug, Default)]
struct Got {
    gets: HashMap<u16, u64>,
    /// By the number of the get.
    found: HashMap<(u16, Origin), Count>,
    /// Where there was no room for more combinations.
    others: HashMap<u16, Count>,
}

/// What all images have got.
#[derive(Debug)]
pub(crate) struct Origins(Box<[Mutex<Got>]>);

impl Origins {
    pub(crate) fn new(images: usize) -> Self {
        Self((0..images).map(|_| Mutex::default()).collect())
    }

    fn of(&self, image: usize) -> MutexGuard<'_, Got> {
        self.0[image].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An image has got something at a line with this number, so many bytes from each of these.
    pub(crate) fn note(&self, image: usize, get: u16, parts: &[(Origin, usize)]) {
        let mut got = self.of(image);
        let got = &mut *got;
        *got.gets.entry(get).or_default() += 1;
        let is_full = got.found.len() >= MOST;
        for &(origin, bytes) in parts {
            let count = Count {
                bytes: bytes as u64,
                gets: 1,
            };
            match got.found.get_mut(&(get, origin)) {
                Some(known) => known.add(count),
                None if is_full => got.others.entry(get).or_default().add(count),
                None => {
                    got.found.insert((get, origin), count);
                }
            }
        }
    }

    /// What all images have got, in words; none if that is nothing.
    pub(crate) fn report(&self, sites: &Sites) -> Option<String> {
        report(self, sites)
    }
}

/// What a get finds, gathered.
#[derive(Debug, Default)]
pub(crate) struct Parts(Vec<(Origin, usize)>);

impl Parts {
    pub(crate) fn add(&mut self, origin: Origin, bytes: usize) {
        // It is mostly the same again.
        match self.0.iter_mut().rev().find(|(known, _)| *known == origin) {
            Some((_, known)) => *known += bytes,
            None => self.0.push((origin, bytes)),
        }
    }

    pub(crate) fn all(&self) -> &[(Origin, usize)] {
        &self.0
    }
}

/// Images, as they are best told from where the get is: by their number, or by the distance to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Number,
    Distance,
}

impl Told {
    /// What makes fewer of them.
    fn for_pairs(pairs: impl Iterator<Item = (usize, usize)>, images: usize) -> Self {
        let (mut numbers, mut distances) = (BTreeSet::new(), BTreeSet::new());
        for (by, of) in pairs {
            numbers.insert(by);
            distances.insert(distance(by, of, images));
        }
        match numbers.len() < distances.len() {
            true => Self::Number,
            false => Self::Distance,
        }
    }

    fn of(self, by: usize, of: usize, images: usize) -> isize {
        match self {
            Self::Number => by as isize,
            Self::Distance => distance(by, of, images),
        }
    }

    fn name(self, image: isize, images: usize) -> String {
        match (self, image) {
            (Self::Number, _) => format!("image {image}"),
            (Self::Distance, 0) => "the image itself".into(),
            (Self::Distance, 1) if images == 2 => "the other image".into(),
            (Self::Distance, -1) => "image -1, the left neighbour".into(),
            (Self::Distance, 1) => "image +1, the right neighbour".into(),
            (Self::Distance, _) => format!("image {image:+}"),
        }
    }
}

/// How far an image is from another one, round and round: 1 is the next one.
fn distance(by: usize, of: usize, images: usize) -> isize {
    let ahead = (by + images - of) % images;
    match 2 * ahead > images {
        true => ahead as isize - images as isize,
        false => ahead as isize,
    }
}
