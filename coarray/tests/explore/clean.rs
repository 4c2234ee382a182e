//! Programs without a mistake.

use coarray::prelude::*;
use coarray::testing::{Explore, explore};

#[test]
fn a_ring_of_events() {
    explore(3, 200, || {
        let full = Coarray::new(Coevent::new());
        let mut place = Coarray::new(0);
        let place = place.open();
        let right = (this_image() + 1) % num_images();
        place.at(right).put(this_image() + 1);
        full.at(right).post();
        full.wait();
        let left = (this_image() + num_images() - 1) % num_images();
        assert_eq!(place.here().get(), left + 1);
    });
}

#[test]
fn a_counter_under_a_lock() {
    Explore::new(3).schedules(200).same_result().run(|| {
        let count = Coarray::new(Comutex::new(0));
        for _ in 0..3 {
            count.at(0).lock().update(|count| *count += 1);
        }
        sync_all();
        let total = count.at(0).lock().get();
        total
    });
}
