//! Structs: whole ones and their members.

use coarray::prelude::*;

use crate::case::cases;

cases!("structs.rs":
    clean members_apart;
    racy member_of_two_images;
    racy struct_and_member;
    clean struct_read_and_member_read;
    clean members_of_members_apart;
    racy member_of_a_member;
);

#[derive(Clone, Copy, Remote)]
#[repr(C)]
struct Cell {
    level: f32,
    kind: u8,
    wet: bool,
    flow: [i8; 2],
}

#[derive(Clone, Copy, Remote)]
#[repr(C)]
struct Column {
    number: u32,
    cell: Cell,
}

const DRY: Cell = Cell {
    level: 0.0,
    kind: 0,
    wet: false,
    flow: [0; 2],
};

fn members_apart() {
    let mut x = Coarray::new(DRY);
    let x = x.open();
    match this_image() {
        0 => field!(x.at(1), level).put(2.0),
        1 => field!(x.at(1), wet).put(true),
        2 => field!(x.at(1), flow)[1].put(-1),
        3 => field!(x.at(1), flow)[0].put(1),
        _ => assert_eq!(field!(x.at(1), kind).get(), 0),
    }
    sync_all();
    assert_eq!(x.at(1).get().level, 2.0);
    assert!(x.at(1).get().wet);
}

fn member_of_two_images() {
    let mut x = Coarray::new(DRY);
    let x = x.open();
    match this_image() {
        0 => field!(x.at(1), wet).put(true), //~ race: put
        1 => {
            field!(x.at(1), kind).put(4);
            let _ = field!(x.at(1), wet).get(); //~ race: get
        }
        _ => assert_eq!(field!(x.at(1), level).get(), 0.0),
    }
}

fn struct_and_member() {
    let mut x = Coarray::new(DRY);
    let x = x.open();
    match this_image() {
        0 => {
            let _ = x.at(1).get().level; //~ race: get
        }
        1 => field!(x.here(), flow)[1].put(7), //~ race: put
        _ => x.here().put(DRY),
    }
}

fn struct_read_and_member_read() {
    let mut x = Coarray::new(DRY);
    let x = x.open();
    assert_eq!(x.at(1).get().level, field!(x.at(0), level).get());
}

fn members_of_members_apart() {
    let mut x = Coarray::new(
        [Column {
            number: 3,
            cell: DRY,
        }; 2],
    );
    let x = x.open();
    match this_image() {
        0 => field!(x.at(1)[1], cell.wet).put(true),
        1 => field!(x.at(1)[1], cell.kind).put(5),
        _ => assert_eq!(field!(x.at(1)[1], number).get(), 3),
    }
}

fn member_of_a_member() {
    let mut x = Coarray::new(
        [Column {
            number: 3,
            cell: DRY,
        }; 2],
    );
    let x = x.open();
    match this_image() {
        0 => field!(x.at(1)[1], cell.kind).put(6), //~ race: put
        1 => field!(x.at(1)[1], cell.kind).put(5), //~ race: put
        _ => assert_eq!(field!(x.at(1)[1], number).get(), 3),
    }
}
