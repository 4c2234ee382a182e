//! 10. Teams.

use coarray::prelude::*;
use coarray::{sync_team, team_number};

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::parcel::Parcel;
use crate::patience::came;

/// The section.
pub const SECTION: Section = Section {
    number: 10,
    title: "teams",
    clauses: &[
        Clause::new(
            "10.1",
            "images that give the same number form a team, in their order",
            form,
        ),
        Clause::new(
            "10.2",
            "an image gets the index that it asks for",
            form_with_index,
        ),
        Clause::new(
            "10.3",
            "in a team images are numbered in it, and after it as before",
            numbers,
        ),
        Clause::new(
            "10.4",
            "barriers of a team wait for its images only, and order what they put",
            barriers,
        ),
        Clause::new(
            "10.5",
            "sync_team waits for the images of a team that is not the current one",
            sync_team_of_others,
        ),
        Clause::new(
            "10.6",
            "begin and end of change order what the images of the team put",
            change_orders,
        ),
        Clause::new(
            "10.7",
            "a coarray of a team is indexed in it, and outlives its stay",
            coarrays_of_teams,
        ),
        Clause::new(
            "10.8",
            "a coarray of the parent is indexed in the parent",
            coarrays_of_parents,
        ),
        Clause::new(
            "10.9",
            "images of sibling teams are found by number and index",
            siblings,
        ),
        Clause::new("10.10", "teams are divided into teams", nested),
        Clause::new(
            "10.11",
            "collectives of different teams do not disturb each other",
            collectives,
        ),
        Clause::new(
            "10.12",
            "events, coatomics and mutexes of a team are those of its images",
            shared_of_teams,
        ),
        Clause::new(
            "10.13",
            "teams that ended leave no memory behind",
            many_teams,
        ),
        Clause::new(
            "10.14",
            "the forms that return errors work as the others while nobody fails",
            with_errors,
        ),
    ],
};

const ROUNDS: u64 = 25;

/// Even and odd images.
fn halves() -> Team {
    Team::form(this_image() as u64 % 2)
}

/// How many images give `number`, if each gives its remainder by `divisor`.
fn with_remainder(number: usize, divisor: usize) -> usize {
    (0..num_images())
        .filter(|image| image % divisor == number)
        .count()
}

fn form(check: &mut Check) {
    let me = this_image();
    for divisor in 1..=num_images() + 1 {
        let team = Team::form(1000 + (me % divisor) as u64);
        check.same("number", team.number(), Some(1000 + (me % divisor) as u64));
        check.same(
            "images",
            team.num_images(),
            with_remainder(me % divisor, divisor),
        );
        check.same("index", team.this_image(), me / divisor);
        for index in 0..team.num_images() {
            let image = divisor * index + me % divisor;
            check.same("a member", team.in_parent(index), image);
        }
    }
    check.same("current team", team_number(), None);
}

fn form_with_index(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let reversed = Team::form_with_index(7, images - 1 - me);
    check.same("index", reversed.this_image(), images - 1 - me);
    let mut x = reversed.change(|| Coarray::new(me));
    let x = x.open();
    for index in 0..images {
        check.same("the part there", x.at(index).get(), images - 1 - index);
    }
}

fn numbers(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let team = halves();
    let result = team.change(|| {
        check.same("index", this_image(), me / 2);
        check.same("images", num_images(), team.num_images());
        check.same("number", team_number(), Some(me as u64 % 2));
        me + 1000
    });
    check.same("what change returns", result, me + 1000);
    check.same("index afterwards", this_image(), me);
    check.same("images afterwards", num_images(), images);
    check.same("number afterwards", team_number(), None);
}

/// The image after this one in its team.
fn next() -> usize {
    (this_image() + 1) % num_images()
}

/// The image before this one in its team.
fn previous() -> usize {
    (this_image() + num_images() - 1) % num_images()
}

fn barriers(check: &mut Check) {
    let me = this_image() as u64;
    halves().change(|| {
        let mut x = Coarray::new(Parcel::none());
        let x = x.open();
        // One of the teams does more rounds.
        for round in 1..ROUNDS * (1 + me % 2) {
            Parcel::of(round, this_image()).send(x.at(next()));
            sync_all();
            Parcel::of(round, previous()).look_for(check, x.here());
            sync_all();
        }
    });
}

fn sync_team_of_others(check: &mut Check) {
    let mut x = Coarray::new(Parcel::none());
    let x = x.open();
    let others = halves();
    let place = |distance: usize| {
        let images = others.num_images();
        others.in_parent((others.this_image() + distance) % images)
    };
    let (to, from) = (place(1), place(others.num_images() - 1));
    let me = this_image();
    Team::form(this_image() as u64 / 2).change(|| {
        for round in 1..ROUNDS {
            Parcel::of(round, me).send(x.at(to));
            sync_team(&others);
            Parcel::of(round, from).look_for(check, x.here());
            sync_team(&others);
        }
    });
}

fn change_orders(check: &mut Check) {
    let mut x = Coarray::new(Parcel::none());
    let x = x.open();
    let team = halves();
    let images = team.num_images();
    let to = team.in_parent((team.this_image() + 1) % images);
    let from = team.in_parent((team.this_image() + images - 1) % images);
    let me = this_image();
    for round in (1..ROUNDS).map(|round| 2 * round) {
        Parcel::of(round, me).send(x.at(to));
        team.change(|| {
            Parcel::of(round, from).look_for(check, x.here());
            sync_all();
            Parcel::of(round + 1, me).send(x.at(to));
        });
        Parcel::of(round + 1, from).look_for(check, x.here());
        sync_team(&team);
    }
}

fn coarrays_of_teams(check: &mut Check) {
    let me = this_image();
    let team = halves();
    let mut x = team.change(|| {
        let mut x = Coarray::<[usize; 50]>::from_fn(|i| 1000 * me + i);
        let open = x.open();
        for index in 0..num_images() {
            let image = 2 * index + me % 2;
            check.same("a part", open.at(index)[49].get(), 1000 * image + 49);
        }
        drop(open);
        x
    });
    {
        // Here the index is still the index in the team.
        let open = x.open();
        let next = (team.this_image() + 1) % team.num_images();
        open.at(next)[0].put(me);
    }
    let previous = (team.this_image() + team.num_images() - 1) % team.num_images();
    check.same(
        "what was put after the stay",
        x[0],
        team.in_parent(previous),
    );
}

fn coarrays_of_parents(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let mut x = Coarray::<[usize]>::zeroed(images);
    {
        let x = x.open();
        halves().change(|| {
            for image in 0..images {
                x.at(image)[me].put(me + 1);
            }
        });
    }
    let expected: Vec<usize> = (1..=images).collect();
    check.same_items("what all images put", &x, &expected);
}

fn siblings(check: &mut Check) {
    let images = num_images();
    let team = Team::form(10 + this_image() as u64 % 3);
    let expected: Vec<u64> = (10..13).take(images).collect();
    check.same_items("siblings", &team.siblings(), &expected);
    for number in team.siblings() {
        let members: Vec<usize> = (number as usize - 10..images).step_by(3).collect();
        let sibling = team.sibling(number).map(<[usize]>::to_vec);
        check.same("images of a sibling", sibling, Some(members));
    }
    check.same("a team that is not there", team.sibling(9), None);
    let posts = Coarray::new(Coatomic::new(0));
    team.change(|| {
        for number in team.siblings() {
            let first = team.sibling_in_parent(number, 0);
            check.same("the first of a team", first as u64, number - 10);
            posts.at(first).add(1);
        }
    });
    sync_all();
    let expected = if this_image() < 3 { images } else { 0 };
    check.same("images that found this one", posts.load(), expected);
}

fn nested(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let mut x = Coarray::new(me);
    let x = x.open();
    let outer = halves();
    outer.change(|| {
        let half = num_images();
        let inner = Team::form(this_image() as u64 / 2);
        inner.change(|| {
            check.same("images of the job", Team::initial().num_images(), images);
            let parent = Team::current().parent().map(|team| team.num_images());
            check.same("images of the parent", parent, Some(half));
            let there = outer.in_parent(inner.in_parent(next()));
            check.same("a part", x.at(there).get(), there);
            let mut y = Coarray::new(me);
            y.open().at(next()).put(me);
            let previous = outer.in_parent(inner.in_parent(previous()));
            check.same("what was put in the inner team", *y, previous);
            let mut sum = 1;
            co_sum(&mut sum);
            check.same("images of the inner team", sum, inner.num_images());
        });
        check.same("images of the half", num_images(), half);
    });
    check.same("images of all", num_images(), images);
}

fn collectives(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    halves().change(|| {
        for round in 0..ROUNDS as usize {
            if me % 2 == 0 {
                let mut sum = [me + round; 3];
                co_sum(&mut sum);
                let expected: usize = (0..images).step_by(2).map(|image| image + round).sum();
                check.same("a sum", sum, [expected; 3]);
            } else {
                let root = round % num_images();
                let mut values = vec![me; 1000];
                co_broadcast(&mut values, root);
                check.same_items("a broadcast", &values, &vec![2 * root + 1; 1000]);
                sync_all();
            }
        }
    });
    let mut all = 1;
    co_sum(&mut all);
    check.same("images of all", all, images);
}

fn shared_of_teams(check: &mut Check) {
    let me = this_image();
    halves().change(|| {
        let event = Coarray::new(Coevent::new());
        let count = Coarray::new(Coatomic::new(0_usize));
        let balance = Coarray::new(Comutex::new(0_usize));
        event.at(next()).post();
        came(check, &event, 1);
        for _ in 0..20 {
            count.at(0).add(me % 2 + 1);
            balance
                .at(num_images() - 1)
                .lock()
                .update(|value| *value += 1);
            sync_images(&[previous(), next()][usize::from(previous() == next())..]);
        }
        sync_all();
        let images = num_images();
        check.same("the count", count.at(0).load(), 20 * images * (me % 2 + 1));
        let seen = balance.at(images - 1).lock().get();
        check.same("the value of the mutex", seen, 20 * images);
    });
}

fn many_teams(check: &mut Check) {
    for round in 0..100_u64 {
        let team = Team::form((this_image() as u64 + round) % 2);
        let images = team.change(|| {
            let mut x = Coarray::<[u64]>::zeroed(20_000);
            x.open().at(next())[19_999].put(round);
            check.same("what was put", x[19_999], round);
            num_images()
        });
        check.same("images", images, team.num_images());
    }
}

fn with_errors(check: &mut Check) {
    match Team::try_form(3) {
        Ok(team) => {
            check.same("in the team", team.try_change(num_images), Ok(num_images()));
            check.same("sync_team", coarray::failure::try_sync_team(&team), Ok(()));
            check.same("failed images", team.failed_images(), vec![]);
            check.same("stopped images", team.stopped_images(), vec![]);
            let status = team.image_status(0);
            check.same("the first", status, coarray::failure::ImageStatus::Active);
        }
        Err(failed) => check.that(false, || failed.to_string()),
    }
    let last = num_images() - 1;
    match Team::try_form_with_index(3, last - this_image()) {
        Ok(team) => check.same("index", team.this_image(), last - this_image()),
        Err(failed) => check.that(false, || failed.to_string()),
    }
    check.same("sync_all", coarray::failure::try_sync_all(), Ok(()));
    let survivors = Team::form_survivors(5);
    check.same("survivors", survivors.num_images(), num_images());
}
