//! Coatomics: they never race, and order nothing else.

use coarray::prelude::*;

use crate::case::cases;

cases!("coatomics.rs":
    clean operations_of_all_images;
    clean operations_in_flight;
    clean lists_of_operations;
    clean coatomics_of_many_bytes;
    clean coatomics_of_floats;
    clean coatomics_loaded_and_stored_as_slices;
    clean stores_of_all_images;
    clean slots_by_tickets;
    racy slots_by_tickets_taken_twice;
    racy data_beside_a_counter;
    racy message_by_two_coatomics;
    racy spin_lock_without_fences;
    clean spin_lock_with_fences;
);

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Triple([u64; 3]);

fn operations_of_all_images() {
    let x = Coarray::new(Coatomic::new(0));
    let there = x.at(0);
    let old = there.fetch_add(2);
    there.max(1);
    there.fetch_xor(0);
    let _ = there.compare_exchange(old, old);
    sync_all();
    assert_eq!(there.load(), 2 * num_images());
}

fn operations_in_flight() {
    let x = Coarray::new(Coatomic::new(0));
    let there = x.at(1);
    there.add_async(1);
    let old = there.fetch_add_async(1);
    there.add(1);
    assert!(old.wait() < 3 * num_images());
    sync_all();
    assert_eq!(there.load(), 3 * num_images());
}

fn lists_of_operations() {
    let x = Coarray::<[Coatomic<u32>]>::from_fn(20, |_| Coatomic::new(0));
    x.at(0).add_at(&[3, 19, 3], &[1; 3]);
    x.at(0).add_at_async(&[3], &[1]);
    x.at(0)[3].add(1);
    sync_all();
    assert_eq!(x.at(0)[3].load() as usize, 4 * num_images());
}

fn coatomics_of_many_bytes() {
    let x = Coarray::new(Coatomic::new(Triple([0; 3])));
    x.at(0).store(Triple([this_image() as u64; 3]));
    let Triple([one, two, three]) = x.at(0).load();
    assert!(one == two && two == three);
}

fn coatomics_of_floats() {
    let x = Coarray::new(Coatomic::new(0.0));
    x.at(0).add(0.5);
    assert!(x.at(0).load() > 0.0);
}

fn coatomics_loaded_and_stored_as_slices() {
    let x = Coarray::<[Coatomic<u8>]>::from_fn(20, |_| Coatomic::new(0));
    x.at(1).store_from(&[7; 20]);
    assert_eq!(x.at(1).load_vec(), [7; 20]);
}

fn stores_of_all_images() {
    let x = Coarray::new(Coatomic::new(0));
    x.at(0).store(this_image());
    let old = x.at(1).swap(this_image());
    assert!(old.max(x.at(0).load()) < num_images());
}

fn slots_by_tickets() {
    let next = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::<[usize; 24]>::zeroed();
    let x = x.open();
    for _ in 0..3 {
        x.at(1)[next.at(0).fetch_add(1)].put(this_image());
    }
}

fn slots_by_tickets_taken_twice() {
    let next = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::<[usize; 24]>::zeroed();
    let x = x.open();
    x.at(1)[next.at(0).fetch_add(1) / 2].put(this_image()); //~ race: put
}

fn data_beside_a_counter() {
    let count = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new(0);
    let x = x.open();
    if count.at(0).fetch_add(1) == 0 {
        x.at(0).put(7); //~ race: put
    } else {
        let _ = x.at(0).get(); //~ race: get
    }
}

fn message_by_two_coatomics() {
    let (first, second) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::new(Coatomic::new(0)),
    );
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            first.at(1).add(1);
            second.at(1).add(1);
        }
        1 => {
            second.wait_until(|posts| posts == 1);
            first.wait_until(|posts| posts == 1);
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn spin_lock_without_fences() {
    let taken = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    while taken.at(0).compare_exchange(false, true).is_err() {
        std::thread::yield_now();
    }
    x.at(1).put(this_image()); //~ race: put
    taken.at(0).store(false);
}

fn spin_lock_with_fences() {
    let taken = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    while taken.at(0).compare_exchange(false, true).is_err() {
        std::thread::yield_now();
    }
    quiet();
    x.at(1).put(x.at(1).get() + 1);
    quiet();
    taken.at(0).store(false);
    sync_all();
    assert_eq!(x.at(1).get(), num_images());
}
