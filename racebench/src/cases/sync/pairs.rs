//! Rule 13: `sync_images`.

use coarray::prelude::*;

use crate::case::cases;

cases!("pairs.rs":
    clean pairs_meet;
    clean neighbours_on_a_ring_meet;
    clean one_meets_all_twice;
    racy nobody_is_named;
    racy another_image_is_named.from(3);
    racy put_after_the_meeting;
    racy named_by_a_third_image.from(3);
    racy one_meeting_for_two_rounds;
);

fn pairs_meet() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let partner = this_image() ^ 1;
    if partner < num_images() {
        x.at(partner).put(7);
        sync_images(&[partner]);
        assert_eq!(x.here().get(), 7);
    }
}

fn neighbours_on_a_ring_meet() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let left = (this_image() + num_images() - 1) % num_images();
    let right = (this_image() + 1) % num_images();
    let neighbours = if left == right {
        vec![left]
    } else {
        vec![left, right]
    };
    for round in 1..4 {
        x.at(right).put(round);
        sync_images(&neighbours);
        assert_eq!(x.here().get(), round);
        sync_images(&neighbours);
    }
}

fn one_meets_all_twice() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let others: Vec<usize> = (1..num_images()).collect();
    let partners = if this_image() == 0 { &others[..] } else { &[0] };
    x.at((this_image() + 1) % num_images()).put(7);
    sync_images(partners);
    sync_images(partners);
    assert_eq!(x.here().get(), 7);
}

fn nobody_is_named() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    sync_images(&[]);
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn another_image_is_named() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            sync_images(&[2]);
        }
        1 => assert!([0, 7].contains(&x.here().get())), //~ race: get
        2 => sync_images(&[0]),
        _ => x.here().put(8),
    }
}

fn put_after_the_meeting() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let partner = this_image() ^ 1;
    if partner < num_images() {
        sync_images(&[partner]);
        x.at(partner).put(7); //~ race: put
        assert!([0, 7].contains(&x.here().get())); //~ race: get
    }
}

fn named_by_a_third_image() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            sync_images(&[2]);
        }
        1 => {
            sync_images(&[2]);
            assert!([0, 7].contains(&x.here().get())); //~ race: get
        }
        2 => sync_images(&[0, 1]),
        _ => x.here().put(8),
    }
}

fn one_meeting_for_two_rounds() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let partner = this_image() ^ 1;
    if partner < num_images() {
        x.at(partner).put(1);
        sync_images(&[partner]);
        assert!([1, 2].contains(&x.here().get())); //~ early: get
        x.at(partner).put(2); //~ early: put
        sync_images(&[partner]);
        assert_eq!(x.here().get(), 2);
    }
}
