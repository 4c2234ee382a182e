//! Rule 4: barriers, and the begin and end of phases. Creations are none.

use coarray::prelude::*;

use crate::case::cases;

cases!("barriers.rs":
    clean put_and_get_with_a_barrier;
    racy put_and_get_after_the_barrier;
    racy put_and_get_before_the_barrier;
    racy second_round_without_a_barrier;
    clean phase_between_put_and_get;
    clean other_phase_between_put_and_get;
    racy creation_between_put_and_get;
    racy drop_between_put_and_get;
    clean put_in_flight_and_get_with_a_barrier;
    clean atomic_in_flight_and_get_with_a_barrier;
    clean get_and_put_with_a_barrier;
    racy next_value_put_before_all_have_read;
    racy three_images_in_one_segment.from(3);
);

fn put_and_get_with_a_barrier() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7);
    sync_all();
    assert_eq!(x.here().get(), 7);
}

fn put_and_get_after_the_barrier() {
    let mut x = Coarray::new(0);
    let x = x.open();
    sync_all();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn put_and_get_before_the_barrier() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    assert!([0, 7].contains(&x.here().get())); //~ race: get
    sync_all();
}

fn second_round_without_a_barrier() {
    let mut x = Coarray::new(0);
    let x = x.open();
    for round in 1..=2 {
        x.at((this_image() + 1) % num_images()).put(round); //~ race: put
        sync_all();
        assert!(x.here().get() >= round); //~ race: get
    }
}

fn phase_between_put_and_get() {
    let mut x = Coarray::new(0);
    x.open().at((this_image() + 1) % num_images()).put(7);
    x.open().at((this_image() + 2) % num_images()).put(8);
    let x = x.publish();
    assert_eq!(x.at(0).get(), 8);
}

fn other_phase_between_put_and_get() {
    let mut x = Coarray::new(0);
    let mut other = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7);
    drop(other.publish());
    assert_eq!(x.here().get(), 7);
}

fn creation_between_put_and_get() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    let y = Coarray::new(3);
    assert!([0, 7].contains(&x.here().get())); //~ race: get
    assert_eq!(*y, 3);
}

fn drop_between_put_and_get() {
    let mut x = Coarray::new(0);
    let y = Coarray::new(3);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    drop(y);
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn put_in_flight_and_get_with_a_barrier() {
    let mut x = Coarray::new(0);
    let x = x.open();
    drop(x.at((this_image() + 1) % num_images()).put_async(7));
    sync_all();
    assert_eq!(x.here().get(), 7);
}

fn atomic_in_flight_and_get_with_a_barrier() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at(0).as_atomic().add_async(1);
    sync_all();
    assert_eq!(x.at(0).get(), num_images());
}

fn get_and_put_with_a_barrier() {
    let mut x = Coarray::new(7);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    let theirs = x.at(right).get_async();
    sync_all();
    x.here().put(8);
    assert_eq!(theirs.wait(), 7);
}

fn next_value_put_before_all_have_read() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    x.here().put(7);
    sync_all();
    assert!([7, 8].contains(&x.at(right).get())); //~ race: get
    x.here().put(8); //~ race: put
}

fn three_images_in_one_segment() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.at(1).put(7),                           //~ race: put
        2 => assert!([0, 7].contains(&x.at(1).get())), //~ race: get
        _ => assert_eq!(x.at(2).get(), 0),
    }
    sync_all();
    assert_eq!(x.at(1).get(), 7);
}
