//! Rules 3 and 10: `quiet` and `image_fence`, and words that images see: coatomics.

use coarray::image_fence;
use coarray::prelude::*;

use crate::case::cases;

cases!("quiet.rs":
    clean message_by_a_third_image.from(3);
    clean quiet_on_both_sides;
    clean get_before_quiet;
    clean operations_in_flight_before_quiet;
    racy no_quiet_before_the_flag;
    racy no_quiet_after_the_flag;
    racy quiet_before_the_put;
    racy fence_instead_of_quiet;
    racy flag_of_another_image.from(3);
    clean counter_as_a_barrier;
    racy counter_without_fences_before;
    racy counter_without_fences_after;
    racy counter_waited_for_too_early.by_luck();
    clean additions_after_the_flag.from(3);
    clean store_of_another_after_the_flag.from(3);
    clean message_passed_on_with_a_fence.from(3);
    racy message_passed_on_without_a_fence.from(3);
    clean old_values_of_a_counter;
    clean store_buffering_of_coatomics;
);

fn message_by_a_third_image() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(42);
            image_fence();
            flag.at(2).store(true);
        }
        2 => {
            flag.wait_until(|flag| flag);
            image_fence();
            assert_eq!(x.at(1).get(), 42);
        }
        _ => assert_eq!(x.at(0).get(), 0),
    }
}

fn quiet_on_both_sides() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.here().put(42);
            quiet();
            flag.at(1).store(true);
        }
        1 => {
            flag.wait_until(|flag| flag);
            quiet();
            assert_eq!(x.at(0).get(), 42);
        }
        _ => x.here().put(8),
    }
}

fn get_before_quiet() {
    let read = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            assert_eq!(x.at(1).get(), 0);
            quiet();
            read.at(1).store(true);
        }
        1 => {
            read.wait_until(|read| read);
            image_fence();
            x.here().put(7);
        }
        _ => x.here().put(8),
    }
}

fn operations_in_flight_before_quiet() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 3]);
    let x = x.open();
    match this_image() {
        0 => {
            drop(x.at(1)[0].put_async(7));
            let old = x.at(1)[1].get_async();
            x.at(1)[2].as_atomic().add_async(5);
            quiet();
            flag.at(1).store(true);
            assert_eq!(old.wait(), 0);
        }
        1 => {
            flag.wait_until(|flag| flag);
            image_fence();
            x.here()[1].put(6);
            assert_eq!(x.here().get(), [7, 6, 5]);
        }
        _ => x.here().put([8; 3]),
    }
}

fn no_quiet_before_the_flag() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.here().put(42); //~ race: put
            flag.at(1).store(true);
        }
        1 => {
            flag.wait_until(|flag| flag);
            quiet();
            let _ = x.at(0).get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn no_quiet_after_the_flag() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.here().put(42); //~ race: put
            quiet();
            flag.at(1).store(true);
        }
        1 => {
            flag.wait_until(|flag| flag);
            let _ = x.at(0).get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn quiet_before_the_put() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            quiet();
            x.here().put(42); //~ race: put
            flag.at(1).store(true);
        }
        1 => {
            flag.wait_until(|flag| flag);
            quiet();
            let _ = x.at(0).get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn fence_instead_of_quiet() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 2]); //~ place: [0]
    let x = x.open();
    match this_image() {
        0 => {
            x.here()[0].put(42); //~ race: put
            x.at(1)[1].put(43);
            fence(1);
            flag.at(1).store(true);
        }
        1 => {
            flag.wait_until(|flag| flag);
            quiet();
            assert_eq!(x.here()[1].get(), 43);
            let _ = x.at(0)[0].get(); //~ race: get
        }
        _ => x.here().put([8; 2]),
    }
}

fn flag_of_another_image() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(42); //~ race: put
            quiet();
        }
        1 => {
            flag.wait_until(|flag| flag);
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        2 => {
            quiet();
            flag.at(1).store(true);
        }
        _ => x.here().put(8),
    }
}

fn counter_as_a_barrier() {
    let arrived = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new([0; 2]);
    let x = x.open();
    for round in 0..2 {
        x.at((this_image() + 1) % num_images())[round].put(7);
        image_fence();
        arrived.at(0).add(1);
        while arrived.at(0).load() < num_images() * (round + 1) {
            std::thread::yield_now();
        }
        image_fence();
        assert_eq!(x.here()[round].get(), 7);
    }
}

fn counter_without_fences_before() {
    let arrived = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    arrived.at(0).add(1);
    while arrived.at(0).load() < num_images() {
        std::thread::yield_now();
    }
    image_fence();
    let _ = x.here().get(); //~ race: get
}

fn counter_without_fences_after() {
    let arrived = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    image_fence();
    arrived.at(0).add(1);
    while arrived.at(0).load() < num_images() {
        std::thread::yield_now();
    }
    let _ = x.here().get(); //~ race: get
}

fn counter_waited_for_too_early() {
    let arrived = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    image_fence();
    arrived.at(0).add(1);
    while arrived.at(0).load() < num_images() - 1 {
        std::thread::yield_now();
    }
    image_fence();
    let _ = x.here().get(); //~ race: get
}

fn additions_after_the_flag() {
    let count = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(42);
            image_fence();
            count.at(1).add(1);
        }
        1 => {
            count.wait_until(|count| count == 2);
            image_fence();
            assert_eq!(x.here().get(), 42);
        }
        2 => {
            while count.at(1).compare_exchange(1, 2).is_err() {
                std::thread::yield_now();
            }
        }
        _ => x.here().put(8),
    }
}

/// Image 1 sees what was stored over the flag of image 0: so the fence of image 0 came before its own, in the one order that all fences have.
fn store_of_another_after_the_flag() {
    let flag = Coarray::new(Coatomic::new(0));
    let look = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(42);
            image_fence();
            flag.at(1).store(1);
        }
        1 => {
            look.wait_until(|look| look);
            image_fence();
            assert_eq!(flag.load(), 2);
            image_fence();
            let _ = x.here().get();
        }
        2 => {
            while flag.at(1).load() == 0 {
                std::thread::yield_now();
            }
            flag.at(1).store(2);
            fence(1);
            look.at(1).store(true);
        }
        _ => x.here().put(8),
    }
}

fn message_passed_on_with_a_fence() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(42);
            image_fence();
            flag.at(2).store(true);
        }
        1 => {
            flag.wait_until(|flag| flag);
            image_fence();
            assert_eq!(x.here().get(), 42);
        }
        2 => {
            flag.wait_until(|flag| flag);
            image_fence();
            flag.at(1).store(true);
        }
        _ => x.here().put(8),
    }
}

fn message_passed_on_without_a_fence() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(42); //~ race: put
            image_fence();
            flag.at(2).store(true);
        }
        1 => {
            flag.wait_until(|flag| flag);
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        2 => {
            flag.wait_until(|flag| flag);
            flag.at(1).store(true);
        }
        _ => x.here().put(8),
    }
}

fn old_values_of_a_counter() {
    let next = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    let ticket = next.at(0).fetch_add(1);
    x.at(0)[ticket].put(this_image());
    assert_eq!(x.at(0)[ticket].get(), this_image());
}

fn store_buffering_of_coatomics() {
    let x = Coarray::new(Coatomic::new(0));
    let right = (this_image() + 1) % num_images();
    x.store(1);
    image_fence();
    let mut seen = x.at(right).load();
    co_max(&mut seen);
    assert_eq!(seen, 1);
}
