//! Every image gets its turn.

use coarray::prelude::*;
use coarray_proptests::{IMAGE_COUNTS, Setting};

#[test]
fn nobody_starves_while_all_hammer_one_lock() {
    const IMAGES: usize = 4;
    const TURNS: usize = 1000;
    let setting = Setting {
        images: IMAGES,
        direct: true,
    };
    let turns = setting.run(|| {
        let lock = Coarray::new(Comutex::new(0usize));
        let mut turns = 0;
        sync_all();
        // The last turns do not count: whoever is done competes no more.
        while turns < TURNS {
            let order = lock.at(0).lock().update(|order| {
                *order += 1;
                *order
            });
            if order > IMAGES * TURNS / 2 {
                break;
            }
            turns += 1;
        }
        turns
    });
    // On average it is a half. An image may be without a core for a while, but not for nine tenths of the time.
    assert!(turns.iter().all(|&turns| turns >= TURNS / 20), "{turns:?}");
}

#[test]
fn philosophers_who_take_the_lower_fork_first_all_eat() {
    const MEALS: u64 = 200;
    for images in IMAGE_COUNTS.into_iter().filter(|&images| images > 1) {
        let setting = Setting {
            images,
            direct: true,
        };
        setting.run(|| {
            let forks = Coarray::new(Comutex::new(0u64));
            let (left, right) = (this_image(), (this_image() + 1) % num_images());
            for _ in 0..MEALS {
                let mut first = forks.at(left.min(right)).lock();
                let mut second = forks.at(left.max(right)).lock();
                first.update(|meals| *meals += 1);
                second.update(|meals| *meals += 1);
            }
            sync_all();
            assert_eq!(forks.lock().get(), 2 * MEALS);
        });
    }
}
