//! Programs in which images wait for some others, and not for all.

use coarray::prelude::*;

/// Images form teams by rows and by columns; the teams compute, nest, and leave coarrays behind.
pub fn teams() {
    let (me, images) = (this_image(), num_images());
    let width = images.isqrt();
    let row = Team::form((me / width) as u64);
    let column = Team::form((me % width) as u64);
    let mut held = Vec::new();
    for round in 0..50 {
        let mut across = row.change(|| {
            let mut sum = me;
            co_sum(&mut sum);
            let first = row.in_parent(0);
            let expected: usize = (first..first + num_images()).sum();
            assert_eq!(sum, expected);
            Coarray::<[usize]>::from_fn(1 + round, |item| me + item)
        });
        let sum = column.change(|| {
            let mut sum = 1;
            co_sum(&mut sum);
            let half = Team::form(this_image() as u64 % 2);
            half.change(sync_all);
            sum
        });
        assert_eq!(
            sum,
            images / width + usize::from(me % width < images % width)
        );
        let open = across.open();
        for image in 0..row.num_images() {
            assert_eq!(open.at(image)[round].get(), row.in_parent(image) + round);
        }
        drop(open);
        held.push(across);
        if held.len() > 5 {
            held.remove(me % 3);
        }
        sync_all();
    }
}

/// A token goes around the ring while neighbours exchange data with events, and pairs synchronise.
pub fn events() {
    const ROUNDS: u64 = 200;
    let (me, images) = (this_image(), num_images());
    let right = (me + 1) % images;
    let left = (me + images - 1) % images;
    let token = Coarray::new(Coevent::new());
    let full = Coarray::new(Coevent::new());
    let mut boxes = Coarray::<[[u64; 33]; 2]>::zeroed();
    let boxes = boxes.open();
    for round in 0..ROUNDS {
        if me == 0 {
            token.at(right).post();
            token.wait();
        } else {
            token.wait();
            token.at(right).post();
        }
        let half = round as usize % 2;
        boxes.at(right)[half].put_from_notify(&[round + me as u64; 33], full.at(right));
        full.wait();
        assert_eq!(boxes.here()[half].get(), [round + left as u64; 33]);
        sync_images(&if left == right {
            vec![left]
        } else {
            vec![left, right]
        });
    }
    assert_eq!(full.query(), 0);
}

/// Every image waits for the next one.
pub fn ring_of_pairs() {
    sync_images(&[(this_image() + 1) % num_images()]);
}
