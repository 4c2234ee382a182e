//! What images know of each other: who is active, who has failed, who has stopped.

use std::time::Duration;

use coarray::failure::{
    ImageStatus, fail_image, failed_images, image_status, stopped_images, try_sync_all,
};
use coarray::locks::{critical, try_critical};
use coarray::prelude::*;
use rustix::process::{Signal, getpid, kill_process};

use crate::job::{Check, Plan, keeping_going, run};

pub fn trials() -> Vec<Check> {
    vec![
        ("images_know_who_has_failed_and_who_has_stopped", both),
        ("an_image_killed_in_a_critical_section_is_told", section),
    ]
}

/// Image 1 fails, image 2 stops, and image 0 sees it, alone and from within a team.
pub fn program() {
    let team = Team::form_with_index(1, num_images() - 1 - this_image());
    assert_eq!((failed_images(), stopped_images()), (vec![], vec![]));
    assert!((0..4).all(|image| image_status(image) == ImageStatus::Active));
    // All come here before image 1 fails, so this is no failure to anyone.
    sync_all();
    if this_image() == 1 {
        fail_image();
    }
    assert_eq!(try_sync_all().unwrap_err().images, [1]);
    assert_eq!(failed_images(), [1]);
    assert_eq!(image_status(1), ImageStatus::Failed);
    assert_eq!(team.failed_images(), [2]);
    if this_image() == 2 {
        return;
    }
    while !stopped_images().contains(&2) {
        std::thread::yield_now();
    }
    assert_eq!(image_status(2), ImageStatus::Stopped);
    assert_eq!(image_status(this_image()), ImageStatus::Active);
    println!("survived {}", this_image());
}

fn both() {
    let nobody = Plan {
        images: 4,
        victims: Vec::new(),
        delay: Duration::ZERO,
        gap: Duration::ZERO,
    };
    for fabric in ["processes", "threads"] {
        let mut command = keeping_going(nobody.images, "status");
        command.env("COARRAY_FABRIC", fabric);
        let end = run(command, &nobody);
        assert_eq!(
            (end.code, end.survivors()),
            (Some(0), vec![0, 3]),
            "{end:#?}"
        );
        assert!(
            end.stderr
                .starts_with("coarray: image 1 called fail_image() at ")
                && end.stderr.lines().count() == 1,
            "{end:#?}"
        );
    }
}

/// Image 2 is killed in a critical section; the others are told, and enter it again.
pub fn section_program() {
    let entered = Coarray::new(Coatomic::new(0));
    let told = Coarray::new(Coatomic::new(0));
    if this_image() == 2 {
        let _ = try_critical(|| kill_process(getpid(), Signal::KILL));
    }
    while failed_images().is_empty() {
        std::thread::yield_now();
    }
    if let Err(failed) = try_critical(|| ()) {
        assert_eq!((failed.images, failed.stopped), (vec![2], vec![]));
        told.at(0).add(1);
    }
    try_sync_all().unwrap_err();
    assert!((1..=3).contains(&told.at(0).load()));
    // The plain form would end the job if the section was not open again.
    critical(|| entered.at(0).store(entered.at(0).load() + 1));
    try_sync_all().unwrap_err();
    assert_eq!(entered.at(0).load(), 3);
    println!("survived {}", this_image());
}

fn section() {
    let nobody = Plan {
        images: 4,
        victims: Vec::new(),
        delay: Duration::ZERO,
        gap: Duration::ZERO,
    };
    let end = run(keeping_going(nobody.images, "section"), &nobody);
    assert_eq!(
        (end.code, end.survivors()),
        (Some(0), vec![0, 1, 3]),
        "{end:#?}"
    );
}
