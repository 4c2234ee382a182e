//! Runs of items: `put_from`, `get_into`, `fill`, `copy_from`, whole arrays.

use coarray::prelude::*;

use crate::case::cases;

cases!("runs.rs":
    clean halves_put;
    racy halves_that_overlap;
    clean bytes_that_end_within_a_word;
    racy bytes_that_overlap_by_one;
    clean rows_read_and_filled;
    racy row_read_and_filled;
    racy item_put_in_a_run_that_is_read;
    clean copies_of_one_source;
    racy source_of_a_copy_is_put;
    racy target_of_a_copy_is_read;
    racy targets_of_two_copies;
    racy vector_read_while_it_is_filled;
    racy array_put_and_a_run_of_it;
);

fn halves_put() {
    let mut x = Coarray::<[u64; 40]>::zeroed();
    let x = x.open();
    match this_image() {
        0 => x.at(1)[..20].put_from(&[1; 20]),
        1 => x.at(1)[20..].put_from(&[2; 20]),
        _ => x.here().fill(3),
    }
    sync_all();
    assert_eq!((x.at(1)[19].get(), x.at(1)[20].get()), (1, 2));
}

fn halves_that_overlap() {
    let mut x = Coarray::<[u64; 40]>::zeroed(); //~ place: [20]
    let x = x.open();
    match this_image() {
        0 => x.at(1)[..21].put_from(&[1; 21]), //~ race: put
        1 => x.at(1)[20..].put_from(&[2; 20]), //~ race: put
        _ => x.here().fill(3),
    }
}

fn bytes_that_end_within_a_word() {
    let mut x = Coarray::<[u8]>::zeroed(1000);
    let x = x.open();
    match this_image() {
        0 => x.at(1)[1..333].put_from(&[1; 332]),
        1 => x.at(1)[333..].fill(2),
        _ => assert_eq!(x.at(1)[0].get(), 0),
    }
    sync_all();
    assert_eq!(x.at(1)[331..335].to_vec(), [1, 1, 2, 2]);
}

fn bytes_that_overlap_by_one() {
    let mut x = Coarray::<[u8]>::zeroed(1000); //~ place: [332]
    let x = x.open();
    match this_image() {
        0 => x.at(1)[1..333].put_from(&[1; 332]),    //~ race: put
        1 => x.at(1)[332..].get_into(&mut [0; 668]), //~ race: get
        _ => assert_eq!(x.at(1)[0].get(), 0),
    }
}

fn rows_read_and_filled() {
    let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
    let x = x.open();
    let mut row = [1; 20];
    match this_image() {
        0 => x.at(1)[4].fill(7),
        1 => x.at(1)[5].get_into(&mut row),
        _ => x.at(1)[6].get_into(&mut row),
    }
    assert_eq!(row[19], i32::from(this_image() == 0));
}

fn row_read_and_filled() {
    let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
    let x = x.open();
    let mut row = [1; 20];
    match this_image() {
        0 => x.at(1)[4].fill(7),            //~ race: put
        1 => x.at(1)[4].get_into(&mut row), //~ race: get
        _ => x.at(1)[6].get_into(&mut row),
    }
}

fn item_put_in_a_run_that_is_read() {
    let mut x = Coarray::<[[i32; 20]; 10]>::zeroed(); //~ place: [3][19]
    let x = x.open();
    match this_image() {
        0 => x.at(1)[3][19].put(7),                     //~ race: put
        1 => x.at(1)[1..4].get_into(&mut [[0; 20]; 3]), //~ race: get
        _ => x.here()[3][19].put(7),
    }
}

fn copies_of_one_source() {
    let mut x = Coarray::new([[1; 30], [2; 30]]);
    let x = x.open();
    x.here()[0].copy_from(&x.at(0)[1]);
    assert_eq!(x.here()[0][29].get(), 2);
}

fn source_of_a_copy_is_put() {
    let mut x = Coarray::new([[1; 30], [2; 30]]); //~ place: [1][8]
    let x = x.open();
    match this_image() {
        0 => x.at(0)[0].copy_from(&x.at(1)[1]), //~ race: get
        1 => x.at(1)[1][8].put(3),              //~ race: put
        _ => x.here()[0].copy_from(&x.at(0)[1]),
    }
}

fn target_of_a_copy_is_read() {
    let mut x = Coarray::new([[1; 30], [2; 30]]);
    let x = x.open();
    match this_image() {
        0 => x.at(1)[0].copy_from(&x.at(0)[1]),  //~ race: put
        1 => x.here()[0].get_into(&mut [0; 30]), //~ race: get
        _ => x.here()[0].copy_from(&x.at(0)[1]),
    }
}

fn targets_of_two_copies() {
    let mut x = Coarray::new([[1; 30], [2; 30]]);
    let x = x.open();
    x.at(0)[0].copy_from(&x.here()[1]); //~ race: put
}

fn vector_read_while_it_is_filled() {
    let mut x = Coarray::<[f64]>::zeroed(300);
    let x = x.open();
    match this_image() {
        0 => x.here().fill(0.5), //~ race: put
        1 => {
            let _ = x.at(0).to_vec(); //~ race: get
        }
        _ => assert_eq!(x.at(1).to_vec(), [0.0; 300]),
    }
}

fn array_put_and_a_run_of_it() {
    let mut x = Coarray::new([0u16; 50]);
    let x = x.open();
    match this_image() {
        0 => x.at(1).put([7; 50]),          //~ race: put
        1 => x.here()[49..].put_from(&[8]), //~ race: put
        _ => x.here().put([9; 50]),
    }
}
