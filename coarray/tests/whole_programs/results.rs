//! Programs that must work, on every fabric and any number of images.

use crate::job::{COUNTS, Check, coarun, on_threads, plain, run};

pub fn trials() -> Vec<Check> {
    vec![
        ("every_image_says_hello", every_image_says_hello),
        ("all_images_put_and_get_everywhere", || {
            on_every_fabric("all_to_all")
        }),
        ("allocations_keep_their_contents", || {
            on_every_fabric("allocation")
        }),
        ("coatomics_lose_no_operation", || {
            on_every_fabric("coatomics")
        }),
        ("operations_go_on_while_images_compute", || {
            on_every_fabric("cofutures")
        }),
        ("asynchronous_collectives_agree_with_arithmetic", || {
            on_every_fabric("asynchronous_collectives")
        }),
        ("collectives_agree_with_arithmetic", || {
            on_every_fabric("collectives")
        }),
        ("teams_compute_apart_and_leave_coarrays_behind", || {
            on_every_fabric("teams")
        }),
        ("events_and_pairs_keep_neighbours_in_step", || {
            on_every_fabric("events")
        }),
        (
            "an_image_that_stops_within_a_function_ends_as_if_main_returned",
            || on_every_fabric("stop"),
        ),
        ("a_panic_that_is_caught_ends_nothing", || {
            on_every_fabric("caught_panic")
        }),
        (
            "an_exhausted_heap_is_an_error_that_names_its_holders",
            exhaustion,
        ),
        ("waiting_images_sleep", waiting_images_sleep),
    ]
}

fn on_every_fabric(program: &str) {
    for images in COUNTS {
        assert_eq!(run(plain(images, program)).success(), "");
        assert_eq!(run(on_threads(images, program)).success(), "");
    }
    assert_eq!(run(coarun(&["-n", "3"], program)).success(), "");
    let mut through_the_fabric = plain(3, program);
    through_the_fabric.env("COARRAY_SHARED_MEMORY", "0");
    assert_eq!(run(through_the_fabric).success(), "");
}

fn every_image_says_hello() {
    for images in COUNTS {
        let mut hellos: Vec<String> = run(plain(images, "hello"))
            .success()
            .lines()
            .map(str::to_owned)
            .collect();
        hellos.sort();
        let expected: Vec<String> = (0..images)
            .map(|image| format!("hello from image {image} of {images}"))
            .collect();
        assert_eq!(hellos, expected);
    }
}

fn exhaustion() {
    for images in [1, 3] {
        let mut command = plain(images, "exhaustion");
        command.env("COARRAY_HEAP", "4M");
        let message = run(command).success();
        assert!(
            message.contains("8.0 GiB") && message.contains("4.0 MiB"),
            "{message}"
        );
        let users: Vec<&str> = message
            .lines()
            .filter(|line| line.contains("created at"))
            .collect();
        assert_eq!(users.len(), 2, "{message}");
        assert!(
            users[0].contains("781.2 KiB  [u64] created at "),
            "{message}"
        );
        assert!(
            users[1].contains("5.9 KiB  3 x [u16; 1000] created at "),
            "{message}"
        );
        assert!(
            users.iter().all(|line| line.contains("failing.rs:")),
            "{message}"
        );
        assert!(message.contains("set COARRAY_HEAP"), "{message}");
    }
}

/// Fifteen images wait for one; together they must not use the processor.
fn waiting_images_sleep() {
    let used: Vec<f64> = run(plain(16, "wait_for_one"))
        .success()
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    assert_eq!(used.len(), 16);
    assert!(
        used.iter().sum::<f64>() < 0.8,
        "16 images used {used:?} seconds of processor time to wait 0.8 s"
    );
}
