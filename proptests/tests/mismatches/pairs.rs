//! Every pair of different collective operations.

use std::sync::atomic::{AtomicU32, Ordering};

use coarray::failure::Failure;
use coarray::this_image;
use coarray_proptests::{IMAGE_COUNTS, config};
use proptest::prelude::*;

use crate::kinds::{Kind, perform};
use crate::{Images, divisions, parse, report, watched};

/// Lets each image do its operation, and checks that the report names two that disagree, rightly.
fn disagree(kinds: &[Kind]) {
    for images in divisions(kinds.len()) {
        disagree_on(images, kinds);
    }
}

fn disagree_on(images: Images, kinds: &[Kind]) {
    let lines: Vec<AtomicU32> = kinds.iter().map(|_| AtomicU32::new(0)).collect();
    let case = format!("{kinds:?}");
    let report = report(images, &case, || {
        perform(kinds[this_image()], &lines[this_image()])
    });
    let named = parse(&report);
    for (image, operation) in named {
        let (kind, line) = (kinds[image], lines[image].load(Ordering::Relaxed));
        assert!(operation.starts_with(kind.name()), "{case}: {report}");
        if kind != Kind::End {
            let place = format!("tests/mismatches/kinds.rs:{line}:");
            assert!(operation.contains(&place), "{case}: no {place} in {report}");
        }
    }
    assert_ne!(kinds[named[0].0], kinds[named[1].0], "{case}: {report}");
}

/// Every pair of operations, the first on image `odd` of `images`, the second on the others.
fn every_pair(images: usize, odd: usize) {
    for one in Kind::ALL {
        for other in Kind::ALL {
            if one != other {
                let mut kinds = vec![other; images];
                kinds[odd] = one;
                disagree(&kinds);
            }
        }
    }
}

#[test]
fn two_images_in_different_operations_are_both_named() {
    every_pair(2, 0);
}

#[test]
fn two_of_three_images_are_named_if_the_first_is_in_another_operation() {
    every_pair(3, 0);
}

#[test]
fn two_of_three_images_are_named_if_the_second_is_in_another_operation() {
    every_pair(3, 1);
}

#[test]
fn two_of_three_images_are_named_if_the_third_is_in_another_operation() {
    every_pair(3, 2);
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn of_any_number_of_images_in_several_operations_two_that_disagree_are_named(
        count in prop::sample::select(&IMAGE_COUNTS[1..]),
        kinds in prop::collection::vec(prop::sample::select(&Kind::ALL[..]), 8),
        few: bool,
    ) {
        let (one, other) = (kinds[0], kinds[1]);
        let choice = |kind| if !few || kind == one { kind } else { other };
        let kinds: Vec<Kind> = kinds.into_iter().take(count).map(choice).collect();
        prop_assume!(kinds.iter().any(|&kind| kind != kinds[0]));
        disagree(&kinds);
    }
}

#[test]
fn images_in_the_same_operation_go_on() -> Result<(), Failure> {
    for images in IMAGE_COUNTS.into_iter().flat_map(divisions) {
        for kind in Kind::ALL {
            if images.count == 1 && kind == Kind::CoBroadcast {
                continue; // It is from image 1.
            }
            watched(images, &format!("{kind:?}"), || {
                perform(kind, &AtomicU32::new(0))
            })?;
        }
    }
    Ok(())
}
