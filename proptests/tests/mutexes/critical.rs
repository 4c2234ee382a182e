//! Critical sections.

use crate::{failures, run};
use coarray::locks::critical;
use coarray::prelude::*;
use coarray_proptests::{Setting, panic_of};

#[test]
fn one_image_at_a_time_is_in_a_critical_section() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut count = Coarray::new(0u64);
            let count = count.open();
            let place = count.at(num_images() - 1);
            for turn in 0..200 {
                // Two sections exclude each other as well.
                if turn % 2 == 0 {
                    critical(|| place.put(place.get() + 1));
                } else {
                    let seen = critical(|| {
                        place.put(place.get() + 1);
                        place.get()
                    });
                    assert!(seen > turn);
                }
            }
            sync_all();
            assert_eq!(place.get(), 200 * num_images() as u64);
        });
    }
}

#[test]
fn a_critical_section_in_another_is_an_error_that_names_both() {
    run(3, || {
        let outer = line!() + 1;
        let message = critical(|| panic_of(|| critical(|| ())));
        assert!(
            message.contains(&format!("critical.rs:{outer}:")),
            "{message}"
        );
        assert_eq!(critical(|| 5), 5);
    });
}

#[test]
fn a_panic_leaves_a_critical_section_to_others() {
    run(3, || {
        let message = panic_of(|| critical(|| panic!("half-way")));
        assert_eq!(message, "half-way");
        critical(|| ());
    });
}

#[test]
fn a_collective_in_a_critical_section_is_reported() {
    let failed = failures(2, || critical(sync_all));
    for failure in failed {
        let report = failure.to_string();
        assert!(report.contains("deadlock"), "{report}");
        assert!(
            report.contains("waits to enter the critical section at"),
            "{report}"
        );
        assert!(report.contains("is in sync_all at"), "{report}");
    }
}
