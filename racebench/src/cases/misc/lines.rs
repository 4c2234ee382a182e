//! The same accesses, written otherwise: the lines that are reported are those of the program.

use coarray::prelude::*;

use crate::case::cases;

cases!("lines.rs":
    clean helpers_read;
    racy helper_puts;
    racy helper_of_a_helper_puts;
    racy generic_helper_gets;
    racy closure_puts;
    racy function_pointer_puts;
    racy function_as_argument_gets;
    racy place_that_a_function_returns;
    racy place_kept_in_a_struct;
    racy place_under_two_names;
    clean places_under_two_names_apart;
    racy place_seen_in_another_shape;
    racy loop_over_items;
    racy iterator_over_a_section;
    racy access_by_a_macro;
    racy method_chain_over_several_lines;
    racy last_round_of_many;
    racy branch_of_one_image;
    racy value_copied_before_it_is_used;
    racy owned_guard_in_a_struct;
);

fn read(place: &Coref<i32>) -> i32 {
    place.get()
}

fn store(place: &Coref<i32>, value: i32) {
    place.put(value); //~ helper_puts.race: put, helper_of_a_helper_puts.race: put, function_pointer_puts.race: put
}

fn store_twice(place: &Coref<i32>, value: i32) {
    store(place, value);
    store(place, value + 1);
}

fn total<'a>(places: impl IntoIterator<Item = &'a Coref<i32>>) -> i32 {
    let mut total = 0;
    for place in places {
        total += place.get(); //~ generic_helper_gets.race: get
    }
    total
}

fn helpers_read() {
    let mut x = Coarray::new([7; 20]);
    let x = x.open();
    assert_eq!(total(x.at(0)) + read(&x.at(1)[3]), 21 * 7);
}

fn helper_puts() {
    let mut x = Coarray::new([7; 20]); //~ place: [3]
    let x = x.open();
    match this_image() {
        0 => store(&x.at(1)[3], 8),
        1 => assert!(x.here()[3].get() > 6), //~ race: get
        _ => store(&x.here()[3], 8),
    }
}

fn helper_of_a_helper_puts() {
    let mut x = Coarray::new([7; 20]); //~ place: [3]
    let x = x.open();
    match this_image() {
        0 => store_twice(&x.at(1)[3], 8),
        1 => assert!(x.here()[3].get() > 6), //~ race: get
        _ => store_twice(&x.here()[3], 8),
    }
}

fn generic_helper_gets() {
    let mut x = Coarray::new([7; 20]); //~ place: [19]
    let x = x.open();
    match this_image() {
        0 => assert!(total(x.at(1)) > 0),
        1 => x.here()[19].put(8), //~ race: put
        _ => assert_eq!(total(x.here()), 140),
    }
}

fn closure_puts() {
    let mut x = Coarray::new([7; 20]);
    let x = x.open();
    let put = |image: usize, item: usize| x.at(image)[item].put(8); //~ race: put
    match this_image() {
        0 => (0..5).for_each(|item| put(1, item)),
        1 => (4..9).for_each(|item| put(1, item)),
        me => put(me, 5),
    }
}

fn function_pointer_puts() {
    let mut x = Coarray::new([7; 20]); //~ place: [3]
    let x = x.open();
    let steps: [fn(&Coref<i32>, i32); 2] = [store, store_twice];
    match this_image() {
        0 => steps[0](&x.at(1)[3], 8),
        1 => assert!(x.here()[3].get() > 6), //~ race: get
        _ => steps[1](&x.here()[3], 8),
    }
}

fn function_as_argument_gets() {
    let mut x = Coarray::new([7; 20]);
    let x = x.open(); //~ race: get
    match this_image() {
        0 => assert!(x.at(1).iter().map(Coref::get).sum::<i32>() > 0),
        1 => x.here()[3].put(8), //~ race: put
        _ => assert_eq!(x.at(0).iter().map(|item| item.get()).sum::<i32>(), 140),
    }
}

/// The place that images meet at.
fn common<'a>(x: &'a Open<'_, [i32; 20]>) -> &'a Coref<i32> {
    &x.at(1)[3]
}

fn place_that_a_function_returns() {
    let mut x = Coarray::new([7; 20]); //~ place: [3]
    let x = x.open();
    match this_image() {
        0 => common(&x).put(8),             //~ race: put
        1 => assert!(common(&x).get() > 6), //~ race: get
        _ => x.here()[3].put(8),
    }
}

fn place_kept_in_a_struct() {
    struct Link<'a> {
        there: &'a Coref<i32>,
    }
    impl Link<'_> {
        fn send(&self, value: i32) {
            self.there.put(value); //~ race: put
        }
    }
    let mut x = Coarray::new([7; 20]); //~ place: [3]
    let x = x.open();
    let link = Link { there: common(&x) };
    match this_image() {
        0 => link.send(8),
        1 => assert!(x.here()[3].get() > 6), //~ race: get
        _ => x.here()[3].put(8),
    }
}

fn place_under_two_names() {
    let mut x = Coarray::new([[7; 20]; 10]); //~ place: [3][4]
    let x = x.open();
    match this_image() {
        0 => x.at(1)[2..5][1][4].put(8), //~ race: put
        1 => {
            let row = &x.here()[3];
            let tail = &row[2..];
            assert!(tail[2].get() > 6); //~ race: get
        }
        _ => x.here()[3][4].put(8),
    }
}

fn places_under_two_names_apart() {
    let mut x = Coarray::new([[7; 20]; 10]);
    let x = x.open();
    let items = &x.at(1)[3];
    match this_image() {
        0 => x.at(1)[3][4].put(8),
        1 => assert_eq!(items[5].get(), 7),
        _ => assert_eq!(items[3].get(), 7),
    }
}

fn place_seen_in_another_shape() {
    let mut x = Coarray::new([[7; 20]; 10]);
    let x = x.shape_cast_mut::<[[i32; 10]; 20]>();
    let x = x.open();
    match this_image() {
        0 => x.at(1)[7][4].put(8), //~ race: put
        1 => {
            x.here()[7].get_into(&mut [0; 10]); //~ race: get
        }
        _ => x.here()[6][4].put(8),
    }
}

fn loop_over_items() {
    let mut x = Coarray::new([7; 20]); //~ place: [12]
    let x = x.open();
    match this_image() {
        0 => {
            for item in x.at(1) {
                assert!(item.get() > 6); //~ race: get
            }
        }
        1 => x.here()[12].put(8), //~ race: put
        _ => x.here()[12].put(9),
    }
}

fn iterator_over_a_section() {
    let mut x = Coarray::new([7; 20]); //~ place: [12]
    let x = x.open();
    match this_image() {
        0 => x.at(1).section(.., 3).iter().for_each(|item| item.put(8)), //~ race: put
        1 => drop(x.here()[12].get_async()),                             //~ race: get
        _ => x.here().section(.., 3).fill(9),
    }
}

macro_rules! add_one {
    ($place:expr) => {
        $place.put($place.get() + 1)
    };
}

fn access_by_a_macro() {
    let mut x = Coarray::new([7; 20]);
    let x = x.open();
    let place = &x.at(1)[3];
    match this_image() {
        0 => add_one!(place), //~ race: put, lost?: get
        1 => place.put(8),    //~ race: put, lost?: put
        _ => add_one!(x.here()[3]),
    }
}

fn method_chain_over_several_lines() {
    let mut x = Coarray::new([[7; 20]; 10]);
    let x = x.open();
    match this_image() {
        0 => x
            .at(1)
            .region((3..5, ..)) // only these rows
            .put_from(&[8; 40]), //~ race: put
        1 => x.here()[4].get_into(&mut [0; 20]), //~ race: get
        _ => x.here()[4].fill(9),
    }
}

fn last_round_of_many() {
    let mut x = Coarray::new([7; 20]);
    let x = x.open();
    for round in 0..20 {
        assert_eq!(x.at(1)[round].get(), 7);
        sync_all();
        if this_image() == round % 2 && round < 19 {
            x.at(1)[round].put(8);
        }
    }
    if this_image() == 0 {
        x.at(1)[19].put(9); //~ race: put
    }
    if this_image() == 1 {
        assert!(x.here()[19].get() > 6); //~ race: get
    }
}

fn branch_of_one_image() {
    let mut x = Coarray::new(7);
    let x = x.open();
    if this_image() != 0 {
        let _ = x.at(0).get();
        sync_all();
    } else {
        sync_all();
        x.here().put(8); //~ race: put
    }
    if this_image() == num_images() - 1 {
        assert!(x.at(0).get() > 6); //~ race: get
    }
}

fn value_copied_before_it_is_used() {
    let mut x = Coarray::new([7; 20]);
    let x = x.open();
    match this_image() {
        0 => {
            let all = x.at(1).get(); //~ race: get
            let copy = all;
            sync_all();
            assert!(copy[3] > 6);
        }
        1 => {
            x.here()[3].put(8); //~ race: put
            sync_all();
        }
        _ => sync_all(),
    }
}

fn owned_guard_in_a_struct() {
    struct Board {
        cells: coarray::OwnedOpen<Coarray<[u8; 64]>>,
    }
    impl Board {
        fn mark(&self, image: usize, cell: usize) {
            self.cells.at(image)[cell].put(1); //~ race: put
        }
    }
    let board = Board {
        cells: Coarray::new([0; 64]).into_open(),
    };
    match this_image() {
        0 => board.mark(1, 9),
        1 => board.mark(1, 9),
        me => board.mark(me, 9),
    }
}
