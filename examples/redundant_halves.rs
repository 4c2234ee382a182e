//! Two halves of the images do the same work, so that one half may be lost.
//!
//! ```text
//! COARRAY_IMAGES=6 cargo run --release --example redundant_halves
//! ```
//!
//! Shows: the first way to recover in J. Reid, *Additional coarray features in Fortran*, PGAS 2013, section 6,
//! figure 2. Each image has a partner in the other half, and a team with it. Both halves compute pi; image 0 is
//! killed on the way.

#[path = "shared/command_line.rs"]
mod command_line;
#[path = "survivor/death.rs"]
mod death;

use coarray::{error_stop_with, fail_image, failed_images, prelude::*, try_co_sum, try_sync_team};

const PERIODS: usize = 10;
const STRIPS: usize = 1_000_000;

const HELP: &str = "\
Two halves of the images compute pi, each all of it. Image 0 is killed, and the other half goes on.

usage: redundant_halves

There are no options. Images of the half that is left tell when their partners fail, and its first one tells pi.

Images: one for each core, or COARRAY_IMAGES=N.";

#[coarray::main(keep_going)]
fn main() {
    let goes_on = command_line::follow("redundant_halves", HELP, |_, arguments| {
        Err(arguments.unknown())
    });
    if !goes_on {
        return;
    }
    let (me, images) = (this_image(), num_images());
    let first_half = images / 2;
    let (number, place) = match me.checked_sub(first_half) {
        None => (1, me),
        Some(place) => (2, place),
    };
    let half = Team::form(number);
    let partner = Team::form(place as u64);
    half.change(|| {
        let doomed = me == 0 && images > 1;
        let pi = compute_pi(&partner, doomed);
        if this_image() == 0 {
            println!("half {number}: pi = {pi:.9}");
        }
    });
}

/// Collective. The whole calculation, by one half.
fn compute_pi(partner: &Team, doomed: bool) -> f64 {
    let mut pi = 0.0;
    let mut is_alone = false;
    for period in 0..PERIODS {
        if doomed && period == PERIODS / 2 {
            death::die();
        }
        let mut area = area_of(period);
        if try_co_sum(&mut area).is_err() {
            // This half is lost. The partners shall not wait for it.
            fail_image();
        }
        pi += area;
        if !is_alone && try_sync_team(partner).is_err() {
            is_alone = true;
            println!("period {period}: a partner in the other half has failed");
            if !failed_images().is_empty() {
                error_stop_with(1, "both halves have lost images");
            }
        }
    }
    pi
}

/// This image's strips of the area under 4 / (1 + x^2) that belongs to a period.
fn area_of(period: usize) -> f64 {
    let first = STRIPS * period / PERIODS;
    let end = STRIPS * (period + 1) / PERIODS;
    let strips = (first + this_image()..end).step_by(num_images());
    strips
        .map(|strip| {
            let x = (strip as f64 + 0.5) / STRIPS as f64;
            4.0 / (1.0 + x * x) / STRIPS as f64
        })
        .sum()
}
