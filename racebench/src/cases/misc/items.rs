//! Conveyors, and gets, puts and additions that travel together.

use coarray::irregular::{Adds, Conveyor, Gets, Puts};
use coarray::prelude::*;

use crate::case::cases;

cases!("items.rs":
    clean items_conveyed;
    clean puts_between_two_phases_of_a_conveyor;
    racy item_taken_for_a_flag;
    clean puts_together_to_an_item_each;
    racy puts_together_to_one_item;
    clean gets_together_after_a_barrier;
    racy gets_together_and_a_put;
    clean additions_together;
    racy puts_left_at_the_end;
);

fn items_conveyed() {
    let mut conveyor = Conveyor::<usize>::new();
    let mut sum = 0;
    for _ in 0..3 {
        let items = (0..100).map(|i| (i % num_images(), i));
        conveyor.convey(items, |_, item| sum += item);
    }
    co_sum(&mut sum);
    assert_eq!(sum, 3 * 4950 * num_images());
}

fn puts_between_two_phases_of_a_conveyor() {
    let mut conveyor = Conveyor::<usize>::new();
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7);
    conveyor.convey([(0, 7)], |_, item| assert_eq!(item, 7));
    assert_eq!(x.here().get(), 7);
}

fn item_taken_for_a_flag() {
    let mut conveyor = Conveyor::<usize>::new();
    let mut x = Coarray::new(0);
    let x = x.open();
    let mut open = conveyor.open();
    if this_image() == 0 {
        x.at(1).put(7); //~ race: put
        open.push(1, 7).unwrap();
    }
    open.finish();
    while open.wait() {
        while open.pull().is_some() {
            assert!([0, 7].contains(&x.here().get())); //~ race: get
        }
    }
}

fn puts_together_to_an_item_each() {
    let mut x = Coarray::<[usize]>::zeroed(80);
    let x = x.open();
    let mut puts = Puts::new(|image| x.at(image));
    for i in 0..10 {
        puts.put(i % num_images(), 10 * this_image() + i, i);
    }
    drop(puts);
    sync_all();
    assert!((0..80).all(|i| x.here()[i].get() < 10));
}

fn puts_together_to_one_item() {
    let mut x = Coarray::<[usize]>::zeroed(80); //~ place: [9]
    let x = x.open();
    let mut puts = Puts::new(|image| x.at(image));
    puts.put(0, 9, 7);
    puts.put(0, 10 + this_image(), 7);
    puts.flush(); //~ race: put
}

fn gets_together_after_a_barrier() {
    let mut x = Coarray::<[usize]>::zeroed(80);
    let x = x.open();
    x.at(0)[this_image()].put(7);
    sync_all();
    let mut values = [0; 8];
    let mut gets = Gets::new(|image| x.at(image));
    for (i, value) in values[..num_images()].iter_mut().enumerate() {
        gets.get(0, i, value);
    }
    gets.finish();
    assert!(values[..num_images()].iter().all(|&value| value == 7));
}

fn gets_together_and_a_put() {
    let mut x = Coarray::<[usize]>::zeroed(80); //~ place: [9]
    let x = x.open();
    let mut values = [0; 2];
    let [one, other] = &mut values;
    let mut gets = Gets::new(|image| x.at(image)); //~ race: get
    match this_image() {
        0 => {
            gets.get(1, 9, one);
            gets.get(1, 8, other);
            gets.finish();
        }
        1 => x.here()[9].put(7), //~ race: put
        _ => x.here()[9].put(8),
    }
}

fn additions_together() {
    let x = Coarray::<[Coatomic<u64>]>::from_fn(80, |_| Coatomic::new(0));
    let mut adds = Adds::new(|image| x.at(image));
    for i in 0..80 {
        adds.add(i % num_images(), i, 1);
    }
    drop(adds);
    sync_all();
    assert_eq!(x.at(0)[0].load() as usize, num_images());
}

fn puts_left_at_the_end() {
    let mut x = Coarray::<[usize]>::zeroed(80); //~ place: [9]
    let x = x.open();
    let mut puts = Puts::new(|image| x.at(image)); //~ race: put
    puts.put(0, 9, 7);
}
