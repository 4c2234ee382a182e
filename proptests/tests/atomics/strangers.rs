//! What images share is refused to whoever is no image of their job, where no instruction may reach it.

use std::num::NonZeroU64;

use coarray::Launch;
use coarray::prelude::*;
use coarray_proptests::panic_of;

fn assert_refused(text: &str) {
    assert!(
        text.contains("this thread is not an image of the job"),
        "{text}"
    );
    assert!(text.contains("run the job on one machine"), "{text}");
}

#[test]
fn images_of_another_job_hear_why_they_cannot_use_what_nodes_share() {
    for images in [1, 2] {
        for direct in [true, false] {
            let outcome = Launch::new(2).simulated_nodes(2).run(|| {
                let word = Coarray::new(Coatomic::new(NonZeroU64::MIN));
                let bytes = Coarray::new(Coatomic::new([7u8; 3]));
                let mutex = Coarray::new(Comutex::new(1u8));
                sync_all();
                let (word, bytes): (&Coatomic<_>, &Coatomic<_>) = (&word, &bytes);
                let mutex: &Comutex<u8> = &mutex;
                let texts = Launch::new(images).direct(direct).run(|| {
                    [
                        panic_of(|| word.load()),
                        panic_of(|| word.store(NonZeroU64::MAX)),
                        panic_of(|| bytes.load()),
                        panic_of(|| bytes.swap([1; 3])),
                        panic_of(|| mutex.is_poisoned()),
                        panic_of(|| mutex.clear_poison()),
                        panic_of(|| mutex.lock()),
                    ]
                });
                let texts = texts.unwrap();
                let (of_mutexes, of_atomics): (Vec<_>, Vec<_>) = texts
                    .iter()
                    .flatten()
                    .partition(|text| text.contains("mutex"));
                of_atomics.iter().for_each(|text| assert_refused(text));
                assert_eq!((of_mutexes.len(), of_atomics.len()), (images, 6 * images));
                assert_eq!((word.load(), bytes.load()), (NonZeroU64::MIN, [7; 3]));
                sync_all();
            });
            outcome.unwrap();
        }
    }
}

#[test]
fn what_was_leaked_in_a_job_of_several_nodes_is_refused_when_that_is_over() {
    let leaked = Launch::new(2).simulated_nodes(2).run(|| {
        let word = Box::leak(Box::new(Coarray::new(Coatomic::new(5u64))));
        let bytes = Box::leak(Box::new(Coarray::new(Coatomic::new([7u8; 3]))));
        let there = 1 - this_image();
        assert!(word.at(there).as_local().is_none() && bytes.at(there).as_local().is_none());
        let (word, bytes): (&'static Coatomic<_>, &'static Coatomic<_>) = (word, bytes);
        (word, bytes)
    });
    for (word, bytes) in leaked.unwrap() {
        assert_refused(&panic_of(|| word.load()));
        assert_refused(&panic_of(|| bytes.swap([1; 3])));
        let texts = coarray::run(2, || panic_of(|| word.fetch_add(1)));
        texts.iter().for_each(|text| assert_refused(text));
    }
    // Other jobs and variables are none of its business.
    coarray::run(2, || {
        let count = Coarray::new(Coatomic::new(0));
        count.at(0).add(1);
        sync_all();
        assert_eq!(count.at(0).load(), 2);
        assert_eq!(Coatomic::new(3).swap(4), 3);
    });
}
