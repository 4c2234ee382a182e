//! Teams, whose images are alike in what decided on the team.

use coarray::prelude::*;
use coarray::sync_team;

fn forms_alone() {
    if this_image() < 2 {
        let _team = Team::form(0); // wrong
    }
}

fn in_a_team() {
    let half = this_image() % 2;
    Team::form(half as u64).change(|| {
        if half == 0 {
            sync_all();
        }
        if this_image() == 0 {
            sync_all(); // wrong
        }
    });
}

fn only_one_team_works() {
    let half = this_image() % 2;
    let team = Team::form(half as u64);
    if half == 0 {
        team.change(|| sync_all());
        sync_team(&team);
    }
    sync_all();
}
