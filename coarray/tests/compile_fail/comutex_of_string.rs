//! Tried: guard a text by a comutex.
//!
//! To be told: that a `String` cannot travel between images, and what can.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let name = Coarray::new(Comutex::new(String::new()));
    name.at(0).lock().put("image".to_string());
}
