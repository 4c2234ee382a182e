//! Guards that are leaked or dropped by a panic leave the coarray open, and everybody is told so.

use coarray::Launch;
use coarray::failure::fail_image;
use coarray::prelude::*;
use coarray_proptests::{Setting, panic_of};

#[track_caller]
fn on_every_setting(body: impl Fn() + Sync) {
    Setting::everywhere().for_each(|setting| drop(setting.run(&body)));
}

/// Checks that all local uses of a coarray panic and say why.
#[track_caller]
fn assert_lost(coarray: &mut Coarray<[u32; 4]>) {
    let texts = [
        panic_of(|| coarray[0]),
        panic_of(|| coarray[0] = 1),
        panic_of(|| drop(coarray.open())),
        panic_of(|| drop(coarray.publish())),
        panic_of(|| co_sum(coarray)),
    ];
    for text in texts {
        assert!(
            text.contains("still open") && text.contains("leaked, or dropped by a panic"),
            "{text}"
        );
    }
}

#[test]
fn a_coarray_whose_open_guard_was_leaked_cannot_be_used_locally() {
    on_every_setting(|| {
        let mut coarray = Coarray::new([1u32; 4]);
        std::mem::forget(coarray.open());
        assert_lost(&mut coarray);
    });
}

#[test]
fn a_coarray_whose_published_guard_was_leaked_cannot_be_used_locally() {
    on_every_setting(|| {
        let mut coarray = Coarray::new([1u32; 4]);
        std::mem::forget(coarray.publish());
        assert_lost(&mut coarray);
    });
}

#[test]
fn a_run_whose_guard_was_leaked_cannot_be_used_locally() {
    on_every_setting(|| {
        let mut run = Ragged::from_fn(this_image() + 1, |_| 'x');
        std::mem::forget(run.open());
        let texts = [
            panic_of(|| run[0]),
            panic_of(|| run.replace(3, |_| 'y')),
            panic_of(|| drop(run.open())),
            panic_of(|| drop(run.publish())),
        ];
        assert!(
            texts.iter().all(|text| text.contains("still open")),
            "{texts:?}"
        );
    });
}

#[test]
fn rows_whose_guard_was_leaked_cannot_be_used_locally() {
    on_every_setting(|| {
        let mut rows = RaggedRows::from_fn(2, |row| vec!['x'; row + this_image()]);
        std::mem::forget(rows.publish());
        let texts = [
            panic_of(|| rows[0].len()),
            panic_of(|| rows[0].fill('z')),
            panic_of(|| rows.iter().len()),
            panic_of(|| rows.iter_mut().len()),
            panic_of(|| rows.replace(1, 3, |_| 'y')),
            panic_of(|| rows.replace(1, 0, |_| 'y')),
            panic_of(|| drop(rows.open())),
            panic_of(|| drop(rows.publish())),
        ];
        assert!(
            texts.iter().all(|text| text.contains("still open")),
            "{texts:?}"
        );
        assert_eq!(format!("{rows:?}"), "RaggedRows<char>, still open");
    });
}

#[test]
fn a_coarray_whose_guard_was_dropped_by_a_panic_cannot_be_used_locally() {
    on_every_setting(|| {
        let mut coarray = Coarray::new([1u32; 4]);
        let text = panic_of(|| {
            let open = coarray.open();
            open.here()[4].get()
        });
        assert!(text.contains("index 4"), "{text}");
        assert_lost(&mut coarray);
        let mut coarray = Coarray::new([1u32; 4]);
        let text = panic_of(|| {
            let published = coarray.publish();
            let _held = &published;
            panic!("in the read-only phase")
        });
        assert_eq!(text, "in the read-only phase");
        assert_lost(&mut coarray);
    });
}

#[test]
fn a_leaked_coarray_stays_where_it_is_when_it_is_dropped() {
    for setting in Setting::everywhere() {
        setting.run_in(64 << 10, || {
            let mut leaked = Coarray::<[u64]>::from_fn(1000, |_| 7);
            let open = leaked.open();
            let right = (this_image() + 1) % num_images();
            let place = open.at(right)[999].address();
            std::mem::forget(open);
            drop(leaked);
            // All that is left of the heap is taken, filled and given back.
            for _ in 0..3 {
                let mut others = Vec::new();
                while let Ok(mut other) = Coarray::<[u64]>::try_zeroed(700) {
                    other.fill(1);
                    others.push(other);
                }
                assert!(others.len() > 5);
            }
            sync_all();
            // SAFETY: the guard was leaked, so the coarray is open for good.
            let place = unsafe { place.as_coref() }.expect("it points to an item");
            assert_eq!(place.get(), 7);
        });
    }
}

#[test]
fn a_guard_that_one_image_leaks_is_reported_where_the_others_wait_for_it() {
    for setting in Setting::everywhere().filter(|setting| setting.images > 1) {
        let failure = setting.launch().run(|| {
            let mut coarray = Coarray::new(0u8);
            let open = coarray.open();
            if this_image() == 0 {
                std::mem::forget(open);
            }
        });
        let text = failure.unwrap_err().to_string();
        assert!(text.contains("image 0: the end of the program"), "{text}");
        assert!(
            text.contains(": the end of the open phase of the coarray of u8"),
            "{text}"
        );
    }
}

#[test]
fn a_failure_of_one_image_ends_the_others_in_the_middle_of_a_phase() {
    for setting in Setting::everywhere().filter(|setting| setting.images > 1) {
        let failure = setting.launch().run(|| {
            let mut coarray = Coarray::new([0u8; 4]);
            let open = coarray.open();
            assert!(this_image() != 1, "this one gives up");
            open.close();
            sync_all();
        });
        let failure = failure.unwrap_err();
        assert_eq!(failure.image, 1);
        assert!(failure.text.contains("this one gives up"), "{failure}");
    }
}

#[test]
fn what_a_failed_image_read_in_place_is_not_written_while_its_threads_may_read() {
    let outcome = Launch::new(3).keep_going(true).run(|| {
        let coarray = Box::leak(Box::new(Coarray::new([7u64; 100])));
        if this_image() == 1 {
            let published = Box::leak(Box::new(coarray.publish()));
            let theirs = published.try_ref(0).unwrap();
            // This thread goes on when the image has failed.
            std::thread::spawn(move || assert_eq!(*theirs, [7; 100]));
            fail_image();
        }
        coarray.publish().close();
        panic_of(|| coarray.fill(8))
    });
    for message in outcome.unwrap() {
        assert!(message.contains("still open"), "{message}");
    }
}
