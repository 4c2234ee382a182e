//! What a fabric is: the small set of one-sided operations everything else is built from.

/// Moves bytes between the heaps of images, without the help of the other side.
///
/// A fabric knows images by number and memory by offset in an image's heap; it knows nothing of types
/// and teams. Corefs to *directly mapped* places never come here: they are loads and stores. A fabric
/// serves the other places, and completes what was issued.
///
/// The two shared-memory engines, threads and processes, differ only in how images are started; they
/// share one implementation of this trait.
pub trait Fabric {
    /// Copies `length` bytes from this image's memory to `offset` in the heap of `image`.
    ///
    /// Complete at the target after [`quiet`](Self::quiet), or in order with later puts to the same
    /// image after [`fence`](Self::fence).
    ///
    /// # Safety
    /// `source` is valid for reads of `length` bytes, and `offset .. offset + length` lies in a block
    /// of `image` whose owner holds no reference to it.
    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize);

    /// Copies `length` bytes from `offset` in the heap of `image` to this image's memory; complete on
    /// return.
    ///
    /// # Safety
    /// `target` is valid for writes of `length` bytes, and `offset .. offset + length` lies in a block
    /// of `image` whose owner holds no exclusive reference to it.
    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize);

    /// Orders this image's puts to `image` before its later ones.
    fn fence(&self, image: usize);

    /// Completes this image's puts to all images.
    fn quiet(&self);
}
