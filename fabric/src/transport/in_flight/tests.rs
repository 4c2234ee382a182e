//! What is noticed, forgotten and moved.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::*;

fn put(image: usize, start: usize, length: usize) -> Access {
    Access::new(image, Direction::Put, start, length)
}

#[test]
fn only_what_overlaps_is_noticed() {
    let in_flight = InFlight::new(3);
    assert!(in_flight.is_empty());
    assert!(in_flight.insert(put(1, 100, 10)));
    assert!(in_flight.insert(put(1, 200, 10)));
    assert!(in_flight.conflicts(put(1, 109, 1)) && in_flight.conflicts(put(1, 90, 500)));
    assert!(!in_flight.conflicts(put(1, 110, 90)) && !in_flight.conflicts(put(1, 0, 100)));
    assert!(!in_flight.conflicts(put(2, 100, 10)));
    assert!(in_flight.is_in_flight_to(1) && !in_flight.is_in_flight_to(2));
}

#[test]
fn the_only_operation_is_found_and_listed_when_there_are_more() {
    let in_flight = InFlight::new(3);
    assert!(in_flight.is_idle() && !in_flight.is_armed());
    in_flight.arm();
    in_flight.insert_single(2, 64, 16);
    assert_eq!(in_flight.single_target(), Some(2));
    assert!(in_flight.conflicts(put(2, 79, 8)) && !in_flight.conflicts(put(2, 80, 8)));
    assert!(
        !in_flight.conflicts(put(1, 64, 8))
            && in_flight.is_in_flight_to(2)
            && !in_flight.is_in_flight_to(0)
    );
    assert!(in_flight.insert(put(1, 64, 8)));
    assert_eq!(in_flight.single_target(), None);
    assert!(in_flight.conflicts(put(2, 79, 8)) && in_flight.conflicts(put(1, 64, 8)));
    in_flight.retire(2);
    assert!(!in_flight.conflicts(put(2, 64, 16)) && in_flight.conflicts(put(1, 64, 8)));
    in_flight.retire(1);
    assert!(in_flight.is_empty());
    in_flight.insert_single(0, 0, 8);
    in_flight.drain(|image| assert_eq!(image, 0));
    assert!(in_flight.is_empty() && !in_flight.conflicts(put(0, 0, 8)));
    in_flight.insert_single(0, 0, 8);
    assert!(!in_flight.is_armed());
    in_flight.retire_single();
    assert!(in_flight.is_armed() && in_flight.is_empty() && !in_flight.is_in_flight_to(0));
    in_flight.disarm();
    assert!(in_flight.is_idle() && in_flight.is_empty());
}

#[test]
fn what_is_complete_is_forgotten() {
    let in_flight = InFlight::new(3);
    for image in [0, 1, 2, 1, 0] {
        assert!(in_flight.insert(put(image, 8, 8)));
    }
    in_flight.retire(1);
    assert!(!in_flight.conflicts(put(1, 8, 8)) && in_flight.conflicts(put(0, 8, 8)));
    in_flight.retire(2);
    assert!(in_flight.is_in_flight_to(0) && !in_flight.is_in_flight_to(2));
    in_flight.drain(|image| assert_eq!(image, 0));
    assert!(!in_flight.conflicts(put(0, 8, 8)));
    assert!(in_flight.is_empty());
}

#[test]
fn all_move_to_another_set_that_has_room() {
    let (from, to) = (InFlight::new(3), InFlight::new(3));
    assert!(from.move_to(&to) && to.is_empty());
    from.insert_single(1, 8, 8);
    assert!(from.move_to(&to) && from.is_armed());
    assert!(to.conflicts(put(1, 8, 8)) && !to.conflicts(put(2, 8, 8)));
    for _ in 0..2 * AT_MOST {
        from.insert_single(1, 8, 8);
        assert!(from.move_to(&to));
    }
    for at in 1..AT_MOST {
        assert!(from.insert(put(2, 16 * at, 8)));
    }
    assert!(from.move_to(&to) && to.is_full() && from.is_empty());
    assert!(to.conflicts(put(1, 8, 8)) && to.conflicts(put(2, 16, 8)));
    from.insert_single(0, 0, 8);
    assert!(!from.move_to(&to) && from.is_empty());
}

#[test]
fn atomic_operations_conflict_with_all_others_of_their_image_until_they_are_complete() {
    let atomic = |image, start| Access::new(image, Direction::Atomic, start, 8);
    let (in_flight, other) = (InFlight::new(4), InFlight::new(4));
    in_flight.insert_single(1, 8, 8);
    for at in 0..1000 {
        in_flight.insert_atomic(atomic(2, 64 + 8 * at));
    }
    in_flight.insert_atomic(atomic(3, 8));
    assert!(!in_flight.is_empty() && in_flight.single_target().is_none());
    for (image, start) in [(1, 8), (2, 64), (2, 8056), (3, 8)] {
        assert!(in_flight.conflicts(put(image, start, 8)), "{image} {start}");
        assert_eq!(in_flight.conflicts(atomic(image, start)), image == 1);
    }
    assert!(!in_flight.conflicts(put(2, 56, 8)) && !in_flight.conflicts(put(2, 8064, 8)));
    in_flight.retire(3);
    assert!(!in_flight.is_in_flight_to(3) && in_flight.is_in_flight_to(2));
    in_flight.insert_atomic(atomic(1, 64));
    let completed = RefCell::new(Vec::new());
    in_flight.drain(|image| completed.borrow_mut().push(image));
    assert_eq!(completed.into_inner(), [1, 2]);
    assert!(in_flight.is_armed() && !in_flight.conflicts(put(2, 64, 8)));
    in_flight.insert_atomic(atomic(2, 64));
    assert!(!in_flight.is_empty() && in_flight.move_to(&other) && in_flight.is_empty());
    assert!(other.conflicts(put(2, 64, 8)) && !other.conflicts(put(1, 64, 8)));
    other.retire(2);
    assert!(other.is_empty());
}

#[test]
fn each_image_is_completed_once() {
    let in_flight = InFlight::new(9);
    for images in [[3, 3, 3, 3], [5, 0, 5, 8], [1, 2, 3, 4]] {
        for (at, &image) in images.iter().enumerate() {
            assert!(in_flight.insert(put(image, 16 * at, 8)));
        }
        let completed = RefCell::new(Vec::new());
        in_flight.drain(|image| completed.borrow_mut().push(image));
        let distinct = BTreeSet::from(images);
        assert_eq!(completed.borrow().len(), distinct.len());
        assert_eq!(BTreeSet::from_iter(completed.into_inner()), distinct);
        assert!(in_flight.is_empty() && !in_flight.is_in_flight_to(3));
    }
}

#[test]
fn a_row_is_one_place_and_more_than_fit_are_refused() {
    let in_flight = InFlight::new(2);
    for at in 0..1000 {
        assert!(in_flight.insert(put(1, 8 * at, 8)));
    }
    let noted = (0..1000)
        .rev()
        .take_while(|at| in_flight.insert(put(0, 16 * at, 8)))
        .count();
    assert_eq!(noted, AT_MOST - 1);
    assert!(in_flight.conflicts(put(1, 7999, 1)) && !in_flight.conflicts(put(1, 8000, 1)));
}

#[test]
fn a_block_of_more_rows_than_fit_is_noted_with_what_is_between_the_last() {
    let in_flight = InFlight::new(2);
    for at in 0..1000 {
        assert!(in_flight.insert(put(1, 16 * at, 8)));
    }
    let last = 16 * (AT_MOST - 1);
    assert!(!in_flight.conflicts(put(1, last - 8, 8)) && in_flight.conflicts(put(1, last + 8, 8)));
    assert!(in_flight.conflicts(put(1, 16 * 999, 8)) && !in_flight.conflicts(put(1, 16 * 1000, 8)));
    assert!(!in_flight.insert(put(0, 0, 8)) && !in_flight.insert(put(1, 0, 8)));
}
