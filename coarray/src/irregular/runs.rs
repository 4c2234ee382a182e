//! Items that are runs of values, each of its own length.

use coarray_coref::Remote;

use super::buffers::Leaving;
use super::full::Full;
use super::open_conveyor::{OpenConveyor, Pushable};
use super::record::{self, NUMBER, bytes_of, value_at};

impl<T: Remote> OpenConveyor<'_, [T]> {
    /// Local. Adds a run of values for `image`, an index in the team, unless there is no room. Sends packets when they are full.
    ///
    /// # Errors
    /// If there is no room for it: then nothing was added.
    ///
    /// # Panics
    /// If there is no such image, this image has [finished](Self::finish), or the run has 2^32 values or more.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut conveyor = Conveyor::<[char]>::new();
    ///     let mut open = conveyor.open();
    ///     open.push(0, &['a', 'b']).unwrap();
    ///     open.push(0, &[]).unwrap();
    ///     open.finish();
    ///     let mut lengths = Vec::new();
    ///     while open.wait() {
    ///         while let Some((_source, run)) = open.pull() {
    ///             lengths.push(run.len());
    ///         }
    ///     }
    ///     assert_eq!(lengths.iter().sum::<usize>(), if this_image() == 0 { 4 } else { 0 });
    /// });
    /// ```
    ///
    /// # Source
    /// `convey_epush` of *bale*.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, image: usize, run: &[T]) -> Result<(), Full> {
        if u32::try_from(run.len()).is_err() {
            too_long(run.len());
        }
        let bytes = NUMBER + size_of_val(run);
        self.traffic.push(image, bytes, |record| {
            record::set_number(record, run.len());
            record[NUMBER..].copy_from_slice(bytes_of(run));
        })
    }

    /// Local. Takes a run that has come for this image, with the image that pushed it; none if none is there.
    ///
    /// # Examples
    /// See [`push`](Self::push).
    ///
    /// # Source
    /// `convey_epull` of *bale*.
    pub fn pull(&mut self) -> Option<(usize, Vec<T>)> {
        let mut run = Vec::new();
        let source = self.pull_into(&mut run)?;
        Some((source, run))
    }

    /// Local. As [`pull`](Self::pull), into a vector, whose values are replaced; it need not allocate then. Returns the image that pushed the run.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut conveyor = Conveyor::<[f32]>::new();
    ///     let mut open = conveyor.open();
    ///     open.push(1 - this_image(), &[0.5; 3]).unwrap();
    ///     open.finish();
    ///     let mut run = Vec::with_capacity(3);
    ///     while open.wait() {
    ///         while let Some(source) = open.pull_into(&mut run) {
    ///             assert_eq!((source, &run[..]), (1 - this_image(), &[0.5; 3][..]));
    ///         }
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// As [`pull`](Self::pull).
    #[inline]
    pub fn pull_into(&mut self, run: &mut Vec<T>) -> Option<usize> {
        let tag = self.traffic.records.tag;
        let (link, length) = self.traffic.find()?;
        let bytes = link.arriving.bytes();
        let source = if tag > 0 {
            record::number(bytes)
        } else {
            link.peer
        };
        let values = record::number(&bytes[tag..]);
        let bytes = &bytes[tag + NUMBER..length];
        run.clear();
        run.extend(
            (0..values).map(|index| value_at::<T>(&bytes[index * size_of::<T>()..], source)),
        );
        link.arriving.consume(length);
        Some(source)
    }
}

impl<T: Remote, R: AsRef<[T]>> Pushable<OpenConveyor<'_, [T]>> for (usize, R) {
    #[inline]
    fn push_at_once(&self, _: &mut [Leaving]) -> bool {
        false
    }

    #[inline]
    #[track_caller]
    fn push(&self, open: &mut OpenConveyor<'_, [T]>) -> Result<(), Full> {
        open.push(self.0, self.1.as_ref())
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn too_long(values: usize) -> ! {
    panic!("an item of {values} values is too long for a conveyor: a run has less than 2^32")
}
