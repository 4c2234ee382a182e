//! Rule 12: `sync_team`, `change`, and the operations of a team.

use coarray::image_fence;
use coarray::prelude::*;
use coarray::sync_team;

use crate::case::cases;

cases!("teams.rs":
    clean barrier_of_a_team;
    clean begin_and_end_of_a_change;
    clean barrier_within_a_change;
    clean collective_of_a_team_between_fences;
    clean one_of_two_teams_each;
    racy barrier_of_a_team_of_one;
    racy barrier_within_a_change_of_another_team;
    racy changes_of_different_teams;
    racy parts_of_one_coarray_in_two_teams.from(4);
    racy collectives_of_different_teams;
    racy no_barrier_within_a_change;
);

/// The team of all images, under another name.
fn everybody() -> Team {
    Team::form(1u64)
}

fn barrier_of_a_team() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let team = everybody();
    x.at((this_image() + 1) % num_images()).put(7);
    sync_team(&team);
    assert_eq!(x.here().get(), 7);
}

fn begin_and_end_of_a_change() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = x.at((this_image() + 1) % num_images());
    let team = everybody();
    right.put(7);
    team.change(|| assert_eq!(x.here().get(), 7));
    right.put(8);
    sync_all();
    team.change(|| x.here().put(9));
    assert_eq!(right.get(), 9);
}

fn barrier_within_a_change() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = x.at((this_image() + 1) % num_images());
    everybody().change(|| {
        right.put(7);
        sync_all();
        assert_eq!(x.here().get(), 7);
    });
}

fn collective_of_a_team_between_fences() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = x.at((this_image() + 1) % num_images());
    everybody().change(|| {
        right.put(7);
        image_fence();
        co_sum(&mut [1.5]);
        image_fence();
        assert_eq!(x.here().get(), 7);
    });
}

fn one_of_two_teams_each() {
    let mut x = Coarray::new([0; 2]);
    let x = x.open();
    let number = this_image() % 2;
    let places = [&x.at(0)[number], &x.at(1)[number]];
    let team = Team::form(number as u64);
    team.change(|| {
        for round in 0..num_images() {
            if round == this_image() {
                places[round % 2].put(round);
            }
            sync_all();
            let _ = places[round % 2].get();
            sync_all();
        }
    });
}

fn barrier_of_a_team_of_one() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let alone = Team::form(this_image() as u64);
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    sync_team(&alone);
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn barrier_within_a_change_of_another_team() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = x.at((this_image() + 1) % num_images());
    let alone = Team::form(this_image() as u64);
    alone.change(|| {
        right.put(7); //~ race: put
        sync_all();
        assert!([0, 7].contains(&x.here().get())); //~ race: get
    });
}

fn changes_of_different_teams() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let alone = Team::form(this_image() as u64);
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    alone.change(|| {
        let _ = x.here().get(); //~ race: get
    });
}

fn parts_of_one_coarray_in_two_teams() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let (here, right) = (x.here(), x.at((this_image() + 1) % num_images()));
    let team = Team::form(this_image() as u64 % 2);
    right.put(7); //~ race: put
    sync_team(&team);
    let _ = here.get(); //~ race: get
}

fn collectives_of_different_teams() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let (here, right) = (x.here(), x.at((this_image() + 1) % num_images()));
    let alone = Team::form(this_image() as u64);
    alone.change(|| {
        right.put(7); //~ race: put
        quiet();
        co_sum(&mut [1.5]);
        quiet();
        let _ = here.get(); //~ race: get
    });
}

fn no_barrier_within_a_change() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = x.at((this_image() + 1) % num_images());
    everybody().change(|| {
        right.put(7); //~ race: put
        let _ = x.here().get(); //~ race: get
    });
}
