//! Ways out of functions before a collective call.

use std::io;

use coarray::prelude::*;

fn returns_early() {
    if this_image() > 3 {
        return;
    }
    sync_all(); // wrong
}

fn returns_early_from_a_loop(items: &[usize]) {
    for item in items {
        if *item == this_image() {
            return;
        }
    }
    sync_all(); // wrong
}

fn one_reads_and_may_fail(path: &str) -> io::Result<String> {
    let mut text = String::new();
    if this_image() == 0 {
        text = std::fs::read_to_string(path)?;
    }
    sync_all(); // wrong
    Ok(text)
}

fn otherwise() {
    let Some(next) = (this_image() + 1).checked_sub(3) else {
        return;
    };
    println!("{next}");
    sync_all(); // wrong
}

fn returns_after_the_same_calls() {
    if this_image() == 0 {
        println!("image 0");
        sync_all();
        return;
    }
    sync_all();
}

fn all_read_and_may_fail(path: &str) -> io::Result<String> {
    let text = std::fs::read_to_string(path)?;
    sync_all();
    Ok(text)
}

fn returns_at_the_end() {
    sync_all();
    if this_image() == 0 {
        return;
    }
    println!("the others");
}

fn of_a_closure_only() {
    let print = || {
        if this_image() != 0 {
            return;
        }
        println!("image 0");
    };
    print();
    sync_all();
}
