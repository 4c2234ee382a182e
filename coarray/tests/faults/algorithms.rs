//! Every operation that moves values, by every algorithm, on short and long values, in teams: whatever happens, all
//! survivors get the right values or the same error.

use std::time::Duration;

use coarray::collectives::{Algorithm, Collective, Kind, try_co_allgatherv};
use coarray::failure::{ImageFailed, fail_image, failed_images, try_sync_all};
use coarray::prelude::*;

use crate::injection::{LATEST, judge_total};
use crate::job::{Check, Plan, keeping_going, run};
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

/// What image `image` contributes in a turn: integers that a float has exactly, also summed up.
fn values(image: usize, turn: u64, length: usize) -> Vec<u64> {
    let start = 1000 * image as u64 + 17 * turn;
    (0..length as u64)
        .map(|i| start + i * (image as u64 + 1))
        .collect()
}

/// The sums of what images `range` contribute.
fn sums(images: std::ops::Range<usize>, turn: u64, length: usize) -> Vec<u64> {
    let mut sums = vec![0; length];
    for image in images {
        for (sum, value) in sums.iter_mut().zip(values(image, turn, length)) {
            *sum += value;
        }
    }
    sums
}

/// What image `from` has for image `to` where every image has something else for each.
fn letter(from: usize, to: usize, turn: u64, length: usize) -> Vec<u64> {
    values(from * num_images() + to, turn, length)
}

/// How much image `image` has where images have different numbers of elements.
fn ragged(image: usize, turn: u64, length: usize) -> usize {
    (image + turn as usize) % 3 * length / 2
}

fn add(a: u64, b: u64) -> u64 {
    a + b
}

/// Carries out an operation of that kind, and checks what comes out.
fn carry_out(
    kind: Kind,
    algorithm: Algorithm,
    length: usize,
    turn: u64,
) -> Result<(), ImageFailed> {
    let by = Collective::new().algorithm(algorithm);
    let (me, images) = (this_image(), num_images());
    let root = turn as usize % images;
    let mut mine = values(me, turn, length);
    let is_even = turn.is_multiple_of(2);
    match kind {
        Kind::Broadcast => {
            by.try_co_broadcast(&mut mine, root)?;
            assert_eq!(mine, values(root, turn, length));
        }
        Kind::Reduce => reduce(by, length, turn)?,
        Kind::ReduceTo => {
            match turn % 3 {
                0 => by.try_co_sum_to(&mut mine, root)?,
                1 => by.try_co_reduce_to(&mut mine, root, add)?,
                _ => by.try_co_max_to(&mut mine, root)?,
            }
            let expected = match turn % 3 {
                _ if me != root => values(me, turn, length),
                2 => values(images - 1, turn, length),
                _ => sums(0..images, turn, length),
            };
            assert_eq!(mine, expected);
        }
        Kind::Gather if is_even => {
            let mut gathered = vec![0; if me == root { images * length } else { 0 }];
            by.try_co_gather(&mine, &mut gathered, root)?;
            for (image, block) in gathered.chunks(length).enumerate() {
                assert_eq!(block, values(image, turn, length));
            }
        }
        Kind::Gather => {
            mine.truncate(ragged(me, turn, length));
            let gathered = by.try_co_gatherv(&mine, root)?;
            check_ragged(&gathered, if me == root { images } else { 0 }, turn, length);
        }
        Kind::Allgather if is_even => {
            let mut gathered = vec![0; images * length];
            by.try_co_allgather(&mine, &mut gathered)?;
            for (image, block) in gathered.chunks(length).enumerate() {
                assert_eq!(block, values(image, turn, length));
            }
        }
        Kind::Allgather => {
            mine.truncate(ragged(me, turn, length));
            check_ragged(&by.try_co_allgatherv(&mine)?, images, turn, length);
        }
        Kind::Scatter => {
            let parts: Vec<_> = (0..images)
                .map(|to| letter(root, to, turn, length))
                .collect();
            if is_even {
                let parts = if me == root {
                    parts.concat()
                } else {
                    Vec::new()
                };
                by.try_co_scatter(&parts, &mut mine, root)?;
            } else {
                let parts = if me == root { parts } else { Vec::new() };
                mine = by.try_co_scatterv(&parts, root)?;
            }
            assert_eq!(mine, letter(root, me, turn, length));
        }
        Kind::Alltoall => {
            let send: Vec<_> = (0..images).map(|to| letter(me, to, turn, length)).collect();
            let expected: Vec<_> = (0..images)
                .map(|from| letter(from, me, turn, length))
                .collect();
            if is_even {
                let mut received = vec![0; images * length];
                by.try_co_alltoall(&send.concat(), &mut received)?;
                assert_eq!(received, expected.concat());
            } else {
                assert_eq!(by.try_co_alltoallv(&send)?, expected);
                let lengths = vec![length; images];
                let mut received = vec![7; turn as usize % 5];
                let from = by.try_co_alltoallv_into(&send.concat(), &lengths, &mut received)?;
                assert_eq!((received, from), (expected.concat(), lengths));
            }
        }
        Kind::ReduceScatter => {
            let all = values(me, turn, images * length);
            by.try_co_reduce_scatter(&all, &mut mine, add)?;
            let sums = sums(0..images, turn, images * length);
            assert_eq!(mine, sums[me * length..][..length]);
        }
        Kind::Scan if is_even => {
            by.try_co_scan(&mut mine, add)?;
            assert_eq!(mine, sums(0..me + 1, turn, length));
        }
        Kind::Scan => {
            by.try_co_exscan(&mut mine, 0, add)?;
            assert_eq!(mine, sums(0..me, turn, length));
        }
        Kind::SumReproducible => {
            let mut floats: Vec<f64> = mine.iter().map(|&value| value as f64).collect();
            by.try_co_sum_reproducible(&mut floats)?;
            let expected = sums(0..images, turn, length)
                .into_iter()
                .map(|sum| sum as f64);
            assert!(expected.eq(floats));
        }
        Kind::TotalReproducible => {
            let floats: Vec<f64> = mine.iter().map(|&value| value as f64).collect();
            let total = by.try_co_total_reproducible(&floats)?;
            let sums = sums(0..images, turn, length);
            assert_eq!(total, sums.iter().sum::<u64>() as f64);
        }
    }
    Ok(())
}

fn reduce(by: Collective, length: usize, turn: u64) -> Result<(), ImageFailed> {
    let (me, images) = (this_image(), num_images());
    let mut mine = values(me, turn, length);
    let expected = match turn % 5 {
        0 => {
            by.try_co_sum(&mut mine)?;
            sums(0..images, turn, length)
        }
        1 => {
            by.try_co_reduce(&mut mine, add)?;
            sums(0..images, turn, length)
        }
        2 => {
            by.try_co_min(&mut mine)?;
            values(0, turn, length)
        }
        3 => {
            by.try_co_max(&mut mine)?;
            values(images - 1, turn, length)
        }
        _ => {
            let odd = me % 2 == 1;
            assert_eq!(by.try_co_count(odd)?, images / 2);
            assert!(!by.try_co_all(odd)?);
            assert_eq!(by.try_co_any(odd)?, images > 1);
            mine.clone()
        }
    };
    assert_eq!(mine, expected);
    Ok(())
}

fn check_ragged(gathered: &[Vec<u64>], images: usize, turn: u64, length: usize) {
    assert_eq!(gathered.len(), images);
    for (image, block) in gathered.iter().enumerate() {
        let mut expected = values(image, turn, length);
        expected.truncate(ragged(image, turn, length));
        assert_eq!(*block, expected);
    }
}
