//! Wrong indices and images panic where they are written, and the message says what is wrong.

use coarray::prelude::*;
use coarray_proptests::{Setting, panic_of};

#[track_caller]
fn on_every_setting(body: impl Fn() + Sync) {
    Setting::everywhere().for_each(|setting| drop(setting.run(&body)));
}

/// Checks that the message has all these words.
#[track_caller]
fn assert_says(text: &str, words: &[&dyn std::fmt::Display]) {
    for word in words {
        let word = word.to_string();
        let said = text
            .split(|letter: char| letter.is_whitespace() || ":,".contains(letter))
            .any(|said| said == word);
        assert!(said, "no {word:?} in: {text}");
    }
}

#[test]
fn an_index_out_of_bounds_names_itself_the_extent_and_the_image() {
    on_every_setting(|| {
        let last = num_images() - 1;
        let mut matrix = Coarray::<[[i32; 5]; 7]>::zeroed();
        let mut list = Coarray::<[[u8; 3]]>::zeroed(11);
        let (matrix, list) = coarray::open((&mut matrix, &mut list));
        let (matrix, list) = (matrix.at(last), list.at(last));
        assert_says(
            &panic_of(|| matrix[7][0].get()),
            &[&"index", &7, &"extent", &7, &"image", &last],
        );
        assert_says(
            &panic_of(|| matrix[6][5].get()),
            &[&"index", &5, &"extent", &5, &"image", &last],
        );
        assert_says(
            &panic_of(|| matrix[usize::MAX].get()),
            &[&usize::MAX, &"extent", &7],
        );
        assert_says(
            &panic_of(|| list[11].get()),
            &[&"index", &11, &"extent", &11, &"image", &last],
        );
        assert_says(
            &panic_of(|| list[2..4][2].get()),
            &[&"index", &2, &"extent", &2, &"image", &last],
        );
        assert_says(
            &panic_of(|| list.section(1..10, 4)[3].get()),
            &[&"3..=3", &"extent", &3, &"image", &last],
        );
        assert_says(
            &panic_of(|| list.column(3).to_vec()),
            &[&3, &"dimension", &1, &"extent", &3, &"image", &last],
        );
        assert_says(
            &panic_of(|| matrix.column(5).to_vec()),
            &[&5, &"dimension", &1, &"extent", &5, &"image", &last],
        );
    });
}

#[test]
fn a_range_out_of_bounds_names_itself_the_extent_and_the_image() {
    #[allow(clippy::reversed_empty_ranges)]
    on_every_setting(|| {
        let last = num_images() - 1;
        let mut list = Coarray::<[u16]>::zeroed(9);
        let list = list.open();
        let list = list.at(last);
        let ranges: [(&str, String); 8] = [
            ("3..10", panic_of(|| list[3..10].to_vec())),
            ("10..", panic_of(|| list[10..].to_vec())),
            ("..10", panic_of(|| list[..10].to_vec())),
            ("..=9", panic_of(|| list[..=9].to_vec())),
            ("0..=9", panic_of(|| list[0..=9].to_vec())),
            ("5..4", panic_of(|| list[5..4].to_vec())),
            ("8..10", panic_of(|| list.section(8..10, 3).to_vec())),
            (
                &format!("0..={}", usize::MAX),
                panic_of(|| list[0..=usize::MAX].to_vec()),
            ),
        ];
        for (range, text) in ranges {
            assert_says(&text, &[&range, &"extent", &9, &"image", &last]);
        }
        assert!(panic_of(|| list.section(.., 0).to_vec()).contains("at least 1"));
        assert!(list[9..].to_vec().is_empty() && list[4..4].is_empty());
    });
}

#[test]
fn a_region_out_of_bounds_names_dimension_selection_extent_and_image() {
    on_every_setting(|| {
        let last = num_images() - 1;
        let mut matrix = Coarray::<[[[u16; 4]; 9]]>::from_fn(7, |_| [[0; 4]; 9]);
        let matrix = matrix.open();
        let place = matrix.at(last);
        let regions: [(usize, &str, usize, String); 5] = [
            (0, "7", 7, panic_of(|| _ = place.region((7, .., ..)))),
            (
                1,
                "3..10",
                9,
                panic_of(|| _ = place.region((.., 3..10, ..))),
            ),
            (
                2,
                "2..=4",
                4,
                panic_of(|| _ = place.region((.., .., 2..=4))),
            ),
            (0, "8..", 7, panic_of(|| _ = place.region((8.., .., ..)))),
            (
                2,
                "(..5).every(2)",
                4,
                panic_of(|| _ = place.region((0, 0, (..5).every(2)))),
            ),
        ];
        for (dimension, selection, extent, text) in regions {
            assert_says(
                &text,
                &[&"dimension", &dimension, &selection, &"extent", &extent],
            );
            assert!(text.contains(&format!("image {last}")), "{text}");
        }
        let text = panic_of(|| {
            place
                .region((..2, ..3, 0))
                .copy_from(&place.region((..3, ..2, 0)))
        });
        assert!(
            text.contains("[2, 3, 1]") && text.contains("[3, 2, 1]"),
            "{text}"
        );
    });
}

#[test]
fn runs_of_another_length_name_both_lengths_and_the_image() {
    on_every_setting(|| {
        let last = num_images() - 1;
        let mut list = Coarray::<[u16]>::zeroed(9);
        let list = list.open();
        let place = list.at(last);
        let texts = [
            panic_of(|| place.put_from(&[1; 8])),
            panic_of(|| place.get_into(&mut [1; 8])),
            panic_of(|| place.copy_from(&list.at(0)[1..])),
            panic_of(|| place.section(.., 1).put_from(&[1; 8])),
            panic_of(|| place.section(.., 1).get_into(&mut [1; 8])),
            panic_of(|| place.section(.., 1).copy_from(&place.section(1.., 1))),
        ];
        for text in texts {
            assert_says(&text, &[&8, &9, &"image", &last]);
        }
    });
}

#[test]
fn an_image_that_is_none_names_itself_and_those_there_are() {
    on_every_setting(|| {
        let images = num_images();
        let counter = Coarray::new(Coatomic::new(0u32));
        let (mut list, mut run) = (Coarray::new(0), Ragged::from_fn(1, |_| 0));
        let mut texts = vec![panic_of(|| counter.at(images).load())];
        let (open, open_run) = coarray::open((&mut list, &mut run));
        texts.push(panic_of(|| open.at(images).get()));
        texts.push(panic_of(|| open_run.at(images).to_vec()));
        drop((open, open_run));
        let published = list.publish();
        texts.push(panic_of(|| published.at(images).get()));
        texts.push(panic_of(|| published.try_ref(images).copied()));
        for text in texts {
            assert_says(&text, &[&"no", &"image", &images, &0, &"to", &(images - 1)]);
        }
    });
}
