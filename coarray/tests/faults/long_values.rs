//! Long values, which images read where others have them: in private memory, in coarrays, or some here and some there.

use std::ops::Range;
use std::time::Duration;

use coarray::collectives::{
    Algorithm, Collective, try_co_broadcast, try_co_exscan, try_co_scan, try_co_sum_to,
};
use coarray::failure::ImageFailed;
use coarray::prelude::*;

use crate::injection::{Agreement, LATEST, repeat};
use crate::job::{Check, Plan};
use crate::programs::{go_on, learn, live_until, ready};

pub fn trials() -> Vec<Check> {
    vec![("killed_while_others_read_long_values", || {
        repeat("long_values", 40, Agreement::Total, |random| {
            let images = 2 + random.below(3);
            Plan {
                images,
                victims: random.choose(1, images),
                delay: random.time(LATEST),
                gap: Duration::ZERO,
            }
        })
    })]
}

/// A megabyte.
const LENGTH: usize = 1 << 17;

pub fn program() {
    let mut shared = Coarray::<[u64]>::zeroed(LENGTH);
    let mut private = vec![0; LENGTH];
    ready();
    let mut turn = 0;
    let failed = loop {
        let values = match (turn / 9 + this_image() as u64 % 2) % 3 {
            0 => &mut shared[..],
            _ => &mut private[..],
        };
        if let Err(failed) = pass_on(values, &mut turn) {
            break failed;
        }
    };
    learn(turn, &failed);
    go_on();
}

/// Nine turns.
fn pass_on(values: &mut [u64], turn: &mut u64) -> Result<(), ImageFailed> {
    let (me, images) = (this_image(), num_images());
    let value = |image: usize, turn: u64| image as u64 * 1000 + turn;
    let root = *turn as usize % images;
    let part = LENGTH / images;
    let values = &mut values[..part * images];
    // In place the kernel copies what is in private memory.
    let how = match *turn / 9 % 2 {
        0 => Collective::new(),
        _ => Collective::new().algorithm(Algorithm::InPlace),
    };
    let mut received = vec![0; part * images];
    let mut next = |values: &mut [u64]| {
        *turn += 1;
        live_until(*turn);
        values.fill(value(me, *turn));
        *turn
    };
    let is_of_all = |received: &[u64], turn| {
        let blocks = received.chunks(part).enumerate();
        blocks.for_each(|(image, block)| assert!(block.iter().all(|&x| x == value(image, turn))));
    };

    let now = next(values);
    try_co_broadcast(values, root)?;
    assert!(values.iter().all(|&x| x == value(root, now)));

    let now = next(values);
    how.try_co_allgather(&values[..part], &mut received)?;
    is_of_all(&received, now);

    let now = next(values);
    how.try_co_alltoall(values, &mut received)?;
    is_of_all(&received, now);

    let now = next(values);
    how.try_co_gather(&values[..part], &mut received, root)?;
    if me == root {
        is_of_all(&received, now);
    }

    let now = next(values);
    how.try_co_scatter(values, &mut received[..part], root)?;
    assert!(received[..part].iter().all(|&x| x == value(root, now)));

    let now = next(values);
    how.try_co_sum(values)?;
    let sum = (0..images).map(|image| value(image, now)).sum();
    assert!(values.iter().all(|&x| x == sum));

    let sum_of = |images: Range<usize>, turn| images.map(|image| value(image, turn)).sum::<u64>();
    let now = next(values);
    try_co_sum_to(values, root)?;
    let expected = match me == root {
        true => sum_of(0..images, now),
        false => value(me, now),
    };
    assert!(values.iter().all(|&x| x == expected));

    let now = next(values);
    try_co_scan(values, |a, b| a + b)?;
    assert!(values.iter().all(|&x| x == sum_of(0..me + 1, now)));

    let now = next(values);
    try_co_exscan(values, 5, |a, b| a + b)?;
    assert!(values.iter().all(|&x| x == 5 + sum_of(0..me, now)));
    Ok(())
}
