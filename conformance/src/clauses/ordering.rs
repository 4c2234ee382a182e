//! 5. Order and completion: when an image sees the other images' writes.

mod barriers;
mod fences;
mod phases;

use crate::clause::{Clause, Section};

/// The section.
pub const SECTION: Section = Section {
    number: 5,
    title: "order and completion",
    clauses: &[
        Clause::new(
            "5.1",
            "what was put before sync_all is seen by all after it",
            barriers::puts,
        ),
        Clause::new(
            "5.2",
            "so is what images put to their own parts",
            barriers::own_puts,
        ),
        Clause::new(
            "5.3",
            "sync_all completes asynchronous puts that nobody waited for",
            barriers::asynchronous_puts,
        ),
        Clause::new(
            "5.4",
            "no image leaves sync_all before all have entered",
            barriers::nobody_leaves_early,
        ),
        Clause::new(
            "5.5",
            "all of this holds for each kind of barrier",
            barriers::all_kinds,
        ),
        Clause::new(
            "5.6",
            "whoever sees a put that came after fence(i) sees the puts to image i before it",
            fences::fence,
        ),
        Clause::new(
            "5.7",
            "so does the owner that looks at its own word, after a fence each time, until the put arrives",
            fences::fence_and_own_word,
        ),
        Clause::new(
            "5.8",
            "whoever learns of a quiet sees what was put to any image before",
            fences::quiet_by_way_of_others,
        ),
        Clause::new(
            "5.9",
            "image_fence does the same",
            fences::image_fence_by_way_of_others,
        ),
        Clause::new(
            "5.10",
            "quiet completes asynchronous puts that nobody waited for",
            fences::quiet_after_asynchronous_puts,
        ),
        Clause::new(
            "5.11",
            "of two images that put, fence and get, one sees what the other put",
            fences::store_buffering,
        ),
        Clause::new(
            "5.12",
            "with fences around it, a collective tells that puts are done",
            fences::around_a_collective,
        ),
        Clause::new(
            "5.13",
            "what an image wrote before open is got by others in the phase",
            phases::before_open,
        ),
        Clause::new(
            "5.14",
            "what others put in the phase is there, locally, when it has ended",
            phases::after_close,
        ),
        Clause::new(
            "5.15",
            "coarrays that were opened together close one by one",
            phases::opened_together,
        ),
        Clause::new(
            "5.16",
            "the end of one phase orders accesses in another one",
            phases::one_in_another,
        ),
        Clause::new(
            "5.17",
            "a coarray of coatomics, events or mutexes is ready when its creation returns",
            phases::creation,
        ),
    ],
};
