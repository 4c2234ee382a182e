//! Several runs on each image, each of its own length.

use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix, panic_of};
use proptest::prelude::*;

/// What the rows of an image are to hold.
type Rows = Vec<Vec<u32>>;

/// A step of a program, the same on all images but for what each image makes of the seed.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// An image in so many replaces a row.
    Replace(usize, usize),
    Write,
    Open,
    Publish,
}

fn step() -> impl Strategy<Value = (Step, u64)> {
    let step = prop_oneof![
        6 => (0usize..100, 1usize..3).prop_map(|(row, one_in)| Step::Replace(row, one_in)),
        1 => Just(Step::Write),
        2 => Just(Step::Open),
        2 => Just(Step::Publish),
    ];
    (step, any::<u64>())
}

fn values(seed: u64, image: usize, row: usize) -> Vec<u32> {
    let length = match mix(seed, (image * 100 + row) as u64) {
        number if number % 3 == 0 => 0,
        number => (number % 90) as usize,
    };
    (0..length)
        .map(|index| mix(seed ^ image as u64, index as u64) as u32)
        .collect()
}

/// The row that `image` replaces in a step, if it does.
fn replaced(seed: u64, image: usize, row: usize, one_in: usize, rows: usize) -> Option<usize> {
    let number = mix(seed, image as u64) as usize;
    (rows > 0 && number.is_multiple_of(one_in)).then(|| (row + number) % rows)
}

/// The image before this one puts to all rows, and no other.
fn put_to_all(rows: &mut Rows, seed: u64) {
    for (number, item) in rows.iter_mut().flatten().enumerate() {
        *item = mix(seed, number as u64) as u32;
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn programs_on_rows_do_as_vectors_of_vectors_do(
        setting in Setting::anywhere(),
        rows in 0usize..12,
        steps in prop::collection::vec(step(), 1..25),
        seed: u64,
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            // Every image knows what all have.
            let mut model: Vec<Rows> = (0..images)
                .map(|image| (0..rows).map(|row| values(seed, image, row)).collect())
                .collect();
            let mut ragged = RaggedRows::from_fn(rows, |row| &model[me][row]);
            for &(step, seed) in &steps {
                match step {
                    Step::Replace(row, one_in) => {
                        for (image, theirs) in model.iter_mut().enumerate() {
                            if let Some(row) = replaced(seed, image, row, one_in, rows) {
                                theirs[row] = values(seed, image, row);
                            }
                        }
                        if let Some(row) = replaced(seed, me, row, one_in, rows) {
                            let items = &model[me][row];
                            ragged.replace(row, items.len(), |index| items[index]);
                        }
                    }
                    Step::Write => {
                        model.iter_mut().flatten().flatten().for_each(|item| *item ^= 1);
                        ragged.iter_mut().flatten().for_each(|item| *item ^= 1);
                        for (row, items) in model.iter_mut().flat_map(|rows| rows.iter_mut().enumerate()) {
                            if let Some(first) = items.first_mut() {
                                *first = row as u32;
                            }
                        }
                        for row in 0..rows {
                            if let Some(first) = ragged[row].first_mut() {
                                *first = row as u32;
                            }
                        }
                    }
                    Step::Open => {
                        let right = (me + 1) % images;
                        model.iter_mut().for_each(|rows| put_to_all(rows, seed));
                        let open = ragged.open();
                        let places = open.at(right).rows().into_iter().flat_map(|row| row.iter());
                        for (number, place) in places.enumerate() {
                            place.put(mix(seed, number as u64) as u32);
                        }
                        sync_all();
                        for (image, theirs) in model.iter().enumerate() {
                            let part = open.at(image);
                            assert_eq!((part.len(), part.is_empty()), (rows, rows == 0));
                            for (row, items) in theirs.iter().enumerate() {
                                assert_eq!(&part.row(row).to_vec(), items);
                            }
                        }
                        assert_eq!(open.here().rows().len(), rows);
                    }
                    Step::Publish => {
                        let published = ragged.publish();
                        for (image, theirs) in model.iter().enumerate() {
                            let part = published.at(image);
                            let all = part.rows().into_iter().map(|row| row.to_vec());
                            assert!(all.eq(theirs.iter().cloned()));
                            for (row, items) in theirs.iter().enumerate() {
                                let lent = part.try_ref(row);
                                assert_eq!(lent.is_some(), setting.reaches(me, image));
                                assert!(lent.is_none_or(|row| row == items));
                            }
                        }
                        assert!(published.iter().eq(model[me].iter().map(Vec::as_slice)));
                        assert!((0..rows).all(|row| published[row] == model[me][row]));
                    }
                }
                assert!(ragged.iter().eq(model[me].iter().map(Vec::as_slice)), "somebody else wrote here");
                assert_eq!(ragged.len(), rows);
            }
        });
    }
}

#[test]
fn a_row_whose_items_panic_half_way_is_empty_and_all_others_stay() {
    Setting::of(2).run_in(64 << 10, || {
        let mut ragged = RaggedRows::from_fn(3, |row| [row as u64; 500]);
        let mut other = RaggedRows::<u8>::empty(1);
        for round in 0..50 {
            let text = panic_of(|| {
                ragged.replace(1, 2000, |index| {
                    if index == 1000 {
                        // The heap is as usable in the middle of a replacement as ever.
                        other.replace(0, 100 + round, |_| 7);
                        panic!("no more items");
                    }
                    index as u64
                });
            });
            assert_eq!(text, "no more items");
            assert_eq!(other[0], vec![7; 100 + round]);
            let expected = [&[0u64; 500][..], &[], &[2; 500]];
            assert!(ragged.iter().eq(expected), "in round {round}");
            let open = ragged.open();
            let lengths = open.at(1 - this_image()).rows().into_iter().map(Coref::len);
            assert!(lengths.eq([500, 0, 500]));
        }
        ragged.replace(1, 2000, |index| index as u64);
        assert!(ragged[1].iter().copied().eq(0..2000));
    });
}

#[test]
fn a_row_that_does_not_fit_is_refused_on_its_image_and_all_others_stay() {
    Setting::of(2).run_in(64 << 10, || {
        let mut ragged = RaggedRows::from_fn(2, |_| [this_image() as u64; 1000]);
        if this_image() == 1 {
            let none = |_| unreachable!("no item is asked for");
            let error = ragged.try_replace(1, 9000, none).unwrap_err().to_string();
            assert!(
                error.contains("RaggedRows<u64>") && error.contains("largest users:\n"),
                "{error}"
            );
            assert!(!error.contains("coarray of RaggedRows"), "{error}");
            assert!(ragged.try_replace(1, usize::MAX, none).is_err());
        }
        let published = ragged.publish();
        let lengths = |image| published.at(image).rows().into_iter().map(|row| row.len());
        assert!(lengths(0).eq([1000, 1000]) && lengths(1).eq([1000, 0]));
    });
}

#[test]
fn a_row_that_is_none_is_named_with_the_image_and_how_many_there_are() {
    Setting::of(2).run(|| {
        let mut ragged = RaggedRows::from_fn(3, |row| [row]);
        let other = 1 - this_image();
        let mut texts = vec![
            (this_image(), panic_of(|| ragged[3].len())),
            (this_image(), panic_of(|| ragged[3].fill(0))),
            (this_image(), panic_of(|| ragged.replace(3, 0, |_| 0))),
        ];
        let open = ragged.open();
        texts.push((other, panic_of(|| open.at(other).row(3).len())));
        open.close();
        let published = ragged.publish();
        texts.push((other, panic_of(|| published.at(other).try_ref(3).is_some())));
        texts.push((this_image(), panic_of(|| published[3].len())));
        for (image, text) in texts {
            let expected =
                format!("row 3 is out of bounds of a ragged coarray with 3 rows on image {image}");
            assert_eq!(text, expected);
        }
    });
}

#[test]
fn rows_that_are_replaced_and_dropped_give_their_memory_back_at_once() {
    Setting::of(3).run_in(64 << 10, || {
        let mut ragged = RaggedRows::<u64>::empty(4);
        for round in 0..500 {
            let row = round % 4;
            ragged.replace(row, 1000 + (round + this_image()) % 7 * 100, |_| {
                round as u64
            });
            assert!(ragged[row].iter().all(|&value| value == round as u64));
        }
        drop(ragged);
        for _ in 0..50 {
            let whole = RaggedRows::from_fn(2, |_| [1u8; 20_000]);
            assert_eq!(whole[1].len(), 20_000);
        }
    });
}
