//! Strided sections, columns, blocks, and lists of indices.

use coarray::prelude::*;

use crate::case::cases;

cases!("sections.rs":
    clean even_and_odd_items;
    racy every_second_and_every_third_item;
    clean columns_side_by_side;
    racy column_and_row;
    clean blocks_side_by_side;
    racy blocks_with_a_common_corner;
    racy block_copied_from_one_that_is_filled;
    clean lists_without_a_common_index;
    racy lists_with_a_common_index;
    racy list_read_and_item_put;
    clean global_indices_of_an_image_each;
    racy global_index_of_two_images;
);

fn even_and_odd_items() {
    let mut x = Coarray::<[i32; 30]>::zeroed();
    let x = x.open();
    match this_image() {
        0 => x.at(1).section(.., 2).put_from(&[1; 15]),
        1 => x.at(1).section(1.., 2).fill(2),
        _ => x.here().section(.., 3).fill(3),
    }
    sync_all();
    assert_eq!(x.at(1)[28..].to_vec(), [1, 2]);
}

fn every_second_and_every_third_item() {
    let mut x = Coarray::<[i32; 30]>::zeroed(); //~ place: [4]
    let x = x.open();
    match this_image() {
        0 => x.at(1).section(..8, 2).put_from(&[1; 4]), //~ race: put
        1 => x.at(1).section(1..8, 3).fill(2),          //~ race: put
        _ => x.here().section(.., 3).fill(3),
    }
}

fn columns_side_by_side() {
    let mut x = Coarray::<[[f32; 8]; 10]>::zeroed();
    let x = x.open();
    x.at(0).column(this_image()).put_from(&[0.5; 10]);
    sync_all();
    assert_eq!(x.at(0)[9][this_image()].get(), 0.5);
}

fn column_and_row() {
    let mut x = Coarray::<[[f32; 8]; 10]>::zeroed(); //~ place: [9][3]
    let x = x.open();
    match this_image() {
        0 => x.at(1).column(3).put_from(&[0.5; 10]), //~ race: put
        1 => x.here()[9].get_into(&mut [0.0; 8]),    //~ race: get
        _ => x.here().column(3).fill(1.5),
    }
}

fn blocks_side_by_side() {
    let mut x = Coarray::<[[u16; 8]; 10]>::zeroed();
    let x = x.open();
    match this_image() {
        0 => x.at(1).region((..5, 3..)).fill(1),
        1 => x.at(1).region((5.., ..)).fill(2),
        _ => assert_eq!(x.at(1).region((..5, ..3)).to_vec(), [0; 15]),
    }
}

fn blocks_with_a_common_corner() {
    let mut x = Coarray::<[[u16; 8]; 10]>::zeroed(); //~ place: [4][3]
    let x = x.open();
    match this_image() {
        0 => x.at(1).region((..5, 3..)).fill(1),  //~ race: put
        1 => x.at(1).region((4.., ..=3)).fill(2), //~ race: put
        _ => x.here().region((4, 3..)).fill(3),
    }
}

fn block_copied_from_one_that_is_filled() {
    let mut x = Coarray::<[[u16; 8]; 10]>::zeroed();
    let x = x.open();
    let (here, there) = (x.here(), x.at(1));
    match this_image() {
        0 => here.region((0, ..2)).copy_from(&there.region((..2, 7))), //~ race: get
        1 => there.region((1.., 7)).fill(2),                           //~ race: put
        _ => here.region((..2, 0)).copy_from(&there.region((0, ..2))),
    }
}

fn lists_without_a_common_index() {
    let mut x = Coarray::<[u32]>::zeroed(40);
    let x = x.open();
    let mine = [this_image(), 39 - this_image(), 20];
    x.at(0).scatter_to(&mine[..2], &[1, 2]);
    x.at(0).gather_from(&mine, &mut [0; 3]);
}

fn lists_with_a_common_index() {
    let mut x = Coarray::<[u32]>::zeroed(40); //~ place: [20]
    let x = x.open();
    match this_image() {
        0 => x.at(1).scatter_to(&[39, 20, 1], &[7; 3]), //~ race: put
        1 => x.at(1).scatter_to(&[0, 20, 38], &[8; 3]), //~ race: put
        _ => x.here().scatter_to(&[20, 20], &[9; 2]),
    }
}

fn list_read_and_item_put() {
    let mut x = Coarray::<[u32]>::zeroed(40); //~ place: [20]
    let x = x.open();
    match this_image() {
        0 => x.at(1).gather_from(&[39, 20, 1], &mut [7; 3]), //~ race: get
        1 => x.here()[20].put(7),                            //~ race: put
        _ => x.at(1).gather_from(&[21, 19], &mut [7; 2]),
    }
}

fn global_indices_of_an_image_each() {
    let mut x = Coarray::<[i64]>::zeroed(10);
    let x = x.open();
    let mine: Vec<usize> = (0..10).map(|i| i * num_images() + this_image()).collect();
    x.global().scatter_to(&mine, &[7; 10]);
    sync_all();
    assert_eq!(x.here().to_vec(), [7; 10]);
}

fn global_index_of_two_images() {
    let mut x = Coarray::<[i64]>::zeroed(10); //~ place: [3]
    let x = x.open();
    let common = x.global();
    match this_image() {
        0 => common.scatter_to(&[1, 13], &[7; 2]), //~ race: put
        1 => common.gather_from(&[13, 2], &mut [0; 2]), //~ race: get
        other => common.at(10 * other).put(7),
    }
}
