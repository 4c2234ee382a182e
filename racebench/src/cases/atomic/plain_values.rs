//! `as_atomic`: plain values as coatomics, alone and mixed with gets and puts.

use coarray::prelude::*;

use crate::case::cases;

cases!("plain_values.rs":
    clean additions_of_all_images;
    clean additions_then_gets_after_a_barrier;
    clean atomic_load_and_get;
    racy atomic_load_and_put;
    racy atomic_store_and_get;
    racy atomic_store_and_put;
    racy addition_and_get;
    racy addition_and_put_by_the_owner;
    racy addition_in_flight_and_put;
    racy exchange_and_fill;
    racy exchange_in_flight_and_put;
    clean atomic_and_put_of_one_image;
    clean atomic_beside_a_put;
    clean members_of_a_word;
    racy atomic_member_and_struct;
    racy atomic_item_and_run;
    clean atomics_of_short_words_side_by_side;
    racy atomic_and_global_list;
);

#[derive(Clone, Copy, Remote)]
#[repr(C)]
struct Pair {
    count: u32,
    other: u32,
}

fn additions_of_all_images() {
    let mut x = Coarray::new(0i64);
    let open = x.open();
    open.at(0).as_atomic().add(1);
    open.at(0).as_atomic().fetch_add(1);
    assert!(open.at(0).as_atomic().load() >= 2);
    drop(open);
    assert_eq!(
        *x as usize,
        if this_image() == 0 {
            2 * num_images()
        } else {
            0
        }
    );
}

fn additions_then_gets_after_a_barrier() {
    let mut x = Coarray::new([0; 10]);
    let x = x.open();
    for i in 0..10 {
        x.at(0)[i].as_atomic().add_async(1);
    }
    sync_all();
    assert_eq!(x.at(0).get(), [num_images(); 10]);
}

fn atomic_load_and_get() {
    let mut x = Coarray::new(7);
    let x = x.open();
    assert_eq!(x.at(0).as_atomic().load() + x.at(0).get(), 14);
}

fn atomic_load_and_put() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => assert!([0, 7].contains(&x.at(1).as_atomic().load())), //~ race: atomic load
        _ => x.here().put(7),                                       //~ race: put
    }
}

fn atomic_store_and_get() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.at(1).as_atomic().store(7), //~ race: atomic operation
        _ => assert!([0, 7].contains(&x.here().get())), //~ race: get
    }
}

fn atomic_store_and_put() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.at(1).as_atomic().store(7), //~ race: atomic operation
        1 => x.at(1).put(8),               //~ race: put
        _ => x.here().put(9),
    }
}

fn addition_and_get() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => drop(x.at(1).get_async()),  //~ race: get
        _ => x.at(1).as_atomic().add(1), //~ race: atomic operation
    }
}

fn addition_and_put_by_the_owner() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        1 => x.here().put(7),            //~ race: put
        _ => x.at(1).as_atomic().add(1), //~ race: atomic operation
    }
}

fn addition_in_flight_and_put() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        1 => x.here().put(7),                  //~ race: put
        _ => x.at(1).as_atomic().add_async(1), //~ race: atomic operation
    }
}

fn exchange_and_fill() {
    let mut x = Coarray::new([0; 20]); //~ place: [5]
    let x = x.open();
    match this_image() {
        0 => drop(x.at(1)[5].as_atomic().compare_exchange(0, 1)), //~ race: atomic operation
        1 => x.at(1)[..].fill(2),                                 //~ race: put
        _ => x.here().fill(3),
    }
}

fn exchange_in_flight_and_put() {
    let mut x = Coarray::new([0; 20]); //~ place: [5]
    let x = x.open();
    match this_image() {
        0 => drop(x.at(1)[5].as_atomic().compare_exchange_async(0, 1)), //~ race: atomic operation
        1 => x.at(1)[4..].put_from(&[2; 16]),                           //~ race: put
        _ => x.here().fill(3),
    }
}

fn atomic_and_put_of_one_image() {
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    let mine = &x.at(1)[this_image()];
    mine.as_atomic().add_async(1);
    mine.put(7);
    mine.as_atomic().add(1);
    assert_eq!(mine.get(), 8);
}

fn atomic_beside_a_put() {
    let mut x = Coarray::new([0u32; 2]);
    let x = x.open();
    if this_image() == 1 {
        x.at(0)[1].put(7);
        assert_eq!(x.at(0)[1].get(), 7);
    } else {
        x.at(0)[0].as_atomic().add(1);
    }
}

fn members_of_a_word() {
    let mut x = Coarray::new(Pair { count: 0, other: 0 });
    let x = x.open();
    field!(x.at(1), count).as_atomic().add(1);
    if this_image() == 0 {
        field!(x.at(1), other).put(7);
    }
}

fn atomic_member_and_struct() {
    let mut x = Coarray::new(Pair { count: 0, other: 0 });
    let x = x.open();
    match this_image() {
        0 => x.at(1).put(Pair { count: 3, other: 4 }), //~ race: put
        1 => field!(x.here(), count).as_atomic().add(1), //~ race: atomic operation
        _ => field!(x.here(), count).as_atomic().add(1),
    }
}

fn atomic_item_and_run() {
    let mut x = Coarray::<[f64]>::zeroed(20); //~ place: [19]
    let x = x.open();
    match this_image() {
        0 => x.at(1)[19].as_atomic().add(0.5), //~ race: atomic operation
        1 => drop(x.at(1)[10..].to_vec()),     //~ race: get
        _ => drop(x.at(1)[..19].to_vec()),
    }
}

fn atomics_of_short_words_side_by_side() {
    let mut x = Coarray::new([0u8; 8]);
    let x = x.open();
    if this_image() == 0 {
        x.at(1)[0].as_atomic().add(1);
    } else {
        x.at(1)[this_image()].put(7);
        assert_eq!(x.at(1)[this_image()].get(), 7);
    }
}

fn atomic_and_global_list() {
    let mut x = Coarray::<[u64]>::zeroed(4); //~ place: [2]
    let x = x.open();
    match this_image() {
        0 => x.global().at(6).as_atomic().add(1), //~ race: atomic operation
        1 => x.global().scatter_to(&[6, 7], &[1, 2]), //~ race: put
        other => x.global().at(4 * other).as_atomic().add(1),
    }
}
