//! The double buffer of a comutex on another node, for the image that holds the lock.
//!
//! The protocol is that of `comutex.rs`, with puts and gets in the place of instructions: a put writes the slot that is not
//! current, then the version. The lock excludes all other accesses, so readers need no check, unlike those of a seqlock.
//! Operations of one image on one place happen in order, so the holder gets what it has put; unlocking completes its puts.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use coarray_coref::Remote;
use coarray_fabric::Place;
use coarray_runtime::Image;

/// Two slots for a value, and the version that says which of them is current.
pub(crate) struct FarSlots<'a, T> {
    image: &'a Image,
    comutex: Place,
    /// The offset of the version in the comutex.
    version: usize,
    /// The offset of the first slot; the second follows it.
    slots: usize,
    value: PhantomData<T>,
}

impl<'a, T: Remote> FarSlots<'a, T> {
    /// The slots of the comutex at a place, with the offsets of its version and its slots.
    ///
    /// # Safety
    /// They are at these offsets, the current slot holds a `T`, and nobody else accesses them while this lives.
    pub(crate) unsafe fn new(
        image: &'a Image,
        comutex: Place,
        version: usize,
        slots: usize,
    ) -> Self {
        Self {
            image,
            comutex,
            version,
            slots,
            value: PhantomData,
        }
    }

    fn version(&self) -> u64 {
        let mut version = [0; 8];
        let offset = self.comutex.offset + self.version;
        let fabric = self.image.fabric();
        // SAFETY: `version` is valid for writes of 8 bytes. The contract of `new`: a word of the comutex lies at that offset, and
        // nobody else accesses it.
        unsafe {
            fabric.get(
                self.comutex.image,
                offset,
                version.as_mut_ptr(),
                version.len(),
            );
        }
        u64::from_ne_bytes(version)
    }

    fn slot(&self, version: u64) -> usize {
        self.comutex.offset + self.slots + (version & 1) as usize * size_of::<T>()
    }

    /// The bytes of the last value that was put, all initialised but unchecked.
    pub(crate) fn load(&self) -> MaybeUninit<T> {
        let offset = self.slot(self.version());
        let mut value = MaybeUninit::<T>::uninit();
        if size_of::<T>() > 0 {
            let (fabric, target) = (self.image.fabric(), value.as_mut_ptr().cast());
            // SAFETY: `target` is valid for writes of `size_of::<T>()` bytes. The contract of `new`: a slot of that length lies at
            // the offset, and nobody else accesses it.
            unsafe { fabric.get(self.comutex.image, offset, target, size_of::<T>()) }
        }
        value
    }

    /// Replaces the value.
    pub(crate) fn store(&self, value: &T) {
        let version = self.version() + 1;
        let (fabric, image) = (self.image.fabric(), self.comutex.image);
        if size_of::<T>() > 0 {
            let source = std::ptr::from_ref(value).cast();
            // SAFETY: `source` is valid for reads of `size_of::<T>()` bytes, without padding. The contract of `new`: a slot of that
            // length lies at the offset, and nobody else accesses it.
            unsafe { fabric.put(image, self.slot(version), source, size_of::<T>()) }
        }
        let (offset, version) = (self.comutex.offset + self.version, version.to_ne_bytes());
        // SAFETY: `version` is valid for reads of 8 bytes. The contract of `new`: a word of the comutex lies at that offset, and
        // nobody else accesses it.
        unsafe { fabric.put(image, offset, version.as_ptr(), version.len()) }
    }
}
