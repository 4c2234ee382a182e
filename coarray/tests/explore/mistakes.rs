//! Mistakes that only some schedules show.

use std::env;
use std::process::Command;

use coarray::check::racy;
use coarray::prelude::*;
use coarray::testing::Explore;

use crate::failure;

/// The schedule of a report.
fn schedule(report: &str) -> &str {
    let schedule = report.split("COARRAY_SCHEDULE=\"").nth(1).unwrap();
    schedule.split('"').next().unwrap()
}

/// How many deviations it has.
fn deviations(report: &str) -> usize {
    schedule(report).split(' ').count() - 1
}

/// Two images add, and one does not see what the other has added.
fn lose_an_update() {
    let sum = Coarray::new(Coatomic::new(0));
    let before = sum.at(0).load();
    sum.at(0).store(before + 1);
    sync_all();
    assert!(this_image() > 0 || sum.load() == 2, "an update is lost");
}

#[test]
fn a_lost_update_is_found() {
    let report = failure(|| Explore::new(2).run(lose_an_update));
    assert!(report.contains("an update is lost"), "{report}");
    assert!(deviations(&report) <= 2, "{report}");
}

#[test]
#[ignore = "is run by the next one, and fails"]
fn the_lost_update_itself() {
    Explore::new(2).schedules(1).run(lose_an_update);
}

/// Runs an ignored test in another process, with this schedule. Returns whether it succeeded, and what it printed.
fn run_again(test: &str, schedule: &str) -> (bool, String) {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .env("COARRAY_SCHEDULE", schedule)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), text)
}

#[test]
fn a_schedule_fails_again_in_another_process() {
    let report = failure(|| Explore::new(2).run(lose_an_update));
    let run = |schedule: &str| run_again("mistakes::the_lost_update_itself", schedule);
    for _ in 0..10 {
        let (succeeded, text) = run(schedule(&report));
        assert!(
            !succeeded && text.contains("this schedule fails:"),
            "{text}"
        );
        assert!(text.contains("an update is lost"), "{text}");
    }
    assert!(run("2i").0, "the plain schedule");
    assert!(run("3i 1>2").0, "of another number of images");
    let (succeeded, text) = run("2i 14");
    assert!(!succeeded, "{text}");
    assert!(
        text.contains("COARRAY_SCHEDULE=2i 14: `14` is no step and image"),
        "{text}"
    );
}

/// As [`lose_an_update`], by a get and a put, between which nobody synchronises, and which may race.
fn lose_a_racy_update() {
    let mut sum = Coarray::new(0);
    let sum = sum.open();
    let place = sum.at(0);
    racy("some updates may be lost", || {
        let before = place.get();
        place.put(before + 1);
    });
    sync_all();
    assert!(
        this_image() > 0 || place.get() == 2,
        "a racy update is lost"
    );
}

#[test]
#[ignore = "is run by the next one, and fails"]
fn the_racy_update_itself() {
    Explore::new(2).schedules(1).run(lose_a_racy_update);
}

#[test]
fn an_update_that_is_lost_between_two_accesses_that_race_is_found() {
    let explore = || Explore::new(2).delay_puts(false);
    for report in [
        failure(|| explore().run(lose_a_racy_update)),
        failure(|| explore().racy_too().run(lose_a_racy_update)),
    ] {
        assert!(report.contains("a racy update is lost"), "{report}");
        assert!(report.contains(" - at this point image "), "{report}");
        assert_eq!(deviations(&report), 1, "{report}");
        for _ in 0..10 {
            let again = run_again("mistakes::the_racy_update_itself", schedule(&report));
            assert!(
                !again.0 && again.1.contains("a racy update is lost"),
                "{}",
                again.1
            );
        }
    }
    assert!(
        run_again("mistakes::the_racy_update_itself", "2i").0,
        "the plain one"
    );
}

#[test]
fn a_flag_without_a_fence_is_found() {
    let report = failure(|| {
        Explore::new(2).schedules(200).racy_too().run(|| {
            let mut data = Coarray::new([0, 0]);
            let data = data.open();
            if this_image() == 0 {
                data.at(1)[0].put(42);
                data.at(1)[1].put(1);
            } else {
                while data.here()[1].get() == 0 {}
                coarray::image_fence();
                assert_eq!(data.here()[0].get(), 42);
            }
        });
    });
    println!("{report}");
    assert!(report.contains("1 late put"), "{report}");
}

#[test]
fn a_deadlock_of_two_locks_is_found() {
    let report = failure(|| {
        Explore::new(2).schedules(100).run(|| {
            let locks = Coarray::new([Comutex::new(0), Comutex::new(0)]);
            let (first, second) = match this_image() {
                0 => (0, 1),
                _ => (1, 0),
            };
            let locks = locks.at(0);
            let _one = locks[first].lock();
            let _other = locks[second].lock();
        });
    });
    println!("{report}");
    assert!(report.contains("deadlock"), "{report}");
    assert!(deviations(&report) <= 2, "{report}");
}

#[test]
fn images_that_poll_what_nobody_writes_are_named() {
    let report = failure(|| {
        Explore::new(3).schedules(100).racy_too().run(|| {
            let mut flag = Coarray::new(0);
            let flag = flag.open();
            if this_image() != 1 {
                while flag.here().get() == 0 {}
            }
        });
    });
    println!("{report}");
    assert!(
        report.contains("nobody will ever write what images 0 and 2 poll at"),
        "{report}"
    );
    assert_eq!(deviations(&report), 0, "{report}");
}

#[test]
fn a_sum_by_order_of_arrival_is_found() {
    let report = failure(|| {
        Explore::new(3).schedules(100).same_result().run(|| {
            let sum = Coarray::new(Comutex::new(0.0));
            let mine = [1.0, -1e16, 1e16][this_image()];
            sum.at(0).lock().update(|sum| *sum += mine);
            sync_all();
            sum.at(0).lock().get()
        });
    });
    println!("{report}");
    assert!(report.contains("the results differ"), "{report}");
}

#[test]
fn a_lost_wake_up_is_found() {
    let report = failure(|| {
        Explore::new(2).schedules(200).run(|| {
            // "Nobody waits, so no post is needed" is decided before the other one says that it waits.
            let waits = Coarray::new(Coatomic::new(false));
            let done = Coarray::new(Coatomic::new(false));
            let wake = Coarray::new(Coevent::new());
            if this_image() == 0 {
                let has_to_be_woken = waits.load();
                done.store(true);
                if has_to_be_woken {
                    wake.at(1).post();
                }
            } else if !done.at(0).load() {
                waits.at(0).store(true);
                wake.wait();
            }
        });
    });
    println!("{report}");
    assert!(report.contains("deadlock"), "{report}");
    assert!(deviations(&report) <= 3, "{report}");
}

#[test]
fn a_credit_too_many_is_found() {
    let report = failure(|| {
        Explore::new(2).schedules(200).racy_too().run(|| {
            // Two places, and three credits.
            const PLACES: usize = 2;
            let (full, empty) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
            let mut queue = Coarray::new([0; PLACES]);
            let queue = queue.open();
            for value in 0..6 {
                if this_image() == 0 {
                    if value > PLACES {
                        empty.wait();
                    }
                    queue.at(1)[value % PLACES].put_notify(value, full.at(1));
                } else {
                    full.wait();
                    assert_eq!(queue.here()[value % PLACES].get(), value);
                    empty.at(0).post();
                }
            }
        });
    });
    println!("{report}");
    assert!(report.contains("left == right"), "{report}");
    assert!(deviations(&report) <= 3, "{report}");
}

#[test]
fn an_aba_stack_is_found() {
    const NOBODY: usize = 9;
    let report = failure(|| {
        Explore::new(2).schedules(1000).run(|| {
            // A stack of the nodes 2, 1, 0; each has the next one below it.
            let top = Coarray::new(Coatomic::new(2));
            let below = Coarray::new([NOBODY, 0, 1].map(Coatomic::new));
            let taken = Coarray::new([0; 3].map(Coatomic::new));
            let (top, below, taken) = (top.at(0), below.at(0), taken.at(0));
            let pop = || {
                loop {
                    let node = top.load();
                    if node == NOBODY {
                        return None;
                    }
                    let next = below[node].load();
                    if top.compare_exchange(node, next).is_ok() {
                        return Some(node);
                    }
                }
            };
            let push = |node: usize| {
                loop {
                    let next = top.load();
                    below[node].store(next);
                    if top.compare_exchange(next, node).is_ok() {
                        return;
                    }
                }
            };
            let take = |node: Option<usize>| {
                if let Some(node) = node {
                    assert_eq!(taken[node].fetch_add(1), 0, "node {node} is taken twice");
                }
            };
            sync_all();
            if this_image() == 0 {
                take(pop());
            } else {
                let first = pop();
                take(pop());
                first.map(push);
            }
            sync_all();
            // What is left.
            while let Some(node) = (this_image() == 0).then(pop).flatten() {
                take(Some(node));
            }
        });
    });
    println!("{report}");
    assert!(report.contains("is taken twice"), "{report}");
    assert!(deviations(&report) <= 3, "{report}");
}

#[test]
fn a_wait_that_a_later_post_satisfies_is_found() {
    let report = failure(|| {
        Explore::new(3).schedules(200).racy_too().run(|| {
            // Image 2 counts two posts, but takes the second of image 0 for the one of image 1.
            let arrived = Coarray::new(Coevent::new());
            let mut values = Coarray::new([0, 0]);
            let values = values.open();
            match this_image() {
                2 => {
                    arrived.wait_for(2);
                    let sum = values.here()[0].get() + values.here()[1].get();
                    assert_eq!(sum, 3);
                    arrived.wait();
                }
                me => {
                    values.at(2)[me].put(me + 1);
                    arrived.at(2).post();
                    if me == 0 {
                        arrived.at(2).post();
                    }
                }
            }
        });
    });
    println!("{report}");
    assert!(deviations(&report) <= 2, "{report}");
}
