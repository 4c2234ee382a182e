//! Steps of a simulation, whose images give each other what the next step needs.

use coarray::prelude::*;

use crate::Named;

pub const ALL: &[Named] = &[
    ("halo", || rod(false)),
    ("halo_with_room", || rod(true)),
    ("ring", ring),
];

const CELLS: usize = 100;

// ANCHOR: rod
/// Heat in a ring of rods. An image puts the cells at its two ends beside the cells of its neighbours, and posts that they came.
fn rod(waits_for_room: bool) {
    let (me, images) = (this_image(), num_images());
    let neighbours = [(me + images - 1) % images, (me + 1) % images];
    let came = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let room = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let mut halos = Coarray::new([0.0; 2]);
    let halos = halos.open();
    let mut cells = [me as f64; CELLS];
    for step in 0..20 {
        for (side, neighbour) in neighbours.into_iter().enumerate() {
            if waits_for_room && step > 0 {
                room[side].wait();
            }
            let end = if side == 0 {
                cells[0]
            } else {
                cells[CELLS - 1]
            };
            halos.at(neighbour)[1 - side].put(end);
        }
        came.at(neighbours[0])[1].post();
        came.at(neighbours[1])[0].post();
        came[0].wait();
        came[1].wait();
        let [left, right] = halos.here().get();
        if waits_for_room {
            room.at(neighbours[0])[1].post();
            room.at(neighbours[1])[0].post();
        }
        smooth(left, &mut cells, right);
    }
}
// ANCHOR_END: rod

fn smooth(mut left: f64, cells: &mut [f64], right: f64) {
    for index in 0..cells.len() {
        let next = cells.get(index + 1).copied().unwrap_or(right);
        let new = (left + cells[index] + next) / 3.0;
        left = std::mem::replace(&mut cells[index], new);
    }
}

// ANCHOR: ring
fn ring() {
    let (me, images) = (this_image(), num_images());
    let mut places = Coarray::new([0; 2]);
    let places = places.open();
    let mut carried = me;
    for round in 0..images {
        places.at((me + 1) % images)[round % 2].put(carried);
        sync_all();
        carried = places.here()[round % 2].get();
        sync_all();
    }
    assert_eq!(carried, me);
}
// ANCHOR_END: ring
