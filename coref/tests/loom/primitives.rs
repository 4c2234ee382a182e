//! The primitives of `slots.rs`, made of loom's types.
//!
//! loom tries two accesses to a word in both orders only if no later access hides the first, and a writer
//! that reads before it writes hides every reader. So each access here also changes a word that all threads
//! share. That change cannot be hidden, and as it is relaxed, it orders nothing.

pub(crate) use loom::hint::spin_loop as pause;
pub(crate) use loom::sync::atomic::{Ordering, fence};

loom::lazy_static! {
    static ref STEPS: loom::sync::atomic::AtomicUsize = loom::sync::atomic::AtomicUsize::new(0);
}

fn step() {
    STEPS.fetch_add(1, Ordering::Relaxed);
}

macro_rules! atomics {
    ($($name:ident of $value:ident),*) => { $(
        pub(crate) struct $name(loom::sync::atomic::$name);

        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                Self(loom::sync::atomic::$name::new(value))
            }

            pub(crate) fn load(&self, ordering: Ordering) -> $value {
                step();
                self.0.load(ordering)
            }

            pub(crate) fn store(&self, value: $value, ordering: Ordering) {
                step();
                self.0.store(value, ordering);
            }
        }
    )* };
}

atomics!(AtomicU32 of u32, AtomicU64 of u64);

impl AtomicU32 {
    pub(crate) fn compare_exchange(
        &self,
        current: u32,
        new: u32,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u32, u32> {
        step();
        self.0.compare_exchange(current, new, success, failure)
    }
}
