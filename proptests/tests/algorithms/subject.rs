//! What a collective operation is called with, and what it should give.

use coarray::asynchronous::Cofuture;
use coarray::collectives::{Algorithm, Collective, Kind};
use coarray::this_image;
use coarray_proptests::{bits, mix};

use crate::values::Element;

/// What one image brings to an operation.
#[derive(Clone, Debug)]
pub struct Input<T> {
    values: Vec<T>,
    /// How many elements take part: of each image, or, where it has some for each other, of each of those parts.
    pub length: usize,
    /// The image from which or to which values go, where that is one.
    pub root: usize,
    /// The image.
    pub me: usize,
    /// How many images there are.
    pub images: usize,
}

impl<T> Input<T> {
    /// The elements of an operation for which the image has as many as any other.
    pub fn own(&self) -> &[T] {
        self.part(0)
    }

    /// The elements for one image.
    pub fn part(&self, image: usize) -> &[T] {
        &self.values[image * self.length..][..self.length]
    }

    /// The elements for all images.
    pub fn parts(&self) -> &[T] {
        &self.values
    }

    /// Some of the elements for one image: more or less of them for each pair.
    pub fn some(&self, image: usize) -> &[T] {
        let length = (3 * self.me + 5 * image + self.length) % (self.length + 1);
        // An operation that is not dealt has one part only, whomever it is for.
        let start = if self.values.len() == self.length {
            0
        } else {
            image * self.length
        };
        &self.values[start..][..length]
    }
}

/// What an image gets: rows of elements.
pub type Output<T> = Vec<Vec<T>>;

/// An operation that has begun: gives what the image gets, once it is there.
pub type Pending<T> = Box<dyn FnOnce() -> Output<T>>;

/// The operation behind a cofuture, whose result `rows` puts into rows.
pub fn pending<T, R: 'static>(
    cofuture: Cofuture<'static, R>,
    rows: impl FnOnce(R) -> Output<T> + 'static,
) -> Pending<T> {
    Box::new(move || rows(cofuture.wait()))
}

/// A collective operation on elements of one type.
#[derive(Clone, Copy)]
pub struct Subject<T: 'static> {
    /// Its name, for whoever reads of a failure.
    pub name: &'static str,
    /// Among which algorithms it chooses.
    pub kind: Kind,
    /// Whether it must join elements in the order of the images.
    pub is_ordered: bool,
    /// Whether one image is different from the others.
    pub is_rooted: bool,
    /// Whether an image has elements for each image.
    pub is_dealt: bool,
    /// Calls it.
    pub run: fn(Collective, &Input<T>) -> Output<T>,
    /// Begins it.
    pub start: fn(&Input<T>) -> Pending<T>,
    /// What each image should get.
    pub outcome: fn(&[Input<T>]) -> Vec<Output<T>>,
}

impl<T> Subject<T> {
    /// The choice of the table, and all algorithms that keep the order of the images if it matters.
    pub fn algorithms(&self) -> impl Iterator<Item = Option<Algorithm>> + use<T> {
        let is_ordered = self.is_ordered;
        let all = self.kind.algorithms().iter().copied();
        let possible = all.filter(move |&algorithm| !is_ordered || algorithm != Algorithm::Ring);
        [None].into_iter().chain(possible.map(Some))
    }
}

/// One call of an operation by all images of a team, with what it should give.
pub struct Case<T: 'static> {
    subject: Subject<T>,
    inputs: Vec<Input<T>>,
    outcome: Vec<Output<T>>,
}

impl<T: Element> Case<T> {
    /// The call by so many images.
    pub fn new(subject: Subject<T>, images: usize, length: usize, root: usize, seed: u64) -> Self {
        let input = |me| {
            let elements = if subject.is_dealt {
                images * length
            } else {
                length
            };
            let seed = mix(seed, me as u64);
            let element = |index| T::element(mix(seed, index as u64), me);
            Input {
                values: (0..elements).map(element).collect(),
                length,
                root,
                me,
                images,
            }
        };
        let inputs: Vec<Input<T>> = (0..images).map(input).collect();
        let outcome = (subject.outcome)(&inputs);
        Self {
            subject,
            inputs,
            outcome,
        }
    }
}

/// A case, whatever its type.
pub trait Check: Sync {
    /// Collective. Calls the operation by each algorithm, and compares what comes out.
    fn check_all(&self);

    /// Collective. Calls the operation by one of the algorithms, and compares what comes out.
    fn check_one(&self, choice: usize);

    /// Collective. Begins the operation; what is returned completes it, and compares what comes out.
    fn begin(&self) -> Box<dyn FnOnce() + '_>;
}

impl<T: Element> Check for Case<T> {
    fn check_all(&self) {
        self.subject
            .algorithms()
            .for_each(|algorithm| self.check(algorithm));
    }

    fn check_one(&self, choice: usize) {
        let all: Vec<_> = self.subject.algorithms().collect();
        self.check(all[choice % all.len()]);
    }

    fn begin(&self) -> Box<dyn FnOnce() + '_> {
        let me = this_image();
        let pending = (self.subject.start)(&self.inputs[me]);
        Box::new(move || self.compare(None, &pending(), me))
    }
}

impl<T: Element> Case<T> {
    fn check(&self, algorithm: Option<Algorithm>) {
        let how = Collective::new();
        let how = algorithm.map_or(how, |algorithm| how.algorithm(algorithm));
        let me = this_image();
        let result = (self.subject.run)(how, &self.inputs[me]);
        self.compare(algorithm, &result, me);
    }

    fn compare(&self, algorithm: Option<Algorithm>, result: &Output<T>, me: usize) {
        let (input, expected) = (&self.inputs[me], &self.outcome[me]);
        if is_same(result, expected) {
            return;
        }
        let lengths = |rows: &Output<T>| rows.iter().map(Vec::len).collect::<Vec<_>>();
        let (got, wanted) = (result.concat(), expected.concat());
        let differs = |(one, other): (&T, &T)| bits(one) != bits(other);
        let first = got.iter().zip(&wanted).position(differs);
        panic!(
            "{} by {algorithm:?} of {} elements, root {}, on image {me} of {}: rows {:?} instead of {:?}, first \
             difference at {first:?}: {:?}",
            self.subject.name,
            input.length,
            input.root,
            input.images,
            lengths(result),
            lengths(expected),
            first.map(|index| (got[index], wanted[index])),
        )
    }
}

fn is_same<T: Element>(one: &Output<T>, other: &Output<T>) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| bits(one) == bits(other))
}
