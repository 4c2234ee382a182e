//! Two halves of the images do the same work, so that any images of one half may be lost, at any time.
//!
//! ```text
//! COARRAY_IMAGES=6 cargo run --release --example redundant_halves
//! COARRAY_IMAGES=6 cargo run --release --example redundant_halves -- --kill 4
//! ```
//!
//! Shows: the first way to recover in J. Reid, *Additional coarray features in Fortran*, PGAS 2013, section 6,
//! figure 2. Each image has a partner in the other half, and a team with it. Both halves compute pi; an image is
//! killed on the way. A half that misses an image is lost: its images give up, and their partners go on alone. No call
//! on the way involves all images, since the loss of one would then end the job: teams are formed of the survivors, and
//! `try_` forms report failed images.

use coarray::collectives::try_co_sum;
use coarray::failure::{fail_image, try_sync_team};
use coarray::prelude::*;

use program::command_line::{Long, fail, follow};
use program::death;

const PERIODS: usize = 10;
const STRIPS: usize = 1_000_000;

const HELP: &str = "\
Two halves of the images compute pi, each all of it. An image is killed, and the other half goes on.

usage: redundant_halves [--kill IMAGE | --kill none]

  --kill IMAGE   which image is killed half-way (default: image 0; none if there is only one image)
  --kill none    kill no image

Images can be killed from outside, too, at any time. As long as one half is whole, its images tell when
their partners fail, and its first one tells pi. If both have lost images, the job ends without a result.

Images: one for each core, or COARRAY_IMAGES=N.";

#[coarray::main(keep_going)]
fn main() {
    let (me, images) = (this_image(), num_images());
    let mut doomed = (images > 1).then_some(0);
    let goes_on = follow(HELP, |option, arguments| {
        let Long("kill") = option else {
            return Err(option.unexpected());
        };
        let expected = format!("none, or an image below {images}");
        doomed = arguments.value(expected, |text| match text {
            "none" => Some(None),
            _ => text.parse().ok().filter(|&image| image < images).map(Some),
        })?;
        Ok(())
    });
    if !goes_on {
        return;
    }
    let first_half = images / 2;
    let (number, place, size) = match me.checked_sub(first_half) {
        None => (1, me, first_half),
        Some(place) => (2, place, images - first_half),
    };
    let half = Team::form_survivors(number);
    let partners = Team::form_survivors(place as u64);
    let mut work = Work {
        period: 0,
        pi: 0.0,
        is_doomed: doomed == Some(me),
        // The last image of an odd number has no partner.
        is_alone: place < first_half && partners.num_images() < 2,
    };
    if work.is_alone {
        work.tell_of_partner();
    }
    // The new team may lack images already.
    let is_whole = half.num_images() == size;
    if !is_whole || half.try_change(|| work.compute(&partners)).is_err() {
        work.give_up();
    }
    if half.this_image() == 0 {
        println!("half {number}: pi = {:.9}", work.pi);
    }
}

/// The whole calculation, by one half.
struct Work {
    period: usize,
    pi: f64,
    is_doomed: bool,
    /// Whether the other half is lost.
    is_alone: bool,
}

impl Work {
    /// Collective. Computes pi.
    fn compute(&mut self, partners: &Team) {
        while self.period < PERIODS {
            if self.is_doomed && self.period == PERIODS / 2 {
                death::die();
            }
            let mut area = area_of(self.period);
            if try_co_sum(&mut area).is_err() {
                self.give_up();
            }
            self.pi += area;
            if !self.is_alone && try_sync_team(partners).is_err() {
                self.is_alone = true;
                self.tell_of_partner();
            }
            self.period += 1;
        }
    }

    fn tell_of_partner(&self) {
        let period = self.period;
        println!("period {period}: the partner in the other half has failed");
    }

    /// Ends this image because its half is lost, so that its partner does not wait for it.
    fn give_up(&self) -> ! {
        if self.is_alone {
            fail("both halves have lost images");
        }
        fail_image();
    }
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
