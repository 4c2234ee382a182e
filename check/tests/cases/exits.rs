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

fn one_stops() {
    if this_image() == 0 {
        coarray::stop(0);
    }
    sync_all(); // wrong
}

fn stop_all() -> ! {
    println!("nothing to do");
    coarray::stop(0)
}

fn one_stops_in_a_function() {
    if this_image() == 0 {
        stop_all();
    }
    sync_all(); // wrong
}

fn one_stops_in_a_loop() {
    for step in 0..10 {
        sync_all(); // wrong
        if this_image() == step {
            stop(0);
        }
    }
}

fn one_stops_and_the_others_ask() {
    if this_image() == 0 {
        stop(0);
    }
    if try_sync_all().is_err() {
        println!("image 0 has stopped");
    }
}

fn one_after_the_other_stops_and_the_others_ask() {
    for step in 0..10 {
        if try_sync_all().is_err() {
            break;
        }
        if this_image() == step {
            stop(0);
        }
    }
}

fn one_stops_after_all_calls() {
    sync_all();
    if this_image() == 0 {
        stop(0);
    }
    println!("the others");
}

fn all_stop() {
    stop(0);
    if this_image() == 0 {
        sync_all();
    }
}

fn a_code_ends_the_job(code: i32) {
    if this_image() == 0 {
        stop(3);
    }
    if this_image() == 1 {
        stop(code);
    }
    sync_all();
}

fn refuse(text: &str) -> ! {
    if this_image() == 0 {
        eprintln!("{text}");
    }
    error_stop(1)
}

fn the_job_ends_on_one(path: &str) {
    if this_image() == 0 {
        let Ok(_) = std::fs::read_to_string(path) else {
            refuse("no such file");
        };
        match path.len() {
            0 => std::process::exit(2),
            1 => panic!("too short"),
            2 => unreachable!(),
            3 => coarray::error_stop_quiet(1),
            4 => coarray::error_stop_with(1, "too long"),
            5 => coarray::failure::fail_image(),
            _ => println!("{path}"),
        }
        if path.ends_with('/') {
            refuse("a folder");
        }
    }
    sync_all();
}

fn what_follows_the_end_is_not_reached() {
    if this_image() == 0 {
        refuse("here it ends");
        sync_all();
    }
    sync_all();
}
