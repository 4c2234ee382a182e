//! Every operation that moves values, by every algorithm, on short and long values, in teams: whatever happens, all
//! survivors get the right values or the same error.

use std::time::Duration;

use coarray::collectives::{Algorithm, Kind, try_co_allgatherv};
use coarray::failure::{ImageFailed, fail_image, failed_images, try_sync_all};
use coarray::prelude::*;

use crate::injection::{LATEST, judge_total};
use crate::job::{Check, Plan, keeping_going, run};
use crate::operations::carry_out;
use crate::programs::{DOOM, go_on, is_doomed, learn, live_until, ready};
use crate::random::Random;

pub fn trials() -> Vec<Check> {
    vec![
        ("killed_in_every_algorithm_of_a_broadcast", || {
            every(&[Kind::Broadcast])
        }),
        ("killed_in_every_algorithm_of_a_reduction", || {
            every(&[Kind::Reduce])
        }),
        ("killed_in_every_algorithm_of_a_reduction_to_one", || {
            every(&[Kind::ReduceTo])
        }),
        ("killed_in_every_algorithm_that_gathers", || {
            every(&[Kind::Gather, Kind::Allgather])
        }),
        ("killed_in_every_algorithm_that_distributes", || {
            every(&[Kind::Scatter, Kind::Alltoall, Kind::ReduceScatter])
        }),
        ("killed_in_every_algorithm_of_a_scan", || {
            every(&[Kind::Scan])
        }),
        ("killed_in_every_algorithm_of_a_reproducible_sum", || {
            every(&[Kind::SumReproducible, Kind::TotalReproducible])
        }),
        ("failed_by_themselves_in_every_algorithm", by_themselves),
        ("killed_in_one_of_two_teams_at_work", halves),
    ]
}

/// What the program is to do: the name of the kind, that of the algorithm, and how many elements; `team` says whether
/// in a team with the images in the opposite order.
const TASK: &str = "FAULTS_TASK";

/// Elements of an image: a few, nearly a turn of them, and many turns.
const LENGTHS: [usize; 4] = [1, 3, 7000, 70_000];

/// Some runs of each algorithm.
const RUNS: usize = 3;

fn tasks(kinds: &[Kind]) -> impl Iterator<Item = (Kind, Algorithm)> {
    kinds.iter().flat_map(|&kind| {
        let algorithms = kind.algorithms().iter();
        algorithms.map(move |&algorithm| (kind, algorithm))
    })
}

fn every(kinds: &[Kind]) {
    let (seed, mut random) = Random::seeded();
    for (kind, algorithm) in tasks(kinds) {
        for _ in 0..RUNS {
            let images = 3 + random.below(5);
            let killed = 1 + random.below(2);
            let plan = Plan {
                images,
                victims: random.choose(killed, images),
                delay: random.time(LATEST),
                gap: random.time(Duration::from_millis(1)),
            };
            try_out(kind, algorithm, (seed, &mut random), &plan, None);
        }
    }
}

/// On threads too, and at the beginning of an operation exactly.
fn by_themselves() {
    let (seed, mut random) = Random::seeded();
    for (kind, algorithm) in tasks(&Kind::ALL) {
        let images = 2 + random.below(6);
        let (victim, turn) = (random.below(images), 1 + random.below(20));
        let plan = Plan {
            images,
            victims: vec![victim],
            delay: Duration::ZERO,
            gap: Duration::ZERO,
        };
        try_out(kind, algorithm, (seed, &mut random), &plan, Some(turn));
    }
}

/// In a turn, if one is given, the victim fails by itself. Otherwise it is killed.
fn try_out(
    kind: Kind,
    algorithm: Algorithm,
    (seed, random): (u64, &mut Random),
    plan: &Plan,
    turn: Option<usize>,
) {
    let (kind, algorithm) = (kind.name(), algorithm.name());
    let length = LENGTHS[random.below(LENGTHS.len())];
    let team = ["", " team"][random.below(2)];
    let task = format!("{kind} {algorithm} {length}{team}");
    let mut command = keeping_going(plan.images, "algorithms");
    command.env(TASK, &task);
    let mut to_kill = plan.clone();
    if let Some(turn) = turn {
        command
            .env("COARRAY_FABRIC", ["threads", "processes"][random.below(2)])
            .env(DOOM, format!("{}@{turn}", plan.victims[0]));
        to_kill.victims.clear();
    }
    let end = run(command, &to_kill);
    if let Err(complaint) = judge_total(&end, plan) {
        panic!("{task}, FAULTS_SEED={seed}: {complaint}\n{plan:?}\n{end:#?}");
    }
}

fn halves() {
    let (seed, mut random) = Random::seeded();
    for number in 0..15 {
        let images = 4 + random.below(4);
        let killed = 1 + random.below(2);
        let plan = Plan {
            images,
            victims: random.choose(killed, images),
            delay: random.time(LATEST),
            gap: random.time(Duration::from_millis(1)),
        };
        let end = run(keeping_going(images, "halves"), &plan);
        if let Err(complaint) = judge_total(&end, &plan) {
            panic!("run {number} with FAULTS_SEED={seed}: {complaint}\n{plan:?}\n{end:#?}");
        }
    }
}

struct Task {
    kind: Kind,
    algorithm: Algorithm,
    length: usize,
    in_team: bool,
}

fn task() -> Task {
    let words = std::env::var(TASK).unwrap();
    let words: Vec<&str> = words.split(' ').collect();
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == words[0]);
    Task {
        kind: kind.unwrap(),
        algorithm: Algorithm::from_name(words[1]).unwrap(),
        length: words[2].parse().unwrap(),
        in_team: words.len() > 3,
    }
}

/// One operation over and over.
pub fn program() {
    let Task {
        kind,
        algorithm,
        length,
        in_team,
    } = task();
    let all = num_images();
    let team = in_team.then(|| Team::form_with_index(1, all - 1 - this_image()));
    ready();
    let mut turn = 0;
    let mut work = || loop {
        turn += 1;
        live_until_in(in_team, all, turn);
        if let Err(failed) = carry_out(kind, algorithm, length, turn) {
            return failed;
        }
    };
    let mut failed = match team {
        None => work(),
        // The error may be that of the change itself.
        Some(team) => team.try_change(&mut work).unwrap_or_else(|failed| failed),
    };
    if in_team {
        failed
            .images
            .iter_mut()
            .for_each(|index| *index = all - 1 - *index);
        failed.images.sort_unstable();
    }
    learn(turn, &failed);
    go_on();
}

/// The doomed image is given by its number, which in a team is another.
fn live_until_in(in_team: bool, all: usize, turn: u64) {
    let number = if in_team {
        all - 1 - this_image()
    } else {
        this_image()
    };
    if is_doomed(number, turn) {
        fail_image();
    }
}

/// All operations by all algorithms, in two teams at a time, until an image of either has failed.
pub fn halves_program() {
    ready();
    let tasks: Vec<(Kind, Algorithm)> = tasks(&Kind::ALL).collect();
    let mut turn = 0;
    let (told, failed) = loop {
        turn += 1;
        live_until(turn);
        let number = this_image() as u64 % 2;
        let team = match Team::try_form(number) {
            Ok(team) => team,
            Err(failed) => break ((number, turn, None), failed),
        };
        let told = team.try_change(|| {
            let mut step = 0;
            (0..20).find_map(|_| {
                let (kind, algorithm) = tasks[(20 * turn as usize + step) % tasks.len()];
                step += 1;
                let result = carry_out(kind, algorithm, LENGTHS[step % 3], turn);
                result.err().map(|failed| (step, failed.images))
            })
        });
        drop(team);
        if let Err(failed) = try_sync_all() {
            // Who failed after the last operation of the team may be known at its end, or not.
            break ((number, turn, told.unwrap_or_default()), failed);
        }
    };
    learn(turn, &failed);
    // Those of one team were told the same.
    let (team, turn, told) = told;
    let (step, images) = told.unwrap_or_default();
    let mut words = vec![team, turn, step as u64];
    words.extend(images.iter().map(|&image| image as u64));
    loop {
        let compared = Team::form_survivors(2).try_change(|| {
            for others in try_co_allgatherv(&words)? {
                assert!(
                    others[0] != words[0] || others == words,
                    "{others:?} {words:?}"
                );
            }
            Ok::<(), ImageFailed>(())
        });
        if let Ok(Ok(())) = compared {
            break;
        }
    }
    assert!(!failed_images().is_empty());
    go_on();
}
