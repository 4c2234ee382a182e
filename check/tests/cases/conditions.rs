//! Calls under a condition. Those that are to be found are on lines with "wrong".

use coarray::collectives::{co_all, co_any};
use coarray::prelude::*;

fn only_image_0_sums() {
    let mut sum = this_image();
    if this_image() == 0 {
        co_sum(&mut sum); // wrong
    }
}

fn by_a_variable() {
    let me = this_image();
    let is_first = me == 0;
    if !is_first {
        sync_all(); // wrong
    }
}

fn by_a_part_of_a_tuple() {
    let (me, images) = (this_image(), num_images());
    if images > 2 {
        sync_all();
    }
    if me > 2 {
        sync_all(); // wrong
    }
}

fn assigned_under_a_condition() {
    let mut turn = 0;
    if this_image() == 3 {
        turn = 1;
    }
    if turn == 1 {
        let _x = Coarray::new(0); // wrong
    }
}

fn in_a_match() {
    match this_image() {
        0 => sync_all(), // wrong
        1 => {}
        _ => {}
    }
}

fn by_a_guard(round: usize) {
    match round {
        _ if this_image() == round => sync_all(), // wrong
        _ => {}
    }
}

fn behind_and() -> bool {
    this_image() == 0 && co_any(true) // wrong
}

fn by_then() {
    (this_image() == 0).then(|| sync_all()); // wrong
}

fn in_an_argument() {
    println!("{}", if this_image() == 0 { co_all(true) } else { false }); // wrong
}

fn only_some_open(x: &mut Coarray<u8>) {
    if let 0 = this_image() {
        let open = x.open(); // wrong
        open.at(0).put(1);
    }
}

fn only_some_close(x: &mut Coarray<u8>) {
    let open = x.open();
    if this_image() == 0 {
        drop(open); // wrong
        sync_all();
        return;
    }
    sync_all();
    drop(open);
}

fn one_more_on_image_0() {
    if this_image() == 0 {
        sync_all();
        sync_all(); // wrong
    } else {
        sync_all();
    }
}

fn others_do_something_else() {
    let mut x = 0;
    if this_image() == 0 {
        co_sum(&mut x); // wrong
    } else {
        co_max(&mut x);
    }
}

fn the_same_in_both_branches() {
    let mut x = 0;
    if this_image() == 0 {
        x = 7;
        co_broadcast(&mut x, 0);
    } else {
        co_broadcast(&mut x, 0);
    }
}

fn nothing_collective() {
    if this_image() == 0 {
        println!("image 0 prints");
    }
    sync_all();
}

fn all_decide_alike() {
    let mut work = this_image() % 2 == 0;
    if co_any(work) {
        sync_all();
    }
    co_broadcast(&mut work, 0);
    if work {
        sync_all();
    }
    let mut mine = this_image();
    co_max(&mut mine);
    if mine > 3 {
        sync_all();
    }
}

fn the_job_ends() {
    if this_image() == 0 {
        panic!("no input");
    }
    if this_image() == 1 {
        error_stop();
    }
    sync_all();
}

fn opened_in_both(x: &mut Coarray<u8>) {
    if this_image() == 0 {
        x.open().close();
    } else {
        let open = x.open();
        open.at(0).put(1);
    }
}

fn halos_in_one_call_or_two(array: &mut HaloArray<f64, 2>) {
    if this_image() == 0 {
        array.exchange();
    } else {
        array.exchange_start().finish();
    }
}

fn files_are_no_coarrays(path: &str) {
    if this_image() == 0 {
        let file = std::fs::File::open(path).unwrap();
        file.sync_all().unwrap();
        drop(file);
    }
    sync_all();
}

fn that_is_right(leaders: &[usize]) {
    // coarray-check: allow, there is one leader.
    if this_image() == leaders[0] {
        sync_all();
    }
    if this_image() == leaders[0] {
        sync_all(); // coarray-check: allow
    }
}
