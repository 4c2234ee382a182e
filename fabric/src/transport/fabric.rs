//! What a fabric is: the small set of one-sided operations everything else is built from.

use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::request::{Buffer, Request};

/// Bytes that one image sent to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The image that sent it.
    pub from: usize,
    /// What it sent.
    pub bytes: Vec<u8>,
}

/// Moves bytes between the heaps of images, without the help of the other side.
///
/// A fabric knows images by number and memory by offset in an image's part of the region; it knows nothing of
/// types and teams. Corefs to *directly mapped* places never come here: they are loads and stores. A fabric
/// serves the other places, and completes what was issued.
///
/// Operations of one image on the same place happen in the order in which they were issued, whether they
/// complete at once or later.
///
/// The two shared-memory fabrics, threads and processes, differ only in how images are started; they
/// share one implementation of this trait. Where images are on several nodes, they also send each other messages, by
/// which they change each other's control structures.
pub trait Fabric: std::fmt::Debug {
    /// Copies `length` bytes from this image's memory to `offset` in the part of `image`.
    ///
    /// Complete at the target after [`quiet`](Self::quiet), or in order with later puts to the same
    /// image after [`fence`](Self::fence).
    ///
    /// # Safety
    /// `source` is valid for reads of `length` bytes, and `offset .. offset + length` lies in a block
    /// of `image` whose owner holds no reference to it.
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize);

    /// As [`put`](Self::put), of the bytes of one word: what most puts are.
    ///
    /// # Safety
    /// As [`put`](Self::put).
    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: passed on.
        unsafe { self.put(image, offset, (&raw const word).cast(), size_of::<u64>()) }
    }

    /// Copies `length` bytes from `offset` in the part of `image` to this image's memory; complete on
    /// return.
    ///
    /// # Safety
    /// `target` is valid for writes of `length` bytes, and `offset .. offset + length` lies in a block
    /// of `image` whose owner holds no exclusive reference to it.
    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize);

    /// Begins to copy all of `source` to `offset` in the part of `image`.
    ///
    /// The operation is complete when its request says so, or after a [`fence`](Self::fence) of the image or
    /// [`quiet`](Self::quiet), which need no request.
    ///
    /// # Safety
    /// Until the operation is complete: as [`put`](Self::put), and memory that is lent stays valid.
    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request;

    /// Begins to fill `target` from `offset` in the part of `image`; complete as
    /// [`issue_put`](Self::issue_put) is.
    ///
    /// # Safety
    /// Until the operation is complete: as [`get`](Self::get), and memory that is lent stays valid.
    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request;

    /// Carries on with what was issued, and wakes who waits for what has become complete. Returns whether
    /// operations are left that only another call carries on with.
    fn progress(&self) -> bool;

    /// Waits until the operation is complete.
    fn wait(&self, request: &Request);

    /// Orders this image's puts to `image` before its later ones, and completes what was issued there.
    fn fence(&self, image: usize);

    /// Completes this image's operations on all images.
    fn quiet(&self);

    /// Carries out `operation` on the word at `offset` in the part of `image`, in one step for all images that
    /// reach the word by this operation; returns what the word was. Relaxed: it orders nothing else.
    ///
    /// # Safety
    /// The word is aligned and lies in a block of `image`, whose bytes there nobody reaches in another way.
    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64;

    /// Sends bytes to `image`, which receives those of one image in the order in which they were sent. They may be
    /// reused on return. Does not wait for the other image to act on them.
    ///
    /// # Safety
    /// The other image does with its memory what the bytes tell it to.
    unsafe fn send(&self, image: usize, message: &[u8]);

    /// The next message that has arrived, if there is one. Where the fabric needs the help of the image for what
    /// others do to its memory, this is it.
    ///
    /// # Safety
    /// The caller does what the message asks for: its sender relies on that.
    unsafe fn receive(&self) -> Option<Message>;
}
