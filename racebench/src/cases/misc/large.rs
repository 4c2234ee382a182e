//! Large arrays, many rounds, and memory that is used again.

use coarray::prelude::*;

use crate::case::cases;

cases!("large.rs":
    clean thousands_of_items_each;
    racy thousands_of_items_and_one_in_common;
    clean long_runs_of_bytes_side_by_side;
    racy long_runs_of_bytes_with_one_in_common;
    clean rounds_with_two_buffers;
    racy rounds_with_one_buffer;
    clean memory_used_again;
    racy memory_used_again_and_raced_for;
    clean many_readers_then_a_writer;
    racy many_readers_and_a_writer;
    clean transposition;
    racy transposition_into_one_column;
);

fn thousands_of_items_each() {
    let mut x = Coarray::<[u64]>::zeroed(4000);
    let x = x.open();
    let share = 4000 / num_images();
    let mine = this_image() * share..(this_image() + 1) * share;
    x.at(0)[mine.clone()].put_from(&vec![7; share]);
    assert_eq!(x.at(0)[mine].to_vec(), vec![7; share]);
}

fn thousands_of_items_and_one_in_common() {
    let mut x = Coarray::<[u64]>::zeroed(4000); //~ place: [2000]
    let x = x.open();
    match this_image() {
        0 => x.at(1)[..2001].put_from(&[7; 2001]), //~ race: put
        1 => x.here()[2000..].get_into(&mut [0; 2000]), //~ race: get
        _ => x.here().fill(8),
    }
}

fn long_runs_of_bytes_side_by_side() {
    let mut x = Coarray::<[u8]>::zeroed(9999);
    let x = x.open();
    let share = 9999 / num_images();
    let mine = &x.at(1)[this_image() * share..][..share];
    mine.fill(7);
    assert_eq!(mine.to_vec(), vec![7; share]);
}

fn long_runs_of_bytes_with_one_in_common() {
    let mut x = Coarray::<[u8]>::zeroed(9999); //~ place: [5555]
    let x = x.open();
    match this_image() {
        0 => x.at(1)[3..5556].fill(7), //~ race: put
        1 => x.at(1)[5555..].fill(8),  //~ race: put
        _ => x.here().fill(9),
    }
}

fn rounds_with_two_buffers() {
    let mut x = Coarray::new([0; 2]);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    for round in 1..20 {
        x.at(right)[round % 2].put(round);
        sync_all();
        assert_eq!(x.here()[round % 2].get(), round);
    }
}

fn rounds_with_one_buffer() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    for round in 1..5 {
        x.at(right).put(round); //~ race: put
        sync_all();
        assert!(x.here().get() >= round); //~ race: get
    }
}

fn memory_used_again() {
    for round in 0..10 {
        let mut x = Coarray::new([0; 30]);
        let x = x.open();
        x.at((this_image() + round) % num_images()).put([7; 30]);
    }
}

fn memory_used_again_and_raced_for() {
    for round in 0..3 {
        let mut x = Coarray::new([0; 30]);
        x[3] = round;
        let x = x.open();
        if round == 2 {
            x.at(0).put([7; 30]); //~ race: put
        }
    }
}

fn many_readers_then_a_writer() {
    let mut x = Coarray::new([7; 30]);
    let x = x.open();
    for round in 0..10 {
        assert_eq!(x.at(0)[round].get(), 7);
        x.at(0)[10..].get_into(&mut [0; 20]);
        sync_all();
        x.at(0)[10 + this_image()].put(round);
        sync_all();
    }
}

fn many_readers_and_a_writer() {
    let mut x = Coarray::new([7; 30]); //~ place: [9]
    let x = x.open();
    for round in 0..10 {
        assert!(x.at(0)[round].get() > 6); //~ race: get
    }
    if this_image() == 1 {
        x.at(0)[9].put(8); //~ race: put
    }
}

fn transposition() {
    let mut x = Coarray::<[[u32; 8]; 8]>::zeroed();
    let x = x.open();
    for image in 0..num_images() {
        x.at(image).column(this_image()).put_from(&[7; 8]);
    }
    sync_all();
    assert_eq!(x.here()[7].get()[..num_images()], [7; 8][..num_images()]);
}

fn transposition_into_one_column() {
    let mut x = Coarray::<[[u32; 8]; 8]>::zeroed();
    let x = x.open();
    for image in 0..num_images() {
        x.at(image).column(this_image() / 2).put_from(&[7; 8]); //~ race: put
    }
}
