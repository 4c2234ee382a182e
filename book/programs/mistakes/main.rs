//! The mistakes of the chapter "What messages mean", each by its name.
//!
//! ```text
//! cargo run -p coarray-book --example mistakes -- no_such_image
//! COARRAY_IMAGES=2 cargo run -p coarray-book --example mistakes -- different_roots
//! ```
//!
//! Shows: the message that each mistake gets. Without a name it prints the names.

mod collectives;
mod ending;
mod grids;
mod memory;
mod waiting;

use std::process::ExitCode;

use coarray::{error_stop_with, this_image};

/// The name of a mistake, and the program that makes it.
type Mistake = (&'static str, fn());

fn main() -> ExitCode {
    match name().as_str() {
        "not_an_image" => {
            ending::not_an_image();
            ExitCode::SUCCESS
        }
        "failure" => ending::main(),
        _ => coarray::launch(play),
    }
}

fn name() -> String {
    std::env::args().nth(1).unwrap_or_default()
}

fn play() {
    let name = name();
    match mistakes().find(|(known, _)| *known == name) {
        Some((_, make)) => make(),
        None if name.is_empty() => list(),
        None => error_stop_with(2, format_args!("mistakes: there is no mistake '{name}'")),
    }
}

fn mistakes() -> impl Iterator<Item = &'static Mistake> {
    [
        memory::MISTAKES,
        collectives::MISTAKES,
        waiting::MISTAKES,
        ending::MISTAKES,
        grids::MISTAKES,
    ]
    .into_iter()
    .flatten()
}

fn list() {
    if this_image() == 0 {
        for (name, _) in mistakes() {
            println!("{name}");
        }
        println!("not_an_image\nfailure");
    }
}
