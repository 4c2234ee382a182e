//! Plain threads take turns as the scheduler says.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::thread;

use super::*;
use crate::schedule::plan::Deviation;

/// Runs `body` on so many threads; returns the scheduler, and whether it has been stuck.
fn run(
    scheduler: Scheduler,
    images: usize,
    body: impl Fn(&Scheduler, usize) -> Result<(), Stuck> + Sync,
) -> (Scheduler, Option<String>) {
    let stuck = Mutex::new(None);
    let note = |outcome: Result<(), Stuck>| {
        if let Err(Stuck(text)) = outcome {
            stuck.lock().unwrap().get_or_insert(text);
            scheduler.end();
            return true;
        }
        false
    };
    thread::scope(|scope| {
        for image in 0..images {
            let (scheduler, body, note) = (&scheduler, &body, &note);
            scope.spawn(move || {
                scheduler.begin(image);
                note(body(scheduler, image));
                if note(scheduler.finish(image)) {
                    scheduler.finish(image).unwrap();
                }
            });
        }
    });
    (scheduler, stuck.into_inner().unwrap())
}

/// The accesses at these lines.
fn at(lines: &[Line]) -> Accesses {
    Accesses::At(lines.iter().copied().collect())
}

fn plain(images: usize, deviations: &[Deviation]) -> Scheduler {
    let deviations = deviations.to_vec();
    Scheduler::replay(&SchedulePlan { images, deviations }, &at(&[]))
}

fn explored(images: usize, strategy: Strategy, seed: u64, accesses: &Accesses) -> Scheduler {
    let exploration = Exploration {
        strategy,
        seed,
        steps: 30,
        chances: 30,
        delays_puts: false,
    };
    Scheduler::new(images, &exploration, accesses)
}

/// Each image appends its number, between points. Exactly one thread at a time does.
fn appended(scheduler: Scheduler, images: usize) -> (Scheduler, Vec<usize>) {
    let (running, order) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let (scheduler, stuck) = run(scheduler, images, |scheduler, image| {
        for _ in 0..5 {
            assert_eq!(running.fetch_add(1, Ordering::Relaxed), 0);
            order.lock().unwrap().push(image);
            assert_eq!(running.fetch_sub(1, Ordering::Relaxed), 1);
            scheduler.point(image, "append", None, true)?;
        }
        Ok(())
    });
    assert_eq!(stuck, None);
    (scheduler, order.into_inner().unwrap())
}

#[test]
fn the_plain_schedule_lets_one_image_after_the_other_run_to_its_end() {
    let (scheduler, order) = appended(plain(3, &[]), 3);
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(scheduler.plan().to_string(), "3i");
}

#[test]
fn a_deviation_is_a_switch_at_its_step() {
    let at = |step, image| Deviation::Switch { step, image };
    let (scheduler, order) = appended(plain(2, &[at(3, 1), at(5, 0)]), 2);
    assert_eq!(order, [0, 0, 1, 1, 0, 0, 0, 1, 1, 1]);
    assert_eq!(scheduler.plan().to_string(), "2i 3>1 5>0");
}

#[test]
fn a_schedule_by_chance_is_repeated_by_its_deviations() {
    let strategies = [
        Strategy::Pct(3),
        Strategy::Random,
        Strategy::Walk(8),
        Strategy::RoundRobin,
    ];
    for strategy in strategies {
        for seed in 0..20 {
            let (first, order) = appended(explored(4, strategy, seed, &at(&[])), 4);
            let (again, same) = appended(explored(4, strategy, seed, &at(&[])), 4);
            assert_eq!(order, same);
            let plan = first.plan();
            assert_eq!(plan, again.plan());
            let (replayed, same) = appended(Scheduler::replay(&plan, &at(&[])), 4);
            assert_eq!(order, same, "{plan}");
            assert_eq!(replayed.plan(), plan);
            let anchored = Scheduler::follow(4, &first.anchored(), &at(&[]));
            let (followed, same) = appended(anchored, 4);
            assert_eq!((same, followed.plan()), (order, plan));
            let histories = [first, again, replayed, followed].map(|it| it.take_history().hash());
            assert!(histories.iter().all(|&hash| hash == histories[0]));
        }
    }
}

#[test]
fn images_switch_at_accesses_of_some_lines_and_a_schedule_repeats_it_without_knowing_them() {
    let [raced, other] = [Location::caller(), Location::caller()];
    // What each image does, with the number of the image, in the order of the run.
    let accessed = |scheduler: Scheduler| {
        let order = Mutex::new(Vec::new());
        let (scheduler, stuck) = run(scheduler, 3, |scheduler, image| {
            for line in [other, raced, other, raced, other] {
                scheduler.access(image, "put", Some(line))?;
                order.lock().unwrap().push((image, line));
            }
            Ok(())
        });
        assert_eq!(stuck, None);
        (scheduler, order.into_inner().unwrap())
    };
    let mut several = HashSet::new();
    for seed in 0..50 {
        let explored = |lines: &[Line]| explored(3, Strategy::Random, seed, &at(lines));
        let (_, order) = accessed(explored(&[]));
        let is_switch = |pair: &[(usize, Line)]| pair[0].0 != pair[1].0;
        let switches = order.windows(2).filter(|pair| is_switch(pair)).count();
        assert_eq!(switches, 2, "{order:?}");
        let (first, order) = accessed(explored(&[raced]));
        // The one that loses the turn is before the raced line, or at its end.
        for (index, pair) in order.windows(2).enumerate() {
            let (image, _) = pair[0];
            let rest = &order[index + 1..];
            let next = rest.iter().find(|(other, _)| *other == image);
            assert!(!is_switch(pair) || next.is_none_or(|&(_, line)| line == raced));
        }
        let plan = first.plan();
        let (replayed, same) = accessed(Scheduler::replay(&plan, &at(&[])));
        assert_eq!((replayed.plan(), &same), (plan.clone(), &order));
        let (followed, same) = accessed(Scheduler::follow(3, &first.anchored(), &at(&[])));
        assert_eq!((followed.plan(), &same), (plan, &order));
        let histories = [first, replayed, followed].map(|it| it.take_history().hash());
        assert!(histories.iter().all(|&hash| hash == histories[0]));
        several.insert(order);
    }
    assert!(several.len() > 10, "{}", several.len());
}

#[test]
fn a_sleeper_goes_on_when_its_word_has_changed_or_time_has_passed() {
    let word = AtomicU64::new(0);
    let (_, stuck) = run(plain(2, &[]), 2, |scheduler, image| {
        let begun = scheduler.now();
        let hour = Duration::from_secs(3600);
        if image == 0 {
            assert!(scheduler.sleep(image, &word, 0, hour)?);
            assert_eq!(word.load(Ordering::Relaxed), 1);
            assert!(scheduler.now() - begun < Duration::from_millis(1));
            // Nobody changes it any more.
            assert!(!scheduler.sleep(image, &word, 1, hour)?);
            assert!(scheduler.now() - begun >= hour);
        } else {
            word.store(1, Ordering::Relaxed);
        }
        Ok(())
    });
    assert_eq!(stuck, None);
}

#[test]
fn who_looks_in_vain_lets_the_others_go_on() {
    let done = AtomicU64::new(0);
    let (_, stuck) = run(plain(3, &[]), 3, |scheduler, image| {
        if image < 2 {
            while done.load(Ordering::Relaxed) <= image as u64 {
                scheduler.yield_turn(image)?;
            }
        } else {
            for _ in 0..2 {
                done.fetch_add(1, Ordering::Relaxed);
                scheduler.point(image, "add", None, true)?;
            }
        }
        Ok(())
    });
    assert_eq!(stuck, None);
}

#[test]
fn who_polls_waits_for_the_place() {
    let flag = AtomicU64::new(0);
    let address = flag.as_ptr().expose_provenance();
    let looks = AtomicUsize::new(0);
    let (_, stuck) = run(plain(2, &[]), 2, |scheduler, image| {
        if image == 0 {
            while flag.load(Ordering::Relaxed) == 0 {
                looks.fetch_add(1, Ordering::Relaxed);
                // SAFETY: the word outlives the run, and all accesses to it are atomic.
                unsafe { scheduler.look(image, address, 8, Some("get"), None) }?;
            }
        } else {
            for _ in 0..100 {
                scheduler.point(image, "compute", None, true)?;
            }
            flag.store(1, Ordering::Relaxed);
        }
        Ok(())
    });
    assert_eq!(stuck, None);
    assert_eq!(looks.into_inner(), 3);
}

#[test]
fn if_nobody_writes_what_all_poll_it_is_said() {
    let flag = AtomicU64::new(0);
    let address = flag.as_ptr().expose_provenance();
    let (_, stuck) = run(plain(3, &[]), 3, |scheduler, image| {
        while image != 1 && flag.load(Ordering::Relaxed) == 0 {
            // SAFETY: as above.
            let seen =
                unsafe { scheduler.look(image, address, 8, Some("get"), Some(Location::caller())) };
            if seen.is_err() {
                // As the end of a job: the other one stops polling, too.
                flag.store(1, Ordering::Relaxed);
            }
            seen?;
        }
        Ok(())
    });
    let said = stuck.unwrap();
    let expected = format!(
        "nobody will ever write what images 0 and 2 poll at {}",
        file!()
    );
    assert!(said.starts_with(&expected), "{said}");
}

#[test]
fn an_image_that_waits_for_ever_is_stuck_and_named() {
    let (scheduler, stuck) = run(plain(2, &[]), 2, |scheduler, image| {
        scheduler.point(image, "post", None, true)?;
        if image == 0 {
            return Ok(());
        }
        loop {
            scheduler.yield_turn(image)?;
        }
    });
    assert_eq!(
        stuck.as_deref(),
        Some("no image can go on: image 1 waits (its last operation: post)")
    );
    assert!(scheduler.steps() < 10_000);
}

#[test]
fn a_run_without_an_end_is_ended() {
    let (scheduler, stuck) = run(plain(1, &[]), 1, |scheduler, image| {
        loop {
            scheduler.point(image, "post", None, true)?;
        }
    });
    assert!(stuck.unwrap().contains("no end after 200000 steps: "));
    assert!(scheduler.steps() > 200_000);
}

#[test]
fn what_an_image_does_after_its_end_changes_nothing() {
    let (scheduler, stuck) = run(plain(2, &[]), 2, |scheduler, image| {
        scheduler.point(image, "post", None, true)
    });
    assert_eq!(stuck, None);
    let steps = scheduler.steps();
    scheduler.point(1, "post", None, true).unwrap();
    scheduler.yield_turn(0).unwrap();
    assert_eq!(scheduler.steps(), steps);
    assert_eq!(scheduler.take_history().events().len(), 2);
}

#[test]
fn an_image_that_could_not_begin_holds_nobody_up() {
    let scheduler = plain(3, &[]);
    scheduler.finish(1).unwrap();
    thread::scope(|scope| {
        for image in [0, 2] {
            let scheduler = &scheduler;
            scope.spawn(move || {
                scheduler.begin(image);
                scheduler.point(image, "post", None, true).unwrap();
                scheduler.finish(image).unwrap();
            });
        }
    });
}

/// Image 1 fails, and each other image notes with its number whether that was known at each of its points.
fn known(scheduler: Scheduler) -> (Scheduler, Vec<(usize, bool)>) {
    let (is_known, order) = (Arc::new(AtomicBool::new(false)), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for image in 0..3 {
            let (scheduler, order, is_known) = (&scheduler, &order, Arc::clone(&is_known));
            scope.spawn(move || {
                scheduler.begin(image);
                if image == 1 {
                    let declare = move || is_known.store(true, Ordering::Relaxed);
                    return scheduler.fail(image, declare).unwrap();
                }
                for _ in 0..3 {
                    let knows = is_known.load(Ordering::Relaxed);
                    order.lock().unwrap().push((image, knows));
                    scheduler.point(image, "look", None, true).unwrap();
                }
                scheduler.finish(image).unwrap();
            });
        }
    });
    (scheduler, order.into_inner().unwrap())
}

#[test]
fn others_learn_that_an_image_has_failed_when_the_schedule_says_so() {
    let [no, yes] = [false, true].map(|knows| move |image| (image, knows));
    let (scheduler, order) = known(plain(3, &[]));
    // Image 1 fails when image 0 is over, and that is known at once.
    assert_eq!(order, [no(0), no(0), no(0), yes(2), yes(2), yes(2)]);
    let events = scheduler.take_history().events().to_vec();
    assert!(
        events
            .iter()
            .any(|event| event.to_string() == "is known to have failed")
    );
    // At step 6, where it fails, another one goes on, and at step 8 it is known.
    let switch = |step, image| Deviation::Switch { step, image };
    let (scheduler, order) = known(plain(3, &[switch(6, 2), switch(8, 1)]));
    assert_eq!(order, [no(0), no(0), no(0), no(2), no(2), yes(2)]);
    assert_eq!(scheduler.plan().to_string(), "3i 6>2 8>1");
    let mut several = HashSet::new();
    for seed in 0..50 {
        let (first, order) = known(explored(3, Strategy::Walk(2), seed, &at(&[])));
        let plan = first.plan();
        let (_, same) = known(Scheduler::replay(&plan, &at(&[])));
        assert_eq!(same, order, "{plan}");
        let (_, same) = known(Scheduler::follow(3, &first.anchored(), &at(&[])));
        assert_eq!(same, order, "{plan}");
        several.insert(order);
    }
    assert!(several.len() > 10, "{}", several.len());
}

#[test]
fn a_sleeper_looks_when_an_image_is_known_to_have_failed() {
    let (scheduler, word) = (plain(2, &[]), AtomicU64::new(0));
    thread::scope(|scope| {
        let (scheduler, word) = (&scheduler, &word);
        scope.spawn(move || {
            scheduler.begin(0);
            let (begun, hour) = (scheduler.now(), Duration::from_secs(3600));
            assert!(!scheduler.sleep(0, word, 0, hour).unwrap());
            assert!(scheduler.now() - begun < hour);
            scheduler.finish(0).unwrap();
        });
        scope.spawn(move || {
            scheduler.begin(1);
            scheduler.fail(1, || ()).unwrap();
        });
    });
}
