//! Where the extremes are: the places that came with them.

use coarray::asynchronous::{
    co_max_loc_async, co_max_loc_to_async, co_min_loc_async, co_min_loc_to_async,
};
use coarray::collectives::{co_max_loc, co_max_loc_to, co_min_loc, co_min_loc_to};
use coarray::prelude::*;
use coarray_proptests::{Setting, bits, config, mix};
use proptest::prelude::*;

use crate::lengths;

/// A place of an odd number of bytes: the image, and where it has the value.
#[derive(Clone, Copy, Debug, PartialEq, Remote)]
#[repr(C)]
struct Place {
    image: u8,
    index: [u8; 2],
}

/// Few different values, so that many are equal, and sometimes none.
fn value(seed: u64, image: usize, index: usize) -> f64 {
    match mix(mix(seed, image as u64), index as u64) % 40 {
        0 => f64::NAN,
        1 => -0.0,
        other => (other % 5) as f64,
    }
}

fn place(image: usize, index: usize) -> Place {
    Place {
        image: image as u8,
        index: (index as u16).to_le_bytes(),
    }
}

/// The value of index `index` that is NaN, or before all others in `order`, and its place; of several that of the first image.
fn best(seed: u64, images: usize, index: usize, order: fn(f64, f64) -> bool) -> (f64, Place) {
    let mut best = 0;
    for image in 1..images {
        let (found, other) = (value(seed, best, index), value(seed, image, index));
        if !found.is_nan() && (other.is_nan() || order(other, found)) {
            best = image;
        }
    }
    (value(seed, best, index), place(best, index))
}

/// Room for the contributions to several asynchronous collectives.
const HEAP: usize = 16 << 20;

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn extremes_come_with_the_place_of_the_first_image_that_has_them(
        setting in Setting::anywhere(),
        length in lengths(size_of::<f64>() + size_of::<Place>()),
        root: prop::sample::Index,
        seed: u64,
    ) {
        let (images, root) = (setting.images, root.index(setting.images));
        setting.run_in(HEAP, || {
            let me = this_image();
            let values: Vec<f64> = (0..length).map(|index| value(seed, me, index)).collect();
            let places: Vec<Place> = (0..length).map(|index| place(me, index)).collect();
            let mine = (values.clone(), places.clone());
            let best_of = |order| (0..length).map(|index| best(seed, images, index, order)).unzip();
            let check = |(values, places): (Vec<f64>, Vec<Place>), expected: &(Vec<f64>, Vec<Place>)| {
                assert_eq!((bits(&values), &places), (bits(&expected.0), &expected.1));
            };
            let (least, most) = (best_of(|a, b| a < b), best_of(|a, b| a > b));
            let (for_root, most_for_root) = if me == root { (&least, &most) } else { (&mine, &mine) };

            let (mut found, mut at) = mine.clone();
            co_min_loc(&mut found, &mut at);
            check((found, at), &least);
            let (mut found, mut at) = mine.clone();
            co_max_loc(&mut found, &mut at);
            check((found, at), &most);
            let (mut found, mut at) = mine.clone();
            co_min_loc_to(&mut found, &mut at, root);
            check((found, at), for_root);
            let (mut found, mut at) = mine.clone();
            co_max_loc_to(&mut found, &mut at, root);
            check((found, at), most_for_root);

            let (values, places) = (|| values.clone(), || places.clone());
            check(co_min_loc_async(values(), places()).wait(), &least);
            check(co_max_loc_async(values(), places()).wait(), &most);
            check(co_min_loc_to_async(values(), places(), root).wait(), for_root);
            check(co_max_loc_to_async(values(), places(), root).wait(), most_for_root);
        });
    }
}

#[test]
fn as_many_places_as_values_are_needed() {
    let failure = Setting::of(2)
        .launch()
        .run(|| co_min_loc(&mut [1.5; 3], &mut [this_image(); 2]))
        .unwrap_err();
    let text = "co_min_loc of 3 values with 2 places: each value needs one place";
    assert!(failure.text.contains(text), "{failure}");
    assert!(failure.text.contains("located.rs"), "{failure}");
}
