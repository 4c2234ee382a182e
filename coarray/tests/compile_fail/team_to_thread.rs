//! A team is its image's view of it.

use coarray::prelude::*;

fn main() {
    let team = Team::form(1);
    std::thread::spawn(move || team.change(|| ()));
}
