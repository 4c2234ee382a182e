//! Loops, and ways out of them.

use coarray::collectives::co_any;
use coarray::prelude::*;

fn as_often_as_its_number() {
    for _ in 0..this_image() {
        sync_all(); // wrong
    }
}

fn until_it_is_done_itself() {
    let mut change = 1.0 / (this_image() + 1) as f64;
    while change > 0.1 {
        change /= 2.0;
        sync_all(); // wrong
    }
}

fn leaves_alone() {
    let mut rest = 10 + this_image();
    loop {
        sync_all(); // wrong
        rest -= 1;
        if rest == 0 {
            break;
        }
    }
}

fn skips_a_round(rounds: usize) {
    for round in 0..rounds {
        if round == this_image() {
            continue;
        }
        sync_all(); // wrong
    }
}

fn leaves_the_outer_one(rounds: usize) {
    'rounds: for _ in 0..rounds {
        for step in 0..rounds {
            if step == this_image() {
                break 'rounds;
            }
        }
        sync_all(); // wrong
    }
}

fn counts_what_it_has_left() {
    let mut steps = 0;
    for step in 0..10 {
        if step > this_image() {
            break;
        }
        steps += 1;
    }
    for _ in 0..steps {
        sync_all(); // wrong
    }
}

fn assigned_in_the_round_before() {
    let mut last = 0;
    for _ in 0..10 {
        if last == 2 {
            sync_all(); // wrong
        }
        last = this_image();
    }
}

fn together() {
    let mut change = 1.0 / (this_image() + 1) as f64;
    while co_any(change > 0.1) {
        change /= 2.0;
    }
    loop {
        change *= 2.0;
        let done = co_any(change > 1.0);
        if done {
            break;
        }
    }
}

fn every_root_in_turn() {
    let mut x = this_image();
    for root in 0..num_images() {
        co_broadcast(&mut x, root);
    }
}

fn only_local_work() {
    let mut items: Vec<usize> = (0..this_image()).collect();
    while let Some(item) = items.pop() {
        if item == 3 {
            break;
        }
    }
    for item in items {
        println!("{item}");
    }
    sync_all();
}

fn as_many_rounds_though_values_differ() {
    for value in (0..10).map(|round| round * this_image()) {
        println!("{value}");
        sync_all();
    }
    for part in [this_image(), 2 * this_image()] {
        println!("{part}");
        sync_all();
    }
}

fn neighbours_first(rounds: usize) {
    for round in 0..rounds {
        if round % 2 == this_image() % 2 {
            sync_images(&[this_image() ^ 1]);
        }
        sync_all();
    }
}
