//! Whole jobs on this fabric, as their users see them.

use testing::programs::{IMAGES, program};
use testing::run;

#[test]
fn a_number_goes_round_wherever_images_are() {
    for images in IMAGES {
        for shared in ["1", "0"] {
            let mut ring = program(images, "sockets_ring");
            ring.env("COARRAY_SHARED_MEMORY", shared);
            let rounds = 100 * images * (images - 1) / 2;
            assert_eq!(run(ring).success(), format!("{images} images: {rounds}\n"));
        }
    }
}

#[test]
fn an_image_that_panics_ends_the_job_and_is_named() {
    for shared in ["1", "0"] {
        let mut ring = program(3, "sockets_ring");
        ring.arg("panic").env("COARRAY_SHARED_MEMORY", shared);
        let end = run(ring);
        assert_eq!(end.code, Some(101), "{end:#?}");
        assert!(end.stderr.contains("coarray: image 1 panicked"), "{end:#?}");
        assert!(end.stderr.contains("on purpose"), "{end:#?}");
    }
}

#[test]
fn an_image_that_is_killed_ends_the_job_and_is_named() {
    let mut ring = program(3, "sockets_ring");
    ring.arg("kill").env("COARRAY_SHARED_MEMORY", "0");
    let end = run(ring);
    assert_eq!(end.code, Some(134), "{end:#?}");
    assert!(
        end.stderr
            .contains("coarray: image 1 was killed by signal 6"),
        "{end:#?}"
    );
}

#[test]
fn an_image_that_exits_without_the_others_ends_the_job_and_is_named() {
    for shared in ["1", "0"] {
        let mut ring = program(3, "sockets_ring");
        ring.arg("exit").env("COARRAY_SHARED_MEMORY", shared);
        let end = run(ring);
        assert_eq!(end.code, Some(1), "{end:#?}");
        assert!(
            end.stderr.contains("coarray: image 1 ended alone"),
            "{end:#?}"
        );
    }
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    for (name, value) in [
        ("COARRAY_HEAP", "much"),
        ("COARRAY_SOCKETS", "here"),
        ("COARRAY_IMAGES", "0"),
    ] {
        let mut ring = program(2, "sockets_ring");
        ring.env(name, value);
        let end = run(ring);
        assert_eq!(end.code, Some(2), "{end:#?}");
        assert!(
            end.stderr
                .contains(&format!("coarray: {name}={value}: expected")),
            "{end:#?}"
        );
        assert_eq!(end.stderr.lines().count(), 1, "{end:#?}");
    }
}

#[test]
fn a_second_launch_is_refused() {
    let mut ring = program(1, "sockets_ring");
    ring.arg("again");
    let end = run(ring);
    assert_eq!(end.code, Some(2), "{end:#?}");
    assert!(
        end.stderr
            .contains("coarray: a program can call launch only once"),
        "{end:#?}"
    );
}
