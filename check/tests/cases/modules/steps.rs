//! A module of `functions.rs`.

use coarray::prelude::*;

#[derive(Default)]
pub struct Steps(usize);

impl Steps {
    pub fn go(&mut self) {
        self.0 += 1;
        sync_all();
    }
}

pub fn together() {
    sync_all();
}

pub fn alone() {
    if this_image() == 0 {
        println!("image 0");
        together(); // wrong
    }
}
