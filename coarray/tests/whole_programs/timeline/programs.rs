//! Programs of which there are timelines.

use std::thread;
use std::time::Duration;

use coarray::collectives::{Algorithm, Collective, co_sum};
use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;
use coarray::trace::region;

pub const STEPS: usize = 8;
/// More small sums than images post before they meet.
pub const SMALL: usize = 600;
/// The image that is late, in which step, and for how long.
pub const LATE: usize = 1;
pub const LATE_STEP: usize = 5;
pub const DELAY: Duration = Duration::from_millis(50);

/// Each kind of thing that a timeline shows, so often.
pub fn traced() {
    let event = Coarray::new(Coevent::new());
    let is_locked = Coarray::new(Coevent::new());
    let mutex = Coarray::new(Comutex::new(0));
    let mut values = Coarray::new([0_u64; 4]);
    let come = Coarray::new(Coatomic::new(0));
    for step in 0..STEPS {
        let _step = region("step");
        {
            let _work = region("work");
            if step != LATE_STEP {
                // All come when they do.
            } else if this_image() != LATE {
                come.at(LATE).add(1);
            } else {
                while come.load() + 1 < num_images() {
                    thread::yield_now();
                }
                thread::sleep(DELAY);
            }
        }
        sync_all();
    }
    for _ in 0..STEPS {
        let open = values.open();
        open.at((this_image() + 1) % num_images())[0].put(7);
    }
    let grid = ImageGrid::new([num_images()]).unwrap();
    let blocks = Blocks::new([8 * num_images()], grid).unwrap();
    let mut halos = HaloArray::filled(&blocks, 1, 0_u64).unwrap();
    sync_all();
    if this_image() == LATE {
        thread::sleep(DELAY);
    }
    halos.exchange();
    (0..SMALL).for_each(|_| co_sum(&mut 1));
    let by_steps = Collective::new().algorithm(Algorithm::Binomial);
    for _ in 0..STEPS {
        co_sum(&mut [1; 5000]);
        Collective::new().on_behalf_of("normalise").co_max(&mut 1.5);
        by_steps.co_broadcast(&mut [1_u64; 5000], LATE);
    }
    if this_image() == 0 {
        let mut locked = mutex.lock();
        is_locked.at(1).post();
        thread::sleep(DELAY);
        locked.put(1);
        drop(locked);
        thread::sleep(DELAY);
        event.at(1).post();
    } else if this_image() == 1 {
        is_locked.wait();
        drop(mutex.at(0).lock());
        event.wait();
    }
    sync_all();
}

/// The last image is killed in a region, after a barrier.
pub fn traced_to_the_end() {
    sync_all();
    let _around = region("the last one");
    if this_image() + 1 == num_images() {
        let _within = region("shot");
        crate::job::signal("KILL", std::process::id());
        thread::sleep(Duration::from_secs(60));
    }
    sync_all();
}

/// All images are killed at once in a region, after a barrier.
pub fn traced_until_killed() {
    let _around = region("the last one");
    sync_all();
    crate::job::signal("KILL", std::process::id());
    thread::sleep(Duration::from_secs(60));
}

thread_local! {
    static KEPT: std::cell::RefCell<Vec<coarray::trace::RegionGuard>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Regions that are leaked, dropped in another order, by a panic, or after the image is over.
pub fn odd_regions() {
    for _ in 0..2000 {
        std::mem::forget(region("leaked"));
    }
    let first = region("first");
    let second = region("second");
    drop(first);
    sync_all();
    drop(second);
    let panicked = std::panic::catch_unwind(|| {
        let _panics = region("panics");
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(panicked.is_err());
    KEPT.with_borrow_mut(|kept| kept.push(region("kept")));
    thread::scope(|scope| {
        scope.spawn(|| drop(region("on a thread that is no image")));
    });
    for name in [
        "",
        "\u{e9}\u{1f980}\0\n",
        "a name that is longer than all others, and longer than there is room for one",
    ] {
        let _odd = region(name);
        sync_all();
    }
}

/// More than there is room for.
pub fn many_steps() {
    for _ in 0..(1 << 20) + 1000 {
        drop(region("step"));
    }
    sync_all();
}
