//! Images that wait long leave the core to others, whatever they wait for. Some tests have a core for each image; with
//! nine images, most machines have too few.

use std::thread;
use std::time::Duration;

use coarray::asynchronous::co_sum_async;
use coarray::locks::critical;
use coarray::prelude::*;
use rustix::time::{ClockId, clock_gettime};

/// How long the others wait for image 0.
const WAIT: Duration = Duration::from_millis(300);

/// The most processor time that all of them together may use meanwhile. Images that spin or yield use whole cores, or
/// their share of the cores; an image that sleeps uses about a millisecond.
const MOST: Duration = Duration::from_millis(60);

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Collective. Image 0 does `act` late; the others `wait` for it.
#[track_caller]
fn wait_long(act: impl FnOnce(), wait: impl FnOnce()) {
    sync_all();
    let late = || {
        thread::sleep(WAIT);
        act();
    };
    cheaply(late, wait);
}

/// Collective. Image 0 does `act`, and the others `wait` for it, which must cost them little.
#[track_caller]
fn cheaply(act: impl FnOnce(), wait: impl FnOnce()) {
    let mut used = 0;
    if this_image() == 0 {
        act();
    } else {
        let before = processor_time();
        wait();
        used = (processor_time() - before).as_micros();
    }
    co_sum(&mut used);
    assert!(
        used < MOST.as_micros(),
        "used {used} µs to wait for {WAIT:?}"
    );
}

#[coarray::test(images = [2, 9])]
fn for_an_event() {
    let event = Coarray::new(Coevent::new());
    let all = || (1..num_images()).for_each(|image| event.at(image).post());
    wait_long(all, || event.wait());
    wait_long(all, || {
        assert_eq!(event.wait_timeout(10 * WAIT), Ok(true));
    });
}

#[coarray::test(images = [2, 9])]
fn for_a_value() {
    let count = Coarray::new(Coatomic::new(0));
    let all = || (1..num_images()).for_each(|image| count.at(image).add(1));
    wait_long(all, || _ = count.wait_until(|count| count == 1));
    wait_long(all, || {
        let seen = count.wait_until_timeout(10 * WAIT, |count| count == 2);
        assert_eq!(seen, Ok(Some(2)));
    });
    let mut plain = Coarray::new(0);
    let plain = plain.open();
    let all = || (1..num_images()).for_each(|image| plain.at(image).as_atomic().store(1));
    wait_long(all, || {
        _ = plain.here().as_atomic().wait_until(|it| it == 1)
    });
}

#[coarray::test(images = [2, 9])]
fn for_a_lock() {
    let counter = Coarray::new(Comutex::new(0));
    let guard = (this_image() == 0).then(|| counter.at(0).lock());
    wait_long(
        || drop(guard),
        || counter.at(0).lock().update(|count| *count += 1),
    );
    sync_all();
    assert_eq!(counter.at(0).lock().get(), num_images() - 1);
}

#[coarray::test(images = [2, 9])]
fn for_a_critical_section() {
    let inside = Coarray::new(Coevent::new());
    let stay = || {
        critical(|| {
            (1..num_images()).for_each(|image| inside.at(image).post());
            thread::sleep(WAIT);
        });
    };
    let enter = || {
        inside.wait();
        critical(|| ());
    };
    cheaply(stay, enter);
}

#[coarray::test(images = [2, 9])]
fn for_chosen_images() {
    let others: Vec<usize> = (1..num_images()).collect();
    wait_long(|| sync_images(&others), || sync_images(&[0]));
}

#[coarray::test(images = [2, 9])]
fn for_all_images() {
    wait_long(sync_all, sync_all);
}

#[coarray::test(images = [2, 9])]
fn for_a_sum() {
    let sum = || {
        let mut one = 1;
        co_sum(&mut one);
        assert_eq!(one, num_images());
    };
    wait_long(sum, sum);
}

#[coarray::test(images = [2, 9])]
fn for_a_future() {
    let sum = || assert_eq!(co_sum_async(1).wait(), num_images());
    wait_long(sum, sum);
}
