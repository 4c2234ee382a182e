//! The trait [`Fabric`]: the one-sided operations and active messages that everything else is built from.

use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::movement::Movement;
use crate::transport::pending::Outstanding;
use crate::transport::request::{Buffer, Request};
use crate::transport::signal::SignalOperation;
use crate::transport::strided::{Run, Strided};

/// An active message that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The image that sent it.
    pub from: usize,
    /// Kind and arguments, as the layer above encodes them.
    pub bytes: Vec<u8>,
}

/// Moves bytes between the memories of images, without the help of the target.
///
/// A fabric knows images by number and memory by offset in an image's part of the region; it knows nothing of
/// types and teams. Corefs to *directly mapped* places do not use it: they are loads and stores. A fabric serves all other places, and
/// completes nonblocking operations.
///
/// Operations of one image on the same place take effect in the order in which they were issued, whether they are blocking or not.
///
/// The two shared-memory fabrics, threads and processes, differ only in how images are started; they
/// share one implementation of this trait. Images of different nodes also send each other active messages, which change the
/// receiver's control structures.
///
/// No method has a default: what wraps a fabric, as [`Observed`](crate::transport::observed::Observed) does, cannot forget to pass one on.
pub trait Fabric: std::fmt::Debug {
    /// Whether operations of this image may not be complete. The fabric keeps it up to date: [`quiet`](Self::quiet) and
    /// [`fence`](Self::fence) are not called otherwise.
    fn outstanding(&self) -> &Outstanding;

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
    unsafe fn put_word(&self, image: usize, offset: usize, word: u64);

    /// Copies `length` bytes from `offset` in the part of `image` to this image's memory; complete on
    /// return.
    ///
    /// # Safety
    /// `target` is valid for writes of `length` bytes, and `offset .. offset + length` lies in a block
    /// of `image` whose owner holds no exclusive reference to it.
    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize);

    /// Starts a nonblocking copy of all of `source` to `offset` in the part of `image`.
    ///
    /// The operation is complete when its request says so, or after a [`fence`](Self::fence) of the image or
    /// [`quiet`](Self::quiet), which need no request.
    ///
    /// # Safety
    /// The conditions of [`put`](Self::put) hold until the operation is complete, and a lent buffer stays valid until then.
    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request;

    /// Starts a nonblocking read into `target` from `offset` in the part of `image`; complete as
    /// [`issue_put`](Self::issue_put) is.
    ///
    /// # Safety
    /// The conditions of [`get`](Self::get) hold until the operation is complete, and a lent buffer stays valid until then.
    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request;

    /// As one [`put`](Self::put) of each run of a block, the first of which goes to `offset`, if the fabric has an operation for it. Otherwise
    /// does nothing and returns false: then single puts are as good.
    ///
    /// # Safety
    /// As [`put`](Self::put), for each run; all bytes between the runs of a block are in the same block of `image`, and it has runs.
    unsafe fn put_strided(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        block: &Strided<'_>,
    ) -> bool;

    /// As one [`put`](Self::put) of `length` bytes for each run, whose places count from `offset` and from `source`, if the fabric has a faster way
    /// than that. Otherwise does nothing and returns false: then single puts are as good.
    ///
    /// # Safety
    /// As [`put`](Self::put), for each run. There are runs, their places in the part of `image` ascend, and none overlaps the next; all bytes in
    /// between are in the same block of `image`.
    unsafe fn put_listed(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
        runs: &[Run],
    ) -> bool {
        let _ = (image, offset, source, length, runs);
        false
    }

    /// As one [`get`](Self::get) of each run of a block, the first of which is at `offset`; complete on return. If the fabric has no operation
    /// for it, does nothing and returns false.
    ///
    /// # Safety
    /// As [`get`](Self::get), for each run; all bytes between the runs of a block are in the same block of `image`, and it has runs.
    unsafe fn get_strided(
        &self,
        image: usize,
        offset: usize,
        target: *mut u8,
        block: &Strided<'_>,
    ) -> bool;

    /// As [`put_strided`](Self::put_strided), complete as [`issue_put`](Self::issue_put) is. The first run is at the start of `source`. If the fabric has
    /// no operation for it, does nothing and gives the buffer back.
    ///
    /// # Safety
    /// The conditions of [`put_strided`](Self::put_strided) hold until the operation is complete, and a lent buffer stays valid until then.
    unsafe fn issue_put_strided(
        &self,
        image: usize,
        offset: usize,
        source: Buffer,
        block: &Strided<'_>,
    ) -> Result<Request, Buffer> {
        let _ = (image, offset, block);
        Err(source)
    }

    /// As [`get_strided`](Self::get_strided), complete as [`issue_get`](Self::issue_get) is. The first run goes to the start of `target`. If the fabric
    /// has no operation for it, does nothing and gives the buffer back.
    ///
    /// # Safety
    /// The conditions of [`get_strided`](Self::get_strided) hold until the operation is complete, and a lent buffer stays valid until then.
    unsafe fn issue_get_strided(
        &self,
        image: usize,
        offset: usize,
        target: Buffer,
        block: &Strided<'_>,
    ) -> Result<Request, Buffer> {
        let _ = (image, offset, block);
        Err(target)
    }

    /// Makes progress with nonblocking operations, and wakes the tasks whose operations have completed. Returns whether operations are left
    /// that make progress only in such calls.
    fn progress(&self) -> bool;

    /// Waits until the operation is complete.
    fn wait(&self, request: &Request);

    /// Orders this image's earlier puts to `image` before its later ones, and completes its nonblocking operations on `image`.
    fn fence(&self, image: usize);

    /// Completes all operations of this image, but for signals.
    fn quiet(&self);

    /// Applies `operation` to the word at `offset` in the part of `image`, atomically with respect to other calls of this method; returns the
    /// former value. Relaxed: it orders no other access.
    ///
    /// # Safety
    /// The word is aligned and lies in a block of `image`. While images use it by this method, none accesses its bytes in another way.
    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64;

    /// A put with signal: copies `length` bytes, none if it is 0, as [`put`](Self::put) does, and then changes the signal word at `signal` in the
    /// part of `image`. The change comes after these bytes and all earlier puts of this image to `image`, the nonblocking ones included, have taken
    /// effect. It waits for no operation on a third image, and for none of `image`, which may compute. The owner, and images of its node, read the
    /// word by loads that acquire; while the owner [receives](Self::receive), the signal arrives.
    ///
    /// The signal is complete at the target after [`quiet_signals`](Self::quiet_signals).
    ///
    /// # Safety
    /// The conditions of [`put`](Self::put). The word has eight bytes, is aligned, and lies in a block of `image` until the signal is complete. It is
    /// changed by this method only.
    unsafe fn put_signal(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
        signal: usize,
        operation: SignalOperation,
    );

    /// Signals that set words one after another in the parts of images, from `offset` on: in each the words beside it. Each arrives whole, and in any order: they wait neither
    /// for each other nor for earlier puts. What this image has completed before is visible to who sees one of them.
    ///
    /// They are complete at the target after [`quiet_signals`](Self::quiet_signals). Until then no other signal goes to these words.
    ///
    /// # Safety
    /// The conditions of [`put_signal`](Self::put_signal) for each of the words.
    unsafe fn set_signals(&self, images: &[(usize, &[u64])], offset: usize) {
        for &(image, words) in images {
            for (number, &word) in words.iter().enumerate() {
                let (place, nothing) = (offset + number * size_of::<u64>(), std::ptr::dangling());
                // SAFETY: the caller vouches for the word; no bytes are read or written, and the word's block has a place for them.
                unsafe {
                    self.put_signal(image, place, nothing, 0, place, SignalOperation::Set(word));
                }
            }
        }
    }

    /// Completes all signals of this image, which [`Pending::Signals`](crate::transport::pending::Pending::Signals) notes as pending, and perhaps
    /// other operations.
    fn quiet_signals(&self);

    /// Sends an active message to `image`. Messages from one image to another arrive in the order in which they were sent. The bytes may be
    /// reused on return. Does not wait for the receiver to handle the message.
    ///
    /// # Safety
    /// Handling the message is sound at the receiver: its handler trusts offsets and lengths in it.
    unsafe fn send(&self, image: usize, message: &[u8]);

    /// The next message that has arrived, if there is one. A fabric that needs the target's help for progress makes it here.
    ///
    /// # Safety
    /// The caller handles the message: the sender relies on it.
    unsafe fn receive(&self) -> Option<Message>;

    /// Whether [`move_blocks`](Self::move_blocks) may be called: the library below moves data among many images by collective operations of
    /// its own, and does so faster than puts and gets. The same on all images.
    fn has_collectives(&self) -> bool;

    /// Collective among `images`. Moves blocks of `length` bytes as `movement` says; complete on return. It waits until the others are there
    /// whose bytes this image gets, and perhaps for all, and [receives](Self::receive) nothing meanwhile.
    ///
    /// # Safety
    /// The fabric [has collectives](Self::has_collectives). Each of `images`, which are different and this one among them, comes to this call
    /// without waiting for anybody, and makes it with the same images, movement and length. The source is valid for reads, and the target for
    /// writes, of as many blocks as `movement` says, and no other thread accesses them. `length` is at most 2^31 - 1.
    unsafe fn move_blocks(
        &self,
        images: &[u32],
        movement: Movement,
        source: *const u8,
        target: *mut u8,
        length: usize,
    );

    /// Starts an [`atomic`](Self::atomic) operation. If it `fetches`, the request has the former value when the operation is complete: the eight
    /// bytes of a number, of which a word of 32 bits is the lower half. Otherwise there is no request, and a [`fence`](Self::fence) of the
    /// image or [`quiet`](Self::quiet) completes it.
    ///
    /// # Safety
    /// The conditions of [`atomic`](Self::atomic) hold until the operation is complete.
    unsafe fn issue_atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
        fetches: bool,
    ) -> Option<Request>;
}

impl dyn Fabric + '_ {
    /// A signal alone: [`put_signal`](Fabric::put_signal) without bytes.
    ///
    /// # Safety
    /// The conditions of [`put_signal`](Fabric::put_signal) for the word.
    #[inline]
    pub unsafe fn signal(&self, image: usize, signal: usize, operation: SignalOperation) {
        let nothing = std::ptr::dangling();
        // SAFETY: the caller vouches for the word. No bytes are read or written: any pointer but null is valid for that, and the word's block has
        // a place for them.
        unsafe { self.put_signal(image, signal, nothing, 0, signal, operation) }
    }
}
