//! Operations that go on while the image computes.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

use crate::case::cases;

cases!("asynchronous.rs":
    clean gets_in_flight_of_one_value;
    racy get_in_flight_and_put;
    racy put_in_flight_and_get;
    racy puts_in_flight_of_two_images;
    clean puts_in_flight_of_one_image;
    racy put_that_was_waited_for_and_get;
    racy get_in_flight_into_a_buffer_and_put;
    racy fill_in_flight_and_get;
    racy copy_in_flight_and_put_to_its_source;
    racy list_in_flight_and_get;
    clean blocks_in_flight_side_by_side;
    racy block_in_flight_and_get;
);

fn gets_in_flight_of_one_value() {
    let mut x = Coarray::new(7);
    let x = x.open();
    let (one, other) = (x.at(0).get_async(), x.at(0).get_async());
    assert_eq!(other.wait() + one.wait(), 14);
}

fn get_in_flight_and_put() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => drop(x.at(1).get_async()), //~ race: get
        _ => x.here().put(7),           //~ race: put
    }
}

fn put_in_flight_and_get() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => drop(x.at(1).put_async(7)),                //~ race: put
        _ => assert!([0, 7].contains(&x.here().get())), //~ race: get
    }
}

fn puts_in_flight_of_two_images() {
    let mut x = Coarray::new(0);
    let x = x.open();
    drop(x.at(0).put_async(this_image())); //~ race: put
}

fn puts_in_flight_of_one_image() {
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    let place = &x.at(1)[this_image()];
    drop(place.put_async(7));
    drop(place.put_async(8));
    assert_eq!(place.get(), 8);
}

fn put_that_was_waited_for_and_get() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.at(1).put_async(7).wait(),               //~ race: put
        _ => assert!([0, 7].contains(&x.here().get())), //~ race: get
    }
}

fn get_in_flight_into_a_buffer_and_put() {
    let mut x = Coarray::<[u64]>::zeroed(20);
    let x = x.open();
    let mut row = [0; 20];
    async_scope(|scope| match this_image() {
        0 => drop(x.at(1).region([..]).get_into_async(&mut row, scope)), //~ race: get
        _ => x.here()[19].put(7),                                        //~ race: put
    });
}

fn fill_in_flight_and_get() {
    let mut x = Coarray::<[u64]>::zeroed(20);
    let x = x.open();
    match this_image() {
        0 => drop(x.at(1).region([3..]).fill_async(7)), //~ race: put
        1 => drop(x.here()[19].get_async()),            //~ race: get
        _ => drop(x.here().region([..]).fill_async(8)),
    }
}

fn copy_in_flight_and_put_to_its_source() {
    let mut x = Coarray::<[[u64; 20]; 2]>::zeroed();
    let x = x.open();
    let (here, there) = (x.here(), x.at(1));
    match this_image() {
        0 => drop(here.region((0, ..)).copy_from_async(&there.region((1, ..)))), //~ race: get
        1 => here[1][5].put(7),                                                  //~ race: put
        _ => drop(here.region((0, ..)).copy_from_async(&there.region((0, ..)))),
    }
}

fn list_in_flight_and_get() {
    let mut x = Coarray::<[u8]>::zeroed(20); //~ place: [6]
    let x = x.open();
    match this_image() {
        0 => drop(x.at(1).scatter_to_async(&[9, 6], &[1, 2])), //~ race: put
        1 => drop(x.at(1)[6].get_async()),                     //~ race: get
        _ => drop(x.at(1)[7].get_async()),
    }
}

fn blocks_in_flight_side_by_side() {
    let mut x = Coarray::<[[f32; 8]; 10]>::zeroed();
    let x = x.open();
    let mine = x.at(0).region((.., this_image()));
    drop(mine.fill_async(0.5));
    mine.put_from(&[1.5; 10]);
    sync_all();
    assert_eq!(x.at(0)[9][this_image()].get(), 1.5);
}

fn block_in_flight_and_get() {
    let mut x = Coarray::<[[f32; 8]; 10]>::zeroed(); //~ place: [9][7]
    let x = x.open();
    let column = [0.5; 10];
    async_scope(|scope| match this_image() {
        0 => drop(x.at(1).region((.., 7)).put_from_async(&column, scope)), //~ race: put
        1 => assert!(x.here()[9][7].get() < 1.0),                          //~ race: get
        _ => drop(x.here().region((.., 7)).fill_async(2.5)),
    });
}
