//! [`Algorithm::Eager`](crate::Algorithm::Eager): each image posts what others need of it, and waits only for those of which it needs
//! something itself.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_fabric::Deferral;
use coarray_runtime::{Call, Contribution, Post, Team, quiet_except_signals};

use crate::part::{Part, bytes};
use crate::traffic;

/// A collective to which this image has posted its values. It is over on this image when this is dropped.
pub(crate) struct Posts<'a> {
    team: &'a Team,
    post: Post<'a>,
    _deferral: Deferral,
}

/// Whether values of `bytes` bytes are posted. In a job that goes on when images fail, they are not: all images are to learn of the same
/// failures in the same operation.
#[inline]
pub(crate) fn may_post(team: &Team, bytes: usize) -> bool {
    team.most_posted().is_some_and(|most| bytes <= most) && !team.keeps_going()
}

impl<'a> Posts<'a> {
    /// Posts `values` for the images `readers`. No image posts more than `most` bytes, for which it [may](may_post).
    #[inline]
    pub(crate) fn begin<T: Remote>(
        team: &'a Team,
        call: &'a Call,
        values: &[T],
        most: usize,
        readers: Range<usize>,
    ) -> Self {
        Self::post(team, call, values, most, readers, None)
    }

    /// Posts `values`, a block of `length` for each image of the team, for the images `readers`, or nothing. Each
    /// [reads its block](Self::read_block). No image posts more, for which it [may](may_post).
    #[inline]
    pub(crate) fn begin_blocks<T: Remote>(
        team: &'a Team,
        call: &'a Call,
        values: &[T],
        length: usize,
        readers: Range<usize>,
    ) -> Self {
        let block = length * size_of::<T>();
        let most = block * team.images();
        Self::post(team, call, values, most, readers, Some(block))
    }

    #[inline]
    fn post<T: Remote>(
        team: &'a Team,
        call: &'a Call,
        values: &[T],
        most: usize,
        readers: Range<usize>,
        block: Option<usize>,
    ) -> Self {
        // Signals, such as those of earlier posts, are complete after the next barrier.
        quiet_except_signals();
        let deferral = Deferral::new();
        // SAFETY: the files of the operations that call this read of each operation what they post for it, where values are posted: in a job
        // that ends when an image fails. `most` follows from the call.
        let post = unsafe { team.post_blocking(call, bytes(values), most, readers, block) };
        Self {
            team,
            post,
            _deferral: deferral,
        }
    }

    /// Waits for the values of an image, and copies those from number `first` on to `target`.
    ///
    /// # Safety
    /// Every image whose call is the same, and whose values are read, posts `T`s, at least so many.
    #[inline]
    pub(crate) unsafe fn read_into<T: Remote>(&self, image: usize, first: usize, target: &mut [T]) {
        let length = target.len();
        // SAFETY: the caller vouches for the values.
        unsafe { self.read(image, first, length, |part| target.copy_from_slice(part)) }
    }

    /// Waits for the values of an image, and calls `use_values` with `length` of them from number `first` on.
    ///
    /// # Safety
    /// As [`read_into`](Self::read_into).
    #[inline]
    pub(crate) unsafe fn read<T: Remote>(
        &self,
        image: usize,
        first: usize,
        length: usize,
        use_values: impl FnOnce(&[T]),
    ) {
        traffic::note(self.team, image, length * size_of::<T>());
        let range = first * size_of::<T>()..(first + length) * size_of::<T>();
        self.post.read(image, range.clone(), |bytes| {
            // SAFETY: the caller vouches that the bytes are `T`s; they start a whole number of these behind the post's start, which is
            // aligned to a cache line.
            use_values(&unsafe { Part::new(Contribution::here(&bytes[range])) });
        });
    }

    /// Waits for the blocks of an image, and calls `use_values` with this image's, which has `length` values. Returns false if the image has posted
    /// nothing.
    ///
    /// # Safety
    /// Every image whose call is the same, and whose block is read, [posts blocks](Self::begin_blocks) of so many `T`s.
    #[inline]
    pub(crate) unsafe fn read_block<T: Remote>(
        &self,
        image: usize,
        length: usize,
        use_values: impl FnOnce(&[T]),
    ) -> bool {
        let size = length * size_of::<T>();
        // Between nodes there is nothing else.
        let first = match self.team.is_on_one_node() {
            true => self.team.index() * size,
            false => 0,
        };
        traffic::note(self.team, image, size);
        self.post.read(image, first..first + size, |bytes| {
            // SAFETY: the caller vouches that the bytes are `T`s; they start a whole number of these behind the post's start, which is
            // aligned to a cache line.
            let block = |bytes| use_values(&unsafe { Part::new(Contribution::here(bytes)) });
            bytes.get(first..first + size).map(block).is_some()
        })
    }
}
