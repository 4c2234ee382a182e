//! The value of a comutex on another node, for the image that holds it.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use coarray_coref::Remote;
use coarray_fabric::Place;
use coarray_runtime::Image;

/// Two slots for a value, and the version that says which of them has it.
///
/// Operations of one image on one place happen in order, so that the holder gets what it has put. Before it unlocks, all it
/// has put is complete.
pub(crate) struct FarSlots<'a, T> {
    image: &'a Image,
    comutex: Place,
    version: usize,
    slots: usize,
    value: PhantomData<T>,
}

impl<'a, T: Remote> FarSlots<'a, T> {
    /// The slots of the comutex at a place: where in it its version and its slots are.
    ///
    /// # Safety
    /// They are there, the first slot holds a `T`, and nobody else accesses them while this lives.
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
        // SAFETY: the version is a word of the comutex, as `new` was promised.
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

    /// The bytes of the last value that was put, to be checked.
    pub(crate) fn load(&self) -> MaybeUninit<T> {
        let offset = self.slot(self.version());
        let mut value = MaybeUninit::<T>::uninit();
        if size_of::<T>() > 0 {
            let (fabric, target) = (self.image.fabric(), value.as_mut_ptr().cast());
            // SAFETY: the slot is a `T` of the comutex, as `new` was promised, and as long as the target.
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
            // SAFETY: the slot is as above, and as long as the source, which has no padding.
            unsafe { fabric.put(image, self.slot(version), source, size_of::<T>()) }
        }
        let (offset, version) = (self.comutex.offset + self.version, version.to_ne_bytes());
        // SAFETY: as in `version`.
        unsafe { fabric.put(image, offset, version.as_ptr(), version.len()) }
    }
}
