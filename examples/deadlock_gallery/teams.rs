//! Teams that wait for each other.

use coarray::prelude::*;
use coarray::sync_team;

use crate::Program;

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "teams_crossing",
        images: 4,
        mistake: "some synchronise their row first, others their column",
        body: crossing,
    },
    Program {
        name: "child_and_parent",
        images: 2,
        mistake: "one team waits inside for a post of the other, which waits in the parent for all",
        body: child_and_parent,
    },
    Program {
        name: "change_and_event",
        images: 2,
        mistake: "image 0 waits for a post that comes after the change to its team",
        body: change_and_event,
    },
    Program {
        name: "end_of_team_and_event",
        images: 2,
        mistake: "image 0 waits inside a team for a post that comes after it",
        body: end_of_team_and_event,
    },
    Program {
        name: "sum_in_team_and_event",
        images: 2,
        mistake: "a member waits for a post that comes after the co_sum of its team",
        body: sum_and_event,
    },
    Program {
        name: "sync_team_left_main",
        images: 2,
        mistake: "a member of a team has left main, and the others synchronise the team",
        body: left_main,
    },
    Program {
        name: "forming_and_sync_images",
        images: 3,
        mistake: "teams are formed while two images synchronise with each other by turns",
        body: forming,
    },
];

fn crossing() {
    let (row, column) = (this_image() / 2, this_image() % 2);
    let rows = Team::form(row as u64);
    let columns = Team::form(column as u64);
    if (row + column).is_multiple_of(2) {
        sync_team(&rows); // [crossing.rows]
        sync_team(&columns); // [crossing.columns_second]
    } else {
        sync_team(&columns); // [crossing.columns]
        sync_team(&rows); // [crossing.rows_second]
    }
}

fn child_and_parent() {
    let result = Coarray::new(Coevent::new());
    let number = u64::from(this_image() > 0);
    Team::form(number).change(|| {
        if number == 0 {
            result.wait(); // [child.wait]
        }
    });
    sync_all(); // [parent.sync]
    if this_image() == 1 {
        result.at(0).post();
    }
}

fn change_and_event() {
    let ready = Coarray::new(Coevent::new());
    let team = Team::form(7);
    if this_image() == 0 {
        ready.wait(); // [change.wait]
    }
    team.change(|| {}); // [change.team]
    if this_image() == 1 {
        ready.at(0).post();
    }
}

fn end_of_team_and_event() {
    let ready = Coarray::new(Coevent::new());
    let team = Team::form(7);
    let inside = || {
        if this_image() == 0 {
            ready.wait(); // [end_of_team.wait]
        }
    };
    team.change(inside); // [end_of_team.team]
    if this_image() == 1 {
        ready.at(0).post();
    }
}

fn sum_and_event() {
    let go = Coarray::new(Coevent::new());
    let pair = Team::form(this_image() as u64 / 2);
    pair.change(|| {
        if this_image() == 1 {
            go.wait(); // [sum.wait]
        }
        let mut sum = this_image();
        co_sum(&mut sum); // [sum.team]
        if this_image() == 0 && num_images() > 1 {
            go.at(1).post();
        }
    });
}

fn left_main() {
    let team = Team::form(1);
    if this_image() + 1 < num_images() {
        sync_team(&team); // [team.left_main]
    }
}

fn forming() {
    match this_image() {
        0 => {
            let _halves = Team::form(0); // [forming.team]
            sync_images(&[1]);
        }
        1 => {
            sync_images(&[0]); // [forming.pair]
            let _halves = Team::form(1);
        }
        _ => {
            let _halves = Team::form(1); // [forming.others]
        }
    }
}
