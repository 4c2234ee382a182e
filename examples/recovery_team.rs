//! When an image has failed, the others form a new team and do the work again.
//!
//! ```text
//! cargo run --release --example recovery_team
//! ```
//!
//! Shows: the second way to recover in J. Reid, *Additional coarray features in Fortran*, PGAS 2013, section 6.
//! Primes are counted, and the last image is killed while it counts its share.

use coarray::collectives::try_co_sum;
use coarray::failure::ImageFailed;
use coarray::prelude::*;

use program::command_line::follow;
use program::death;

const LIMIT: usize = 200_000;

const HELP: &str = "\
Images count primes. The last one is killed, and the others form a new team and count again.

usage: recovery_team

There are no options. It tells how many images go on, and how many primes there are.

Images: one for each core, or COARRAY_IMAGES=N.";

#[coarray::main(keep_going)]
fn main() {
    let goes_on = follow(HELP, |option, _| Err(option.unexpected()));
    if !goes_on {
        return;
    }
    let last = num_images() - 1;
    let doomed = last > 0 && this_image() == last;
    let mut counted = count_primes(doomed);
    while let Err(ImageFailed { images, .. }) = counted {
        let recovery = Team::form_survivors(1);
        if recovery.this_image() == 0 {
            println!(
                "failed: {images:?}; images that go on: {}",
                recovery.num_images()
            );
        }
        // The function uses `this_image` and `num_images`, and so needs no change for another team.
        let again = recovery.try_change(|| count_primes(false));
        counted = again.and_then(|counted| counted);
    }
}

/// Collective. Prints how many primes there are below the limit; each image counts its share.
fn count_primes(doomed: bool) -> Result<(), ImageFailed> {
    let mut primes = 0;
    for number in (this_image()..LIMIT).step_by(num_images()) {
        if doomed && number > LIMIT / 2 {
            death::die();
        }
        primes += u32::from(is_prime(number));
    }
    try_co_sum(&mut primes)?;
    if this_image() == 0 {
        println!("{primes} primes below {LIMIT}");
    }
    Ok(())
}

fn is_prime(number: usize) -> bool {
    let mut divisors = (2..).take_while(|divisor| divisor * divisor <= number);
    number > 1 && divisors.all(|divisor| !number.is_multiple_of(divisor))
}
