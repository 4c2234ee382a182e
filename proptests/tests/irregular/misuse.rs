//! What is wrong is said.

use coarray::Launch;
use coarray::irregular::{Conveyor, ConveyorOptions, wait_any};
use coarray::prelude::*;
use coarray_proptests::panic_of;

fn report(body: impl Fn() + Sync) -> String {
    Launch::new(2).run(body).unwrap_err().to_string()
}

#[test]
fn mistakes_are_named_with_their_line() {
    coarray::run(2, || {
        let mut conveyor = Conveyor::<u8>::new();
        let other = Conveyor::<u8>::new();
        let mut other = other;
        let (mut open, mut other) = (conveyor.open(), other.open());
        let text = panic_of(|| open.push(2, 0));
        assert!(text.contains("there is no image 2"), "{text}");
        open.finish();
        let text = panic_of(|| open.push(0, 0));
        assert!(text.contains("this image has finished"), "{text}");
        let text = panic_of(|| wait_any(&mut [&mut open, &mut other]));
        assert!(text.contains("`Conveyor::beside`"), "{text}");
        let text = panic_of(|| wait_any(&mut []));
        assert!(text.contains("never end"), "{text}");
    });
    for bytes in [0, (1 << 30) + 1] {
        let text = report(|| {
            let options = ConveyorOptions {
                packet_bytes: bytes,
                ..ConveyorOptions::default()
            };
            drop(Conveyor::<u8>::with_options(options));
        });
        assert!(text.contains("1 to 1073741824 bytes"), "{text}");
    }
}

#[test]
fn conveyors_of_different_items_are_told_apart() {
    let text = report(|| match this_image() {
        0 => drop(Conveyor::<u32>::new()),
        _ => drop(Conveyor::<f32>::new()),
    });
    assert!(
        text.contains("Conveyor<u32>") && text.contains("Conveyor<f32>"),
        "{text}"
    );
}

#[test]
fn a_conveyor_whose_guard_was_leaked_is_not_used_again() {
    let text = report(|| {
        let mut conveyor = Conveyor::<u32>::new();
        std::mem::forget(conveyor.open());
        drop(conveyor.open());
    });
    assert!(text.contains("still open"), "{text}");
}

#[test]
fn one_beside_another_is_of_its_team() {
    let text = report(|| {
        let first = Conveyor::<u32>::new();
        Team::form(this_image() as u64).change(|| drop(Conveyor::<u32>::beside(&first)));
    });
    assert!(text.contains("of the same team"), "{text}");
}
