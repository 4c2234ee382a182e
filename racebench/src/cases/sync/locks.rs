//! Rules 7 and 14: mutexes and critical sections.

use coarray::locks::critical;
use coarray::prelude::*;

use crate::case::cases;

cases!("locks.rs":
    clean addition_under_a_lock;
    clean what_was_done_before_the_lock;
    clean value_in_the_mutex;
    racy addition_without_a_lock;
    racy one_image_without_the_lock;
    racy locks_on_different_images;
    racy locks_of_different_coarrays;
    racy put_after_the_unlock;
    racy put_before_the_lock.by_luck();
    racy get_before_the_lock;
    racy unlock_between_get_and_put.by_luck();
    racy data_that_the_next_holder_reads_later.by_luck();
    clean addition_in_a_critical_section;
    clean different_critical_sections;
    racy put_after_the_critical_section;
    racy one_image_outside_of_the_section;
    racy critical_sections_of_two_teams;
);

fn addition_under_a_lock() {
    let lock = Coarray::new(Comutex::new(()));
    let mut x = Coarray::new(0);
    let x = x.open();
    for _ in 0..3 {
        let _guard = lock.at(1).lock();
        x.at(0).put(x.at(0).get() + 1);
    }
    sync_all();
    assert_eq!(x.at(0).get(), 3 * num_images());
}

fn what_was_done_before_the_lock() {
    let last = Coarray::new(Comutex::new(usize::MAX));
    let mut x = Coarray::new(0);
    let x = x.open();
    x.here().put(7);
    let mut last = last.at(0).lock();
    if last.get() != usize::MAX {
        assert_eq!(x.at(last.get()).get(), 7);
    }
    last.put(this_image());
}

fn value_in_the_mutex() {
    let sum = Coarray::new(Comutex::new([0; 20]));
    for _ in 0..3 {
        let mut sum = sum.at(1).lock();
        sum.update(|sum| sum[19] += 1);
    }
    sync_all();
    assert_eq!(sum.at(1).lock().get()[19], 3 * num_images());
}

fn addition_without_a_lock() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let old = x.at(0).get(); //~ lost?: get
    x.at(0).put(old + 1); //~ race: put, lost?: put
}

fn one_image_without_the_lock() {
    let lock = Coarray::new(Comutex::new(()));
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == 0 {
        x.at(0).put(7); //~ race: put
    } else {
        let _guard = lock.at(0).lock();
        let _ = x.at(0).get(); //~ race: get
    }
}

fn locks_on_different_images() {
    let lock = Coarray::new(Comutex::new(()));
    let mut x = Coarray::new(0);
    let x = x.open();
    let _guard = lock.lock();
    x.at(0).put(7); //~ race: put
}

fn locks_of_different_coarrays() {
    let (one, other) = (Coarray::new(Comutex::new(0)), Coarray::new(Comutex::new(0)));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            let _guard = one.at(0).lock();
            x.at(0).put(7); //~ race: put
        }
        1 => {
            let _guard = other.at(0).lock();
            x.at(0).put(8); //~ race: put
        }
        _ => {
            let _guard = other.at(0).lock();
            x.here().put(9);
        }
    }
}

fn put_after_the_unlock() {
    let lock = Coarray::new(Comutex::new(()));
    let mut x = Coarray::new(0);
    let x = x.open();
    drop(lock.at(0).lock());
    x.at(0).put(7); //~ race: put
}

fn put_before_the_lock() {
    let lock = Coarray::new(Comutex::new(()));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(0).put(7); //~ race: put
            drop(lock.at(0).lock());
        }
        1 => {
            let _guard = lock.at(0).lock();
            let _ = x.at(0).get(); //~ race: get
        }
        _ => drop(lock.at(0).lock()),
    }
}

fn get_before_the_lock() {
    let lock = Coarray::new(Comutex::new(()));
    let mut x = Coarray::new(0);
    let x = x.open();
    let old = x.at(0).get(); //~ lost: get
    let _guard = lock.at(0).lock();
    x.at(0).put(old + 1); //~ lost: put
}

fn unlock_between_get_and_put() {
    let lock = Coarray::new(Comutex::new(()));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            drop(lock.at(0).lock());
            x.at(0).put(7); //~ race: put
        }
        1 => {
            let guard = lock.at(0).lock();
            let _ = x.at(0).get(); //~ race: get
            drop(guard);
        }
        _ => drop(lock.at(0).lock()),
    }
}

fn data_that_the_next_holder_reads_later() {
    let lock = Coarray::new(Comutex::new(()));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            let _guard = lock.at(0).lock();
            x.at(0).put(7); //~ race: put
        }
        1 => {
            drop(lock.at(0).lock());
            let _ = x.at(0).get(); //~ race: get
        }
        _ => drop(lock.at(0).lock()),
    }
}

fn addition_in_a_critical_section() {
    let mut x = Coarray::new(0);
    let x = x.open();
    critical(|| x.at(1).put(x.at(1).get() + 1));
    sync_all();
    assert_eq!(x.at(1).get(), num_images());
}

fn different_critical_sections() {
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == 0 {
        critical(|| x.at(1).put(7));
    } else {
        critical(|| x.at(1).put(8));
    }
    critical(|| assert!(x.at(1).get() > 6));
}

fn put_after_the_critical_section() {
    let mut x = Coarray::new(0);
    let x = x.open();
    critical(|| ());
    x.at(1).put(7); //~ race: put
}

fn one_image_outside_of_the_section() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => critical(|| x.at(1).put(7)),               //~ race: put
        1 => assert!([0, 7].contains(&x.here().get())), //~ race: get
        _ => critical(|| x.here().put(8)),
    }
}

fn critical_sections_of_two_teams() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let place = x.at(1);
    let alone = Team::form(this_image());
    alone.change(|| critical(|| place.put(7))); //~ race: put
}
