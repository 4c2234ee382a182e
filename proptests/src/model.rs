//! The sequential model of one coarray.

/// One coarray, whatever its shape: for each image its elements in memory order.
///
/// # Examples
/// What `x.at(1).put_from(&[7, 8])` does, and then `x.at(0)[1].copy_from(&x.at(1)[0])`:
/// ```
/// use coarray_proptests::{Model, Place};
///
/// let mut x = Model::new(2, 2, |image, element| 10 * image + element);
/// x.put(&Place { image: 1, elements: vec![0, 1] }, &[7, 8]);
/// x.copy(&Place { image: 0, elements: vec![1] }, &Place { image: 1, elements: vec![0] });
/// assert_eq!((x.part(0), x.part(1)), (&[0, 7][..], &[7, 8][..]));
/// ```
#[derive(Clone, Debug)]
pub struct Model<T> {
    parts: Vec<Vec<T>>,
}

/// Elements of one image's part, in the order in which an operation moves them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The image.
    pub image: usize,
    /// Positions in the part.
    pub elements: Vec<usize>,
}

impl<T: Copy> Model<T> {
    /// A coarray of so many elements on each image; `value` says which, by image and position.
    #[must_use]
    pub fn new(images: usize, elements: usize, value: impl Fn(usize, usize) -> T) -> Self {
        let part = |image| (0..elements).map(|element| value(image, element)).collect();
        Self {
            parts: (0..images).map(part).collect(),
        }
    }

    /// All elements of an image.
    #[must_use]
    pub fn part(&self, image: usize) -> &[T] {
        &self.parts[image]
    }

    /// A get.
    #[must_use]
    pub fn get(&self, place: &Place) -> Vec<T> {
        place
            .elements
            .iter()
            .map(|&element| self.parts[place.image][element])
            .collect()
    }

    /// A put.
    pub fn put(&mut self, place: &Place, values: &[T]) {
        assert_eq!(place.elements.len(), values.len());
        for (&element, &value) in place.elements.iter().zip(values) {
            self.parts[place.image][element] = value;
        }
    }

    /// A fill.
    pub fn fill(&mut self, place: &Place, value: T) {
        self.put(place, &vec![value; place.elements.len()]);
    }

    /// A copy: all of `from` is read before any of `to` is written.
    pub fn copy(&mut self, to: &Place, from: &Place) {
        self.put(to, &self.get(from));
    }
}
