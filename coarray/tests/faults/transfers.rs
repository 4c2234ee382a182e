//! Images that die among puts and gets of regions, of lists of indices, and in flight.

use std::time::Duration;

use coarray::asynchronous::async_scope;
use coarray::atomics::Number;
use coarray::events::PutNotifyAsync;
use coarray::failure::try_sync_all;
use coarray::prelude::*;

use crate::injection::{LATEST, judge_total};
use crate::job::{Check, Plan, keeping_going, run};
use crate::programs::{go_on, learn, live_until, ready};
use crate::random::Random;

pub fn trials() -> Vec<Check> {
    vec![
        ("killed_among_regions_and_lists", others_go_on),
        ("who_dies_among_regions_and_lists_ends_the_job", all_end),
    ]
}

const ROWS: usize = 40;
const COLUMNS: usize = 30;
const ITEMS: usize = 500;

/// What image `from` puts in an item in a turn.
fn value(from: usize, item: usize, turn: u64) -> u64 {
    (from as u64 + 1) << 40 | (item as u64) << 20 | turn
}

/// Indices in no order, one of them twice.
fn indices() -> Vec<usize> {
    let mut indices: Vec<usize> = (0..ITEMS - 1).map(|i| i * 7 % (ITEMS - 1)).collect();
    indices.push(indices[3]);
    indices
}

fn zeros<T: Number>(zero: T) -> [Coatomic<T>; ITEMS] {
    std::array::from_fn(|_| Coatomic::new(zero))
}

/// Transfers of every kind to the right and from the left, each turn followed by a barrier.
pub fn program() {
    let me = this_image();
    let (left, right) = (
        (me + num_images() - 1) % num_images(),
        (me + 1) % num_images(),
    );
    let mut blocks = Coarray::<[[[u64; COLUMNS]; ROWS]; 2]>::zeroed();
    let mut lists = Coarray::<[[u64; ITEMS]; 2]>::zeroed();
    let counts = Coarray::<[[Coatomic<u64>; ITEMS]; 2]>::from_fn(|_| zeros(0));
    let sums = Coarray::<[[Coatomic<f64>; ITEMS]; 2]>::from_fn(|_| zeros(0.0));
    let mut fixed = Coarray::<[u64; ITEMS]>::from_fn(|item| value(me, item, 0));
    let full = Coarray::new(Coevent::new());
    let (blocks, lists, fixed) = coarray::open((&mut blocks, &mut lists, &mut fixed));
    let indices = indices();
    let column: Vec<u64> = (0..ROWS as u64).collect();
    ready();
    let mut turn = 0;
    let failed = loop {
        turn += 1;
        let parity = turn as usize % 2;
        let values: Vec<u64> = (0..ITEMS).map(|item| value(me, item, turn)).collect();
        let block = blocks.at(right).region((parity, 1.., (..20).every(2)));
        block.put_from(&values[..block.len()]);
        let list = &lists.at(right)[parity][..];
        list.scatter_to(&indices, &values);
        live_until(turn);
        counts.at(right)[parity][..].add_at(&indices, &[1; ITEMS]);
        sums.at(right)[parity][..].add_at(&indices, &[0.5; ITEMS]);
        let mut there = vec![0; ITEMS];
        fixed.at(left)[..].gather_from(&indices, &mut there);
        check(left, &indices, &there);
        let mut in_flight = vec![0; ITEMS];
        async_scope(|scope| {
            let there = blocks.at(right).region((parity, .., COLUMNS - 1));
            drop(there.put_from_notify_async(&column, full.at(right), scope));
            drop(list.scatter_to_async(&indices[..9], &values[..9]));
            counts.at(right)[parity][..].add_at_async(&indices, &[2; ITEMS]);
            drop(fixed.at(left)[..].gather_from_async(&indices, &mut in_flight, scope));
        });
        check(left, &indices, &in_flight);
        if let Err(failed) = try_sync_all() {
            break failed;
        }
        let here = blocks.here();
        assert_eq!(here.region((parity, .., COLUMNS - 1)).to_vec(), column);
        let block = here.region((parity, 1.., (..20).every(2))).to_vec();
        let expected = (0..block.len()).map(|item| value(left, item, turn));
        assert!(block.into_iter().eq(expected));
        // One for each turn; the next may have come.
        assert!((turn..=turn + 1).contains(&full.query()));
        for (position, &index) in indices.iter().enumerate().skip(9) {
            let is_twice = index == indices[3];
            let seen = lists.here()[parity][index].get();
            // The later put of fewer values ends with the first of the two.
            let expected = if is_twice { 3 } else { position };
            assert_eq!(seen, value(left, expected, turn));
            let times = turn.div_ceil(2) * if is_twice { 2 } else { 1 };
            let parts = (counts[parity][index].load(), sums[parity][index].load());
            assert_eq!(parts, (3 * times, 0.5 * times as f64), "turn {turn}");
        }
    };
    learn(turn, &failed);
    drop((blocks, lists, fixed));
    go_on();
}

fn check(image: usize, indices: &[usize], there: &[u64]) {
    let expected = indices.iter().map(|&index| value(image, index, 0));
    assert!(there.iter().copied().eq(expected));
}

/// Images reach each other's memory, or all goes through the fabric.
const SHARED: [&str; 2] = ["1", "0"];

fn plan(random: &mut Random) -> Plan {
    let images = 2 + random.below(4);
    Plan {
        images,
        victims: random.choose(1, images),
        delay: random.time(LATEST),
        gap: Duration::ZERO,
    }
}

fn others_go_on() {
    let (seed, mut random) = Random::seeded();
    for number in 0..40 {
        let plan = plan(&mut random);
        let mut command = keeping_going(plan.images, "transfers");
        command.env("COARRAY_SHARED_MEMORY", SHARED[number % 2]);
        let end = run(command, &plan);
        if let Err(complaint) = judge_total(&end, &plan) {
            panic!("run {number} with FAULTS_SEED={seed}: {complaint}\n{plan:?}\n{end:#?}");
        }
    }
}

fn all_end() {
    let (seed, mut random) = Random::seeded();
    for number in 0..20 {
        let plan = plan(&mut random);
        let mut command = keeping_going(plan.images, "transfers");
        command
            .env("COARRAY_SHARED_MEMORY", SHARED[number % 2])
            .env_remove("COARRAY_FAULT_TOLERANT");
        let end = run(command, &plan);
        let victim = format!("coarray: image {} ", plan.victims[0]);
        let report = end.stderr.lines().next().unwrap_or_default();
        assert!(
            end.code == Some(128 + 9) && report.starts_with(&victim) && report.contains("SIGKILL"),
            "run {number} with FAULTS_SEED={seed}: {plan:?} {end:#?}"
        );
        assert!(
            end.survivors().is_empty() && end.over - end.killed.unwrap() < 5_000_000_000,
            "run {number} with FAULTS_SEED={seed}: {plan:?} {end:#?}"
        );
    }
}
