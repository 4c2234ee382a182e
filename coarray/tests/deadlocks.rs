//! Reports of deadlocks that need more than a plain program: failed images, waits that could end but never
//! will, many images.

use std::time::{Duration, Instant};

use coarray::Launch;
use coarray::failure::{fail_image, failed_images, try_sync_all};
use coarray::locks::critical;
use coarray::prelude::*;

/// Runs images that deadlock, and returns the report.
#[track_caller]
fn report(launch: Launch, body: impl Fn() + Sync) -> String {
    let start = Instant::now();
    let report = launch.run(body).unwrap_err().to_string();
    assert!(start.elapsed() < Duration::from_secs(2), "{report}");
    assert!(
        report.starts_with("coarray: deadlock: no image can go on\n"),
        "{report}"
    );
    report
}

#[track_caller]
fn assert_says(report: &str, lines: &[(&str, &str)]) {
    for (start, end) in lines {
        let said = |line: &str| line.starts_with(start) && line.ends_with(end);
        assert!(report.lines().any(said), "{start} ... {end}: {report}");
    }
}

#[test]
fn survivors_of_a_failure_can_still_deadlock() {
    let report = report(Launch::new(3).keep_going(true), || {
        if this_image() == 2 {
            fail_image();
        }
        while failed_images().is_empty() {
            std::thread::yield_now();
        }
        match this_image() {
            0 => assert!(try_sync_all().is_err()),
            _ => sync_images(&[0]),
        }
    });
    assert_says(
        &report,
        &[
            ("  image 0 is in sync_all at ", ", waiting for image 1"),
            ("  image 1 is in sync_images at ", ", waiting for image 0"),
            ("  image 2 has failed", "failed"),
            ("the cycle: image 0 -> image 1 -> image 0", ""),
        ],
    );
}

#[test]
fn a_failure_elsewhere_hides_no_deadlock_of_a_team() {
    let report = report(Launch::new(3).keep_going(true), || {
        let event = Coarray::new(Coevent::new());
        let team = Team::form(u64::from(this_image() == 2));
        team.change(|| {
            if this_image() == 0 && team.number() == Some(1) {
                fail_image();
            }
            if this_image() == 0 {
                event.wait();
            }
            sync_all();
        });
    });
    assert_says(
        &report,
        &[
            ("  image 0 waits at ", ", waiting for any image"),
            (
                "  image 1 is in sync_all of team 0 at ",
                ", waiting for image 0",
            ),
            ("  image 2 has failed", ""),
            ("the cycle: image 1 -> image 0 -> any image", ""),
        ],
    );
}

#[test]
fn a_time_limit_that_never_comes_is_none() {
    let report = report(Launch::new(2), || {
        let event = Coarray::new(Coevent::new());
        let _ = event.wait_timeout(Duration::MAX);
    });
    assert_says(&report, &[("the cycle: images 0 and 1 -> any image", "")]);
}

#[test]
fn an_event_that_no_other_image_can_reach_is_waited_for_in_vain() {
    let report = report(Launch::new(1), || Coevent::new().wait());
    assert_says(
        &report,
        &[
            (
                "  image 0 waits at ",
                "in memory that is no coarray, waiting for any image",
            ),
            ("the cycle: image 0 -> any image", ""),
        ],
    );
}

#[test]
fn two_cycles_are_both_named() {
    let report = report(Launch::new(5), || {
        let locks = Coarray::new(Comutex::new(0));
        let partner = [1, 0, 3, 2, 4][this_image()];
        let _mine = locks.lock();
        sync_all();
        match this_image() {
            4 => critical(sync_all),
            _ => locks.at(partner).lock().put(1),
        }
    });
    let end =
        "\nthe cycle: image 0 -> image 1 -> image 0\nthe cycle: image 2 -> image 3 -> image 2";
    assert!(report.ends_with(end), "{report}");
}

#[test]
fn three_hundred_images_fit_into_a_report() {
    let report = report(Launch::new(300).heap(1 << 16), || {
        let turn = Coarray::new(Coevent::new());
        match this_image() {
            77 => turn.wait(),
            78 => sync_images(&[77]),
            _ => sync_all(),
        }
    });
    assert_says(
        &report,
        &[
            ("  image 77 waits at ", ", waiting for any image"),
            ("  image 78 is in sync_images at ", ", waiting for image 77"),
            ("  images 0 to 76, 79 to ", ""),
            ("the cycle: image ", ""),
        ],
    );
}
