//! Programs without a mistake: no schedule fails.

use std::time::Duration;

use coarray::asynchronous::{CofutureSet, co_sum_async};
use coarray::atomics::{AsyncCoatomicPlace, CoatomicList};
use coarray::collectives::co_sum_reproducible;
use coarray::events::PutNotifyAsync;
use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::irregular::Adds;
use coarray::locks::critical;
use coarray::prelude::*;
use coarray::testing::Explore;
use coarray::{image_fence, sync_team};

/// In schedules by PCT and by chance. The optimised build tries many.
fn clean<R: std::fmt::Debug + PartialEq + Send>(images: usize, body: impl Fn() -> R + Sync) {
    let schedules = if cfg!(debug_assertions) { 30 } else { 1000 };
    let explore = || Explore::new(images).schedules(schedules).same_result();
    explore().run(&body);
    explore().random().seed(1).run(&body);
}

fn left() -> usize {
    (this_image() + num_images() - 1) % num_images()
}

fn right() -> usize {
    (this_image() + 1) % num_images()
}

#[test]
fn a_ring_of_events() {
    clean(3, || {
        let full = Coarray::new(Coevent::new());
        let mut place = Coarray::new(0);
        let place = place.open();
        place.at(right()).put(this_image() + 1);
        full.at(right()).post();
        full.wait();
        assert_eq!(place.here().get(), left() + 1);
    });
}

#[test]
fn a_queue_of_one_place_with_credits() {
    clean(2, || {
        let (full, empty) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
        let mut place = Coarray::new(0);
        let place = place.open();
        for value in 1..4 {
            if this_image() == 0 {
                place.at(1).put_notify(value, full.at(1));
                empty.wait();
            } else {
                full.wait();
                assert_eq!(place.here().get(), value);
                empty.at(0).post();
            }
        }
    });
}

#[test]
fn a_flag_after_a_fence() {
    clean(2, || {
        let mut data = Coarray::new([0, 0]);
        let data = data.open();
        if this_image() == 0 {
            data.at(1)[0].put(42);
            fence(1);
            data.at(1)[1].put(1);
        } else {
            while data.here()[1].get() == 0 {}
            image_fence();
            assert_eq!(data.here()[0].get(), 42);
        }
    });
}

#[test]
fn a_flag_that_is_a_coatomic() {
    clean(3, || {
        let mut data = Coarray::new(0);
        let ready = Coarray::new(Coatomic::new(false));
        let data = data.open();
        data.at(right()).put(this_image());
        quiet();
        ready.at(right()).store(true);
        while !ready.load() {}
        image_fence();
        assert_eq!(data.here().get(), left());
    });
}

#[test]
fn a_counter_under_a_lock() {
    clean(3, || {
        let count = Coarray::new(Comutex::new(0));
        for _ in 0..3 {
            count.at(0).lock().update(|count| *count += 1);
        }
        sync_all();
        count.at(0).lock().get()
    });
}

#[test]
fn a_counter_in_a_critical_section() {
    clean(3, || {
        let mut count = Coarray::new(0);
        let count = count.open();
        critical(|| {
            let place = count.at(0);
            place.put(place.get() + 1);
        });
        sync_all();
        count.at(0).get()
    });
}

#[test]
fn a_lock_that_is_tried_until_it_is_free() {
    clean(3, || {
        let count = Coarray::new(Comutex::new(0));
        loop {
            if let Ok(mut count) = count.at(0).try_lock() {
                count.update(|count| *count += 1);
                break;
            }
        }
        sync_all();
        count.at(0).lock().get()
    });
}

#[test]
fn a_lock_made_of_a_coatomic() {
    clean(2, || {
        let mut count = Coarray::new(0);
        let taken = Coarray::new(Coatomic::new(false));
        let count = count.open();
        let lock = taken.at(0);
        while lock.swap(true) {}
        image_fence();
        let place = count.at(0);
        place.put(place.get() + 1);
        quiet();
        lock.store(false);
        sync_all();
        count.at(0).get()
    });
}

#[test]
fn collectives_of_all_kinds() {
    clean(3, || {
        let sum = co_sum_of(this_image());
        let largest = co_max_of(sum + this_image());
        let mut all = [0; 3];
        co_allgather(&this_image(), &mut all);
        let first = co_broadcast_of(this_image() + 7, 0);
        (sum, largest, all, first)
    });
}

#[test]
fn a_collective_that_goes_on_meanwhile() {
    clean(3, || {
        let sum = co_sum_async(this_image());
        let other = co_sum_async(1);
        while !sum.is_ready() {}
        (sum.wait(), other.wait())
    });
}

#[test]
fn any_of_several_operations() {
    clean(2, || {
        let event = Coarray::new(Coevent::new());
        let mut either = CofutureSet::new();
        either.push(event.wait_async().map(|()| 0));
        either.push(co_sum_async(5));
        event.at(right()).post();
        let mut sum = 0;
        while let Some((_, value)) = either.wait_any() {
            sum += value;
        }
        sum
    });
}

#[test]
fn gets_and_puts_in_flight() {
    clean(2, || {
        let mut x = Coarray::new([this_image(), 0]);
        let x = x.open();
        let other = x.at(right());
        let put = other[1].put_async(this_image() + 10);
        let got = other[0].get_async().wait();
        put.wait();
        sync_all();
        assert_eq!((got, x.here()[1].get()), (left(), left() + 10));
    });
}

#[test]
fn pairs_of_images() {
    clean(3, || {
        let mut x = Coarray::new(0);
        let x = x.open();
        x.at(right()).put(this_image());
        let both = if left() == right() {
            vec![left()]
        } else {
            vec![left(), right()]
        };
        sync_images(&both);
        assert_eq!(x.here().get(), left());
        sync_all();
    });
}

#[test]
fn teams() {
    clean(4, || {
        let team = Team::form(this_image() % 2);
        let sum = team.change(|| {
            let mut x = Coarray::new(0);
            let x = x.open();
            x.at(right()).put(this_image() + 1);
            sync_team(&Team::current());
            co_sum_of(x.here().get())
        });
        assert_eq!(sum, 3);
    });
}

#[test]
fn halos() {
    clean(3, || {
        let grid = ImageGrid::new([3]).unwrap().with_periodic([true]);
        let blocks = Blocks::new([6], grid).unwrap();
        let mut u = HaloArray::filled(&blocks, 1, 0).unwrap();
        for step in 0..2 {
            u.interior_mut().fill(10 * step + this_image());
            u.exchange();
            assert_eq!(u.local()[0], 10 * step + left());
        }
    });
}

#[test]
fn adds_that_travel_together() {
    clean(3, || {
        let bins = Coarray::<[Coatomic<u64>]>::from_fn(4, |_| Coatomic::new(0));
        let mut adds = Adds::new(|image| bins.at(image));
        for bin in 0..4 {
            adds.add(right(), bin, 1 + this_image() as u64);
        }
        adds.flush();
        sync_all();
        bins.iter().map(Coatomic::load).sum::<u64>()
    });
}

#[test]
fn a_wait_with_a_time_limit() {
    clean(2, || {
        let event = Coarray::new(Coevent::new());
        if this_image() == 0 {
            // Nobody posts: the virtual time passes at once.
            assert!(!event.wait_timeout(Duration::from_secs(3600)).unwrap());
        }
        sync_all();
        event.at(right()).post();
        while !event.try_wait().unwrap() {}
    });
}

#[test]
fn posts_that_are_counted() {
    clean(3, || {
        let arrived = Coarray::new(Coevent::new());
        arrived.at(0).post();
        if this_image() == 0 {
            while arrived.query() < 3 {}
            arrived.wait_for(3);
        }
    });
}

#[test]
fn a_coatomic_that_is_waited_for() {
    clean(3, || {
        let come = Coarray::new(Coatomic::new(0));
        come.at(0).fetch_add(1);
        if this_image() == 0 {
            assert_eq!(come.wait_until(|come| come == 3), 3);
        }
    });
}

#[test]
fn a_sum_that_does_not_depend_on_the_order() {
    clean(3, || {
        let mut sum = [1.0, -1e16, 1e16][this_image()];
        co_sum_reproducible(&mut sum);
        sum
    });
}

#[coarray::test(images = [1, 2], schedules = 20)]
fn a_test_at_several_image_counts() -> Result<(), std::num::ParseIntError> {
    let one: usize = "1".parse()?;
    assert_eq!(co_sum_of(one), num_images());
    Ok(())
}

#[test]
fn what_is_in_flight_does_not_reach_memory_that_is_used_again() {
    Explore::new(2).schedules(200).run(|| {
        let other = 1 - this_image();
        for _ in 0..2 {
            let counts = Coarray::<[Coatomic<u64>]>::from_fn(4, |_| Coatomic::new(0));
            let (pairs, events) = (
                Coarray::new(Coatomic::new([0_u64; 3])),
                Coarray::new(Coevent::new()),
            );
            std::mem::forget(counts.at(other)[1].fetch_add_async(3));
            counts.at(other).add_at_async(&[0, 2, 3], &[1; 3]);
            drop(pairs.at(other).swap_async([7; 3]));
            {
                let mut place = Coarray::new([0; 4]);
                let place = place.open();
                std::mem::forget(place.at(other).put_notify_async([5; 4], events.at(other)));
            }
            drop(counts);
            let fresh = Coarray::<[Coatomic<u64>]>::from_fn(8, |_| Coatomic::new(0));
            assert!(fresh.iter().all(|count| count.load() == 0));
            sync_all();
            assert!(fresh.iter().all(|count| count.load() == 0));
            assert_eq!((pairs.load(), events.query()), ([7; 3], 1));
        }
    });
}

#[test]
fn futures_that_are_polled_and_asked_are_ready_in_the_end() {
    Explore::new(3).schedules(100).run(|| {
        let count = Coarray::new(Coatomic::new(0));
        let (came, mut place) = (Coarray::new(Coevent::new()), Coarray::new(0));
        let place = place.open();
        let right = (this_image() + 1) % num_images();
        let sent = place.at(right).put_notify_async(7, came.at(right));
        let before = count.at(0).fetch_add_async(1);
        while !before.is_ready() {}
        assert!(before.wait() < num_images());
        assert!(count.at(0).load() > 0);
        while !sent.is_ready() {}
        came.wait();
        assert_eq!(place.here().get(), 7);
        // A lock of one's own, by operations in flight.
        while count.at(1).compare_exchange_async(0, 1).wait().is_err() {
            std::thread::yield_now();
        }
        count.at(1).store_async(0);
    });
}
