//! Functions, methods and closures of the program.

#[path = "modules/steps.rs"]
mod steps;

use coarray::collectives::co_count;
use coarray::prelude::*;
use steps::Steps;

fn total(mut x: f64) -> f64 {
    co_sum(&mut x);
    x
}

fn is_first() -> bool {
    this_image() == 0
}

fn calls_one_that_is_collective() {
    if this_image() == 0 {
        println!("{}", total(1.0)); // wrong
    }
}

fn decides_by_a_function() {
    if is_first() {
        sync_all(); // wrong
    }
}

fn told_its_number(me: usize) {
    if me == 0 {
        sync_all(); // wrong
    }
}

fn tells_it() {
    told_its_number(this_image());
}

fn by_a_closure() {
    let step = |x: f64| total(x) + 1.0;
    if is_first() {
        step(1.0); // wrong
    }
}

struct Block {
    me: usize,
    cells: Coarray<[f64]>,
}

impl Block {
    fn new() -> Self {
        Self {
            me: this_image(),
            cells: Coarray::<[f64]>::zeroed(10),
        }
    }

    fn step(&mut self) {
        let open = self.cells.open();
        open.at(0)[0].put(1.0);
    }

    fn last_step(&mut self) {
        if self.me == 0 {
            self.step(); // wrong
        }
    }
}

fn by_a_method() {
    let mut block = Block::new();
    if is_first() {
        block.step(); // wrong
    }
    block.last_step();
}

fn in_another_module() {
    if is_first() {
        steps::together(); // wrong
    }
    steps::alone();
}

fn of_a_type_of_another_module() {
    let mut steps = Steps::default();
    if is_first() {
        steps.go(); // wrong
    }
}

fn in_both_by_another_way() {
    if is_first() {
        total(1.0);
    } else {
        let mut x = 2.0;
        co_sum(&mut x);
    }
}

fn decides_by_a_total() {
    if total(this_image() as f64) > 3.0 {
        sync_all();
    }
    if co_count(is_first()) > 1 {
        sync_all();
    }
}

fn prepare(work: impl Fn()) {
    work();
    sync_all();
}

fn names_of_others(together: impl Fn()) {
    if is_first() {
        together();
    }
}

#[test]
fn a_program_of_its_own() {
    if is_first() {
        coarray::run(4, || sync_all());
    }
    coarray::run(4, || {
        if is_first() {
            sync_all(); // wrong
        }
    });
}
