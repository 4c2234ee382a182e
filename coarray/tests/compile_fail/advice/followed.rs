//! What the messages of the programs in the folder above advise, done.

use std::num::NonZeroU32;

use coarray::prelude::*;

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Particle {
    position: [f64; 3],
    charge: i32,
    spin: i32,
}

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(u8)]
enum State {
    Dead,
    Alive,
}

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Cell {
    state: State,
    age: u8,
}

fn main() {
    coarray::run(2, || {
        places_are_reached_while_a_guard_is_kept();
        published_coarrays_are_read_and_opened_ones_written();
        coatomics_need_no_opening();
        several_coarrays_open_together();
        functions_borrow_coarrays();
        threads_borrow_values();
        structs_and_enums_travel();
        text_is_ragged();
        types_without_zero_are_made_by_new();
        shapes_that_fit_are_cast();
        closed_coarrays_are_reduced();
    });
}

fn places_are_reached_while_a_guard_is_kept() {
    let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
    x[3][4] = 1;
    let open = x.open();
    let place = open.at(1);
    place[5].put_from(&[7; 20]);
    place[3][4].put(42);
    drop(open);
    x[3][4] += 1;
    assert_eq!(x[3][4], if this_image() == 1 { 43 } else { 2 });
}

fn published_coarrays_are_read_and_opened_ones_written() {
    let mut x = Coarray::<[i32; 10]>::from_fn(|i| i as i32);
    {
        let x = x.publish();
        assert_eq!(x[9], x.at(1)[9].get());
    }
    let x = x.open();
    x.at(1)[0].put(42);
    assert_eq!(x.at(1)[0].get(), 42);
    assert_eq!(x.here()[1].get(), 1);
}

fn coatomics_need_no_opening() {
    let hits = Coarray::new(Coatomic::new(0u64));
    hits.at(1).fetch_add(1);
    sync_all();
    assert_eq!(hits.at(1).load(), 2);
    sync_all();
    hits.store(1);
}

fn several_coarrays_open_together() {
    let (mut a, mut b) = (Coarray::new(1), Coarray::new(2.5));
    let (a, b) = coarray::open((&mut a, &mut b));
    assert_eq!((a.at(1).get(), b.at(0).get()), (1, 2.5));
}

fn functions_borrow_coarrays() {
    fn total(x: &Coarray<[i32; 10]>) -> i32 {
        x.iter().sum()
    }

    fn opened(x: &mut Coarray<[i32; 10]>) -> Open<'_, [i32; 10]> {
        x.open()
    }

    let mut x = Coarray::new([1; 10]);
    assert_eq!((total(&x), total(&x)), (10, 10));
    assert_eq!(opened(&mut x).at(1)[0].get(), 1);
}

fn threads_borrow_values() {
    let mut x = Coarray::new([1; 10]);
    let values = &*x;
    let sum: i32 = std::thread::scope(|scope| scope.spawn(|| values.iter().sum()).join().unwrap());
    assert_eq!(sum, 10);
    let x = x.publish();
    let values = &*x;
    let sum: i32 = std::thread::scope(|scope| scope.spawn(|| values.iter().sum()).join().unwrap());
    assert_eq!(sum, 10);
}

fn structs_and_enums_travel() {
    let particle = Particle {
        position: [0.5; 3],
        charge: -1,
        spin: 1,
    };
    let cell = Cell {
        state: State::Alive,
        age: 3,
    };
    let (mut x, mut y) = (Coarray::new(particle), Coarray::new([cell; 4]));
    let (x, y) = coarray::open((&mut x, &mut y));
    assert_eq!(x.at(1).get(), particle);
    assert_eq!(coarray::field!(y.at(1)[3], state).get(), State::Alive);
    coarray::field!(y.here()[0], state).put(State::Dead);
}

fn text_is_ragged() {
    let name = ["zero", "a longer name"][this_image()];
    let mut names = Ragged::from_fn(name.len(), |i| name.as_bytes()[i]);
    let names = names.open();
    assert_eq!(names.at(1).to_vec(), b"a longer name");
}

fn types_without_zero_are_made_by_new() {
    let x = Coarray::new(NonZeroU32::MIN);
    assert_eq!(x.get(), 1);
}

fn shapes_that_fit_are_cast() {
    let x = Coarray::<[i32; 200]>::from_fn(|i| i as i32);
    assert_eq!(x.shape_cast::<[[i32; 20]; 10]>()[9][19], 199);
}

fn closed_coarrays_are_reduced() {
    let mut x = Coarray::new([1.0; 10]);
    drop(x.open());
    co_sum(&mut x);
    assert_eq!(*x, [2.0; 10]);
}
