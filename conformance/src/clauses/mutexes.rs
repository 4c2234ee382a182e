//! 8. Mutexes and critical sections.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use coarray::collectives::co_all;
use coarray::locks::{LockError, critical, try_critical};
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::parcel::Parcel;
use crate::patience::{patience, until};
use crate::ring::right;

/// The section.
pub const SECTION: Section = Section {
    number: 8,
    title: "mutexes and critical sections",
    clauses: &[
        Clause::new("8.1", "one image at a time has a mutex", exclusion),
        Clause::new(
            "8.2",
            "the holder sees the value that the holder before put",
            values,
        ),
        Clause::new(
            "8.3",
            "it sees all that the holders before put elsewhere",
            data_elsewhere,
        ),
        Clause::new(
            "8.4",
            "a mutex that another image holds is busy, and a wait for it may end",
            busy,
        ),
        Clause::new(
            "8.5",
            "an image that holds a mutex is told so",
            already_held,
        ),
        Clause::new(
            "8.6",
            "images that wait for a mutex get it before one that comes later",
            fairness,
        ),
        Clause::new(
            "8.7",
            "mutexes on different images are different",
            many_mutexes,
        ),
        Clause::new(
            "8.8",
            "a mutex is poisoned by a panic of its holder, with its last value, until cleared",
            poison,
        ),
        Clause::new(
            "8.9",
            "one image at a time is in a critical section",
            sections,
        ),
        Clause::new(
            "8.10",
            "a critical section sees what was put in those before",
            data_in_sections,
        ),
        Clause::new(
            "8.11",
            "critical sections of different teams do not exclude each other",
            sections_of_teams,
        ),
        Clause::new(
            "8.12",
            "try_critical and critical exclude each other, and return what is done there",
            sections_with_errors,
        ),
        Clause::new("8.13", "a mutex of no value is a lock", lock),
    ],
};

const ROUNDS: u64 = 60;

/// Calls `work` with the guard of a mutex; notes a lock that fails.
#[track_caller]
fn locked<T: Remote>(
    check: &mut Check,
    place: &Coref<Comutex<T>>,
    work: impl FnOnce(&mut Check, &mut coarray::locks::ComutexGuard<'_, T>),
) -> bool {
    match place.lock_timeout(patience()) {
        Ok(mut guard) => {
            work(check, &mut guard);
            true
        }
        Err(error) => {
            check.that(false, || error.to_string());
            false
        }
    }
}

/// Gives other images time to intrude, if exclusion is broken: on few cores they would rarely do so by chance.
fn give_way() {
    std::thread::sleep(Duration::from_micros(50));
}

fn exclusion(check: &mut Check) {
    let mutex = Coarray::new(Comutex::new(0_u64));
    let inside = Coarray::new(Coatomic::new(0_u32));
    for round in 0..ROUNDS as usize {
        let place = round % num_images();
        let went_on = locked(check, mutex.at(place), |check, _| {
            let others = inside.at(place).fetch_add(1);
            give_way();
            inside.at(place).sub(1);
            check.same("other holders", others, 0);
        });
        if !went_on {
            break;
        }
    }
}

fn values(check: &mut Check) {
    let counts = Coarray::new(Comutex::new([0_u64, 0, 7]));
    for _ in 0..ROUNDS {
        let went_on = locked(check, counts.at(0), |check, guard| {
            let [count, sum, seven] = guard.get();
            check.same("the last word", seven, 7);
            guard.put([count + 1, 0, 0]);
            give_way();
            guard.put([count + 1, sum + this_image() as u64, 7]);
        });
        if !went_on {
            break;
        }
        locked(check, counts.at(num_images() - 1), |_, guard| {
            guard.update(|value| value[2] = 7);
        });
    }
    sync_all();
    let images = num_images() as u64;
    let sum = ROUNDS * images * (images - 1) / 2;
    let expected = [ROUNDS * images, sum, 7];
    locked(check, counts.at(0), |check, guard| {
        check.same("the value", guard.get(), expected);
    });
}

fn data_elsewhere(check: &mut Check) {
    let images = num_images();
    let last = Coarray::new(Comutex::new([0, 0]));
    let mut x = Coarray::<[Parcel]>::from_fn(images, |_| Parcel::none());
    let x = x.open();
    for round in 0..ROUNDS as usize {
        let place = round % images;
        // The parcel is on another image than the mutex.
        let parcel = &x.at((place + 1) % images)[place];
        let went_on = locked(check, last.at(place), |check, guard| {
            let [count, from] = guard.get();
            Parcel::of(count, from as usize).look_for(check, parcel);
            give_way();
            Parcel::of(count + 1, this_image()).send(parcel);
            guard.put([count + 1, this_image() as u64]);
        });
        if !went_on {
            break;
        }
    }
    sync_all();
    let turns = (0..images).map(|place| last.at(place).lock().get()[0]);
    check.same("turns", turns.sum(), ROUNDS * images as u64);
}

fn lock(check: &mut Check) {
    let door = Coarray::<Comutex<()>>::default();
    let mut count = Coarray::new(0_u64);
    {
        let count = count.open();
        for _ in 0..ROUNDS {
            let went_on = locked(check, door.at(num_images() - 1), |_, _| {
                let before = count.at(0).get();
                give_way();
                count.at(0).put(before + 1);
            });
            if !went_on {
                break;
            }
        }
    }
    if this_image() == 0 {
        check.same("turns", *count, ROUNDS * num_images() as u64);
    }
}

fn busy(check: &mut Check) {
    const SHORT: Duration = Duration::from_millis(5);
    let mutex = Coarray::new(Comutex::new(1.5));
    let place = mutex.at(num_images() - 1);
    let guard = (this_image() == 0).then(|| place.try_lock());
    check.that(!matches!(guard, Some(Err(_))), || {
        format!("it was not free: {guard:?}")
    });
    sync_all();
    if this_image() > 0 {
        let outcome = place.try_lock().map(|guard| guard.get());
        check.same("an attempt", outcome, Err(LockError::Busy { holder: 0 }));
        let outcome = place.lock_timeout(SHORT).map(|guard| guard.get());
        check.same("a short wait", outcome, Err(LockError::TimedOut));
    }
    sync_all();
    drop(guard);
    locked(check, place, |check, guard| {
        check.same("the value", guard.get(), 1.5)
    });
}

fn already_held(check: &mut Check) {
    let mutex = Coarray::<[Comutex<u8>]>::from_fn(num_images(), |_| Comutex::new(0));
    let place = &mutex.at(right(1))[this_image()];
    locked(check, place, |check, _| {
        let outcome = place.try_lock().map(|guard| guard.get());
        let is_told = matches!(outcome, Err(LockError::AlreadyHeld { .. }));
        check.that(is_told, || format!("an attempt gave {outcome:?}"));
    });
    let outcome = place.try_lock().map(|guard| guard.get());
    check.same("an attempt when it was dropped", outcome, Ok(0));
}

fn fairness(check: &mut Check) {
    // Image 0 releases the mutex while all others wait for it, and locks it again at once. It cannot see that they
    // wait, and only pauses after they announced it: so there are several attempts.
    const PAUSES: [u64; 4] = [10, 50, 250, 1000];
    let mutex = Coarray::new(Comutex::new(0_usize));
    let coming = Coarray::new(Coatomic::new(0_usize));
    let place = mutex.at(num_images() - 1);
    let others = num_images() - 1;
    let mut before = Vec::new();
    for (attempt, pause) in PAUSES.into_iter().enumerate() {
        sync_all();
        let mut served = others;
        if this_image() == 0 {
            locked(check, place, |check, guard| {
                guard.put(0);
                sync_all();
                let all = others * (attempt + 1);
                until(check, "all others come", || coming.load() == all);
                std::thread::sleep(Duration::from_millis(pause));
            });
            locked(check, place, |_, guard| served = guard.get());
        } else {
            sync_all();
            coming.at(0).add(1);
            locked(check, place, |_, guard| guard.update(|served| *served += 1));
        }
        before.push(served);
        if co_all(served == others) {
            return;
        }
    }
    check.that(this_image() > 0, || {
        format!("of {others} images that waited, so many came before the one that came later: {before:?}")
    });
}

fn many_mutexes(check: &mut Check) {
    let mutex = Coarray::new(Comutex::new(this_image()));
    let Ok(mut mine) = mutex.at(right(1)).lock_timeout(patience()) else {
        check.that(false, || "a mutex of this image's own was not free".into());
        sync_all();
        return;
    };
    check.same("the value", mine.get(), right(1));
    mine.put(100);
    // Here every image holds a mutex.
    sync_all();
    drop(mine);
}

fn poison(check: &mut Check) {
    let mutex = Coarray::new(Comutex::new([1, 2]));
    let place = mutex.at(0);
    if this_image() + 1 == num_images() {
        let half_way = AssertUnwindSafe(|| {
            let mut guard = place.lock();
            guard.put([3, 4]);
            // A panic without its message.
            guard.update(|_| resume_unwind(Box::new("half-way")))
        });
        check.that(catch_unwind(half_way).is_err(), || {
            "it did not panic".into()
        });
    }
    sync_all();
    check.same("poisoned", place.is_poisoned(), true);
    let outcome = place.lock_timeout(patience()).map(|guard| guard.get());
    let by = num_images() - 1;
    check.same("a lock", outcome, Err(LockError::Poisoned { by }));
    sync_all();
    if this_image() == 0 {
        place.clear_poison();
    }
    sync_all();
    check.same("poisoned when cleared", place.is_poisoned(), false);
    locked(check, place, |check, guard| {
        check.same("the last value", guard.get(), [3, 4]);
    });
}

fn sections(check: &mut Check) {
    let inside = Coarray::new(Coatomic::new(0_u32));
    let mut count = Coarray::new(0_u64);
    {
        let count = count.open();
        for _ in 0..ROUNDS {
            critical(|| {
                let others = inside.at(0).fetch_add(1);
                check.same("others inside", others, 0);
                let place = count.at(num_images() - 1);
                let sections = place.get();
                give_way();
                place.put(sections + 1);
                inside.at(0).sub(1);
            });
        }
    }
    if this_image() + 1 == num_images() {
        check.same("sections", *count, ROUNDS * num_images() as u64);
    }
}

fn sections_with_errors(check: &mut Check) {
    let inside = Coarray::new(Coatomic::new(0_u32));
    let mut count = Coarray::new(0_u64);
    {
        let count = count.open();
        for round in 0..ROUNDS {
            let section = || {
                let others = inside.at(0).fetch_add(1);
                let place = count.at(num_images() - 1);
                let sections = place.get();
                give_way();
                place.put(sections + 1);
                inside.at(0).sub(1);
                others
            };
            let others = match round % 2 {
                0 => Ok(critical(section)),
                _ => try_critical(section),
            };
            check.same("others inside", others, Ok(0));
        }
    }
    if this_image() + 1 == num_images() {
        check.same("sections", *count, ROUNDS * num_images() as u64);
    }
}

fn data_in_sections(check: &mut Check) {
    let mut count = Coarray::new([0, 0]);
    let mut x = Coarray::new(Parcel::none());
    let (count, x) = coarray::open((&mut count, &mut x));
    for _ in 0..ROUNDS {
        critical(|| {
            let [round, from] = count.at(0).get();
            let parcel = x.at(num_images() - 1);
            Parcel::of(round, from as usize).look_for(check, parcel);
            give_way();
            Parcel::of(round + 1, this_image()).send(parcel);
            count.at(0).put([round + 1, this_image() as u64]);
        });
    }
    sync_all();
    let sections = count.at(0).get()[0];
    check.same("sections", sections, ROUNDS * num_images() as u64);
}

fn sections_of_teams(check: &mut Check) {
    // The other team enters its section while image 0 stays in the section of its own team.
    let others_through = Coarray::new(Coevent::new());
    let all = num_images();
    let me = this_image();
    let team = Team::form(u64::from(me > 0));
    team.change(|| {
        if me > 0 {
            critical(|| others_through.at(0).post());
        } else {
            critical(|| {
                crate::patience::came(check, &others_through, all as u64 - 1);
            });
        }
    });
}
