//! 7. Events.

mod puts;

use std::time::Duration;

use coarray::Shared;
use coarray::asynchronous::{CofutureSet, co_sum_async};
use coarray::events::Coevents;
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::parcel::Parcel;
use crate::patience::{came, patience};
use crate::ring::{left, right};

/// The section.
pub const SECTION: Section = Section {
    number: 7,
    title: "events",
    clauses: &[
        Clause::new("7.1", "an event counts its posts, from all images", counts),
        Clause::new("7.2", "each post is consumed once", consumed_once),
        Clause::new(
            "7.3",
            "a wait that takes too long returns and consumes nothing",
            timeouts,
        ),
        Clause::new(
            "7.4",
            "other images can ask how many posts wait",
            remote_query,
        ),
        Clause::new(
            "7.5",
            "a wait sees what the poster put before the post, to any image",
            data_before_post,
        ),
        Clause::new(
            "7.6",
            "a wait for several posts comes after all of them",
            several_posts,
        ),
        Clause::new(
            "7.7",
            "a wait sees what was put by put_notify, and before it to the same image",
            puts::put_notify,
        ),
        Clause::new("7.8", "so it is with long runs", puts::put_from_notify),
        Clause::new("7.9", "order is handed on from event to event", transitive),
        Clause::new(
            "7.10",
            "a post completes asynchronous puts that nobody waited for",
            puts::asynchronous_puts,
        ),
        Clause::new(
            "7.11",
            "events in an array do not disturb each other",
            arrays,
        ),
        Clause::new(
            "7.12",
            "no post is lost when two images answer each other, or all post at once",
            many_posts,
        ),
        Clause::new(
            "7.13",
            "no post that nobody waited for changes memory that is used again",
            posts_before_the_end,
        ),
        Clause::new(
            "7.14",
            "posts, a value and a sum that an image waits for together come once each",
            sets,
        ),
        Clause::new(
            "7.15",
            "a wait for any of several events returns each post once, and its index",
            any_of_several,
        ),
        Clause::new(
            "7.16",
            "what takes the post of a put in flight sees its data, at the latest when its image waits",
            puts::put_in_flight,
        ),
        Clause::new(
            "7.17",
            "so it is with all items of a region in flight",
            puts::region_in_flight,
        ),
        Clause::new(
            "7.18",
            "events, mutexes and coatomics that are members of a struct are reached as such alone",
            members,
        ),
    ],
};

#[derive(Default, Shared)]
struct Inbox {
    count: Coatomic<u64>,
    arrived: [Coevent; 2],
    sum: Comutex<u64>,
}

fn members(check: &mut Check) {
    let inboxes = Coarray::<[Inbox; 3]>::default();
    for (which, mine) in inboxes.iter().enumerate() {
        let theirs = &inboxes.at(right(1))[which];
        for round in 1..=ROUNDS {
            if let Ok(mut sum) = field!(theirs, sum).lock_timeout(patience()) {
                sum.update(|sum| *sum += round);
            }
            theirs.member(|inbox| inbox.count).add(1);
            field!(theirs, arrived)[1].post();
        }
        if !came(check, &mine.arrived[1], ROUNDS) {
            return;
        }
        check.same("the count", mine.count.load(), ROUNDS);
        check.same("posts to another event", mine.arrived[0].query(), 0);
        let sum = mine.sum.lock_timeout(patience()).map(|sum| sum.get());
        check.same("the sum", sum.ok(), Some(ROUNDS * (ROUNDS + 1) / 2));
    }
}

const ROUNDS: u64 = 60;

fn sets(check: &mut Check) {
    let events = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let mut x = Coarray::new(3 + this_image());
    let x = x.open();
    for _ in 0..ROUNDS {
        let mut set = CofutureSet::new();
        for (number, event) in events.iter().enumerate() {
            set.push(event.wait_for_async(2).map(move |()| number));
        }
        set.push(x.at(right(1)).get_async());
        set.push(co_sum_async(1));
        for post in 0..4 {
            events.at(right(1))[post % 2].post();
        }
        let mut came = [0; 4];
        while !set.is_empty() && check.findings().is_none() {
            let some = set.wait_some_timeout(patience());
            check.that(!some.is_empty(), || {
                "waited in vain for any of a set".into()
            });
            some.into_iter()
                .for_each(|(index, value)| came[index] = value);
        }
        check.same("what came", came, [0, 1, 3 + right(1), num_images()]);
        sync_all();
    }
}

fn counts(check: &mut Check) {
    let event = Coarray::new(Coevent::new());
    check.same("posts at first", event.query(), 0);
    sync_all();
    for image in 0..num_images() {
        event.at(image).post();
        event.at(image).post();
    }
    event.post();
    sync_all();
    let all = 2 * num_images() as u64 + 1;
    check.same("posts", event.query(), all);
    came(check, &event, all - 1);
    check.same("posts that are left", event.query(), 1);
    came(check, &event, 1);
    check.same("posts at last", event.query(), 0);
}

fn consumed_once(check: &mut Check) {
    let event = Coarray::new(Coevent::new());
    check.same("a wait without posts", event.try_wait(), Ok(false));
    sync_all();
    event.at(right(1)).post();
    sync_all();
    check.same("the first wait", event.try_wait(), Ok(true));
    check.same("the second wait", event.try_wait(), Ok(false));
    sync_all();
    (0..3).for_each(|_| event.at(right(1)).post());
    came(check, &event, 3);
    check.same("a wait after all", event.try_wait(), Ok(false));
}

fn timeouts(check: &mut Check) {
    const SHORT: Duration = Duration::from_millis(5);
    let event = Coarray::new(Coevent::new());
    check.same("without posts", event.wait_timeout(SHORT), Ok(false));
    sync_all();
    event.at(right(1)).post();
    sync_all();
    check.same("for two", event.wait_for_timeout(2, SHORT), Ok(false));
    check.same("posts that are left", event.query(), 1);
    check.same("for one", event.wait_timeout(SHORT), Ok(true));
}

fn remote_query(check: &mut Check) {
    let event = Coarray::new(Coevent::new());
    event.at(0).post();
    sync_all();
    check.same("posts", event.at(0).query(), num_images() as u64);
    sync_all();
    if this_image() == 0 {
        came(check, &event, 1);
    }
    sync_all();
    check.same("posts left", event.at(0).query(), num_images() as u64 - 1);
}

fn data_before_post(check: &mut Check) {
    let arrived = Coarray::new(Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[Parcel; 2]>::from_fn(|_| Parcel::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(&x.at(right(1))[0]);
        Parcel::of(round, this_image()).send(&x.at(right(2))[1]);
        arrived.at(right(1)).post();
        if !came(check, &arrived, 1) {
            break;
        }
        Parcel::of(round, left(1)).look_for(check, &x.here()[0]);
        Parcel::of(round, left(1)).look_for(check, &x.at(right(1))[1]);
        seen.at(left(1)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}

fn several_posts(check: &mut Check) {
    let arrived = Coarray::new(Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[Parcel]>::from_fn(num_images(), |_| Parcel::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(&x.at(0)[this_image()]);
        arrived.at(0).post();
        if this_image() == 0 {
            if !came(check, &arrived, num_images() as u64) {
                break;
            }
            for from in 0..num_images() {
                Parcel::of(round, from).look_for(check, &x.here()[from]);
                seen.at(from).post();
            }
        }
        if !came(check, &seen, 1) {
            break;
        }
    }
}

fn transitive(check: &mut Check) {
    let turn = Coarray::new(Coevent::new());
    let mut x = Coarray::new(Parcel::none());
    let x = x.open();
    for round in 1..ROUNDS / 2 {
        // The image that checks the parcel gets no post from the image that wrote it.
        let writer = round as usize % num_images();
        let distance = (this_image() + num_images() - writer) % num_images();
        if distance == 0 {
            Parcel::of(round, writer).send(x.at(left(1)));
        } else {
            came(check, &turn, 1);
        }
        if distance + 1 < num_images() {
            turn.at(right(1)).post();
        } else {
            Parcel::of(round, writer).look_for(check, x.here());
        }
        sync_all();
    }
}

fn arrays(check: &mut Check) {
    let events = Coarray::<[Coevent]>::from_fn(num_images(), |_| Coevent::new());
    for to in 0..num_images() {
        (0..=this_image()).for_each(|_| events.at(to)[this_image()].post());
    }
    for from in 0..num_images() {
        came(check, &events[from], from as u64 + 1);
    }
    sync_all();
    for from in 0..num_images() {
        let what = format!("posts of image {from} that are left");
        check.same(what, events[from].query(), 0);
    }
}

fn many_posts(check: &mut Check) {
    let event = Coarray::new(Coevent::new());
    let answers = Coarray::new(Coevent::new());
    for _ in 0..5 * ROUNDS {
        event.at(right(1)).post();
        if !came(check, &event, 1) {
            break;
        }
        answers.at(left(1)).post();
        if !came(check, &answers, 1) {
            break;
        }
    }
    sync_all();
    (0..5 * ROUNDS).for_each(|_| event.at(0).post());
    if this_image() == 0 {
        let all = 5 * ROUNDS * num_images() as u64;
        came(check, &event, all);
    }
    sync_all();
    check.same("posts that are left", event.query(), 0);
}

fn posts_before_the_end(check: &mut Check) {
    type Events = [Coevent; 4];
    const WORDS: usize = size_of::<Events>() / size_of::<u64>();
    let mut earlier: Option<Coarray<[u64; WORDS]>> = None;
    for _ in 0..ROUNDS {
        let events = Coarray::<Events>::from_fn(|_| Coevent::new());
        for to in 0..num_images() {
            for event in 0..4 {
                events.at(to)[event].post();
            }
        }
        drop(events);
        let words = Coarray::<[u64; WORDS]>::zeroed();
        // Those of the round before have memory of events, to which nobody has posted since.
        for words in earlier.iter().chain([&words]) {
            check.same_items("the words", &**words, &[0; WORDS]);
        }
        earlier = Some(words);
    }
}

fn any_of_several(check: &mut Check) {
    let images = num_images();
    let events = Coarray::<[Coevent]>::from_fn(images + 1, |_| Coevent::new());
    let mut parts = Coarray::<[u64]>::zeroed(images);
    let parts = parts.open();
    let me = this_image();
    for image in 0..images {
        parts.at(image)[me].put_notify(me as u64 + 7, &events.at(image)[me]);
    }
    let mut seen = vec![0; images];
    for _ in 0..images {
        match events.wait_any_timeout(patience()) {
            Ok(Some(from)) if from < images => {
                seen[from] += 1;
                check.same(
                    format!("the part of {from}"),
                    parts.here()[from].get(),
                    from as u64 + 7,
                );
            }
            other => check.that(false, || format!("a wait ended with {other:?}")),
        }
    }
    check.same_items("posts by image", &seen, &vec![1; images]);
    let nothing = events.wait_any_timeout(Duration::from_millis(1));
    check.same("the wait when all are consumed", nothing.ok(), Some(None));
}
