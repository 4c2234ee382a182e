//! The programs of the chapter "Is it a race?", each by its name.
//!
//! ```text
//! cargo build -p coarray -p coarray-book --bin coarun --examples
//! target/debug/coarun -n 2 --check target/debug/examples/races no_fence
//! ```
//!
//! Shows: what the race check says of each. Without a name it prints the names.

mod messages;
mod steps;

use coarray::{error_stop_with, this_image};

/// The name of a program.
type Named = (&'static str, fn());

#[coarray::main]
fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut all = [messages::ALL, steps::ALL].into_iter().flatten();
    match all.clone().find(|(known, _)| *known == name) {
        Some((_, run)) => run(),
        None if !name.is_empty() => {
            error_stop_with(2, format_args!("races: there is no program '{name}'"));
        }
        None if this_image() == 0 => all.by_ref().for_each(|(name, _)| println!("{name}")),
        None => {}
    }
}
