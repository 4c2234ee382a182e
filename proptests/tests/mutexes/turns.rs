//! Every image gets its turn.

use coarray::prelude::*;
use coarray_proptests::Setting;

#[test]
fn every_image_gets_its_turns_while_all_others_hammer_the_lock() {
    const TURNS: usize = 300;
    crate::run(4, || {
        let lock = Coarray::new(Comutex::new(0usize));
        let done = Coarray::new(Coatomic::new(0usize));
        let mut turns = 0;
        // Nobody stops before all have had theirs: if an image were passed over for ever, this would not end.
        while done.at(0).load() < num_images() {
            lock.at(0).lock().update(|order| *order += 1);
            turns += 1;
            if turns == TURNS {
                done.at(0).fetch_add(1);
            }
        }
        assert!(turns >= TURNS);
        let mut total = turns;
        co_sum(&mut total);
        assert_eq!(lock.at(0).lock().get(), total);
    });
}

#[test]
fn philosophers_who_take_the_lower_fork_first_all_eat() {
    const MEALS: u64 = 200;
    for setting in Setting::everywhere().filter(|setting| setting.images > 1) {
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
