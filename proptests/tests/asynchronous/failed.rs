//! Images fail before they contribute: for the others that is an error, or nothing if their results need nothing of these.

use coarray::Launch;
use coarray::asynchronous::{
    Cofuture, CofutureSet, co_broadcast_async, co_scan_async, co_sum_async, co_sum_to_async,
};
use coarray::failure::{ImageFailed, fail_image};
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use futures::executor::block_on;
use proptest::prelude::*;

use crate::watched;

const CALLS: usize = 12;

/// The values of the images that the result of a call needs on this one.
fn needs(call: usize, root: usize) -> Vec<usize> {
    let (me, images) = (this_image(), num_images());
    match call % 4 {
        0 => (0..images).collect(),
        1 => vec![root],
        2 if me == root => (0..images).collect(),
        2 => vec![me],
        _ => (0..=me).collect(),
    }
}

fn begin(call: usize, root: usize) -> Cofuture<'static, usize> {
    let mine = 1 << this_image();
    match call % 4 {
        0 => co_sum_async(mine),
        1 => co_broadcast_async(mine, root),
        2 => co_sum_to_async(mine, root),
        _ => co_scan_async(mine, |a, b| a + b),
    }
}

/// The results of all calls, waited for in one of several ways.
fn results(
    cofutures: Vec<Cofuture<'static, Result<usize, ImageFailed>>>,
    way: u64,
) -> Vec<Result<usize, ImageFailed>> {
    match way % 4 {
        0 => cofutures.into_iter().map(Cofuture::wait).collect(),
        1 => cofutures.into_iter().map(block_on).collect(),
        2 => {
            let until_ready = |cofuture: Cofuture<'static, _>| {
                while !cofuture.is_ready() {
                    std::thread::yield_now();
                }
                cofuture.wait()
            };
            cofutures.into_iter().map(until_ready).collect()
        }
        _ => {
            let mut set = CofutureSet::from(cofutures);
            let mut results = vec![Ok(0); set.len()];
            while let Some((index, result)) = set.wait_any() {
                results[index] = result;
            }
            results
        }
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn the_error_names_the_first_image_that_failed_before_it_contributed(
        images in 1usize..7,
        direct: bool,
        seed: u64,
    ) {
        // The call before which each image fails, if it does.
        let doom: Vec<usize> = (0..images)
            .map(|image| mix(seed, image as u64) as usize % (2 * CALLS))
            .collect();
        let setting = Setting { direct, ..Setting::of(images) };
        let launch = setting.launch().keep_going(true);
        let outcome = watched(launch, "images that fail", || {
            let me = this_image();
            let root = |call: usize| mix(seed, 100 + call as u64) as usize % images;
            let mut cofutures = Vec::new();
            for call in 0..CALLS {
                if doom[me] <= call {
                    fail_image();
                }
                cofutures.push(begin(call, root(call)).or_failed());
            }
            let results = results(cofutures, mix(seed, 200 + me as u64));
            for (call, result) in results.into_iter().enumerate() {
                let needed = needs(call, root(call));
                let expected = match needed.iter().find(|&&image| doom[image] <= call) {
                    Some(&image) => Err(vec![image]),
                    None => Ok(needed.iter().map(|image| 1 << image).sum()),
                };
                assert_eq!(result.map_err(|failed| failed.images), expected, "call {call}");
            }
        });
        // A job of which no image is left has failed.
        let some_stay = doom.iter().any(|&call| call >= CALLS);
        prop_assert!(outcome.is_ok() == some_stay, "{:?}", outcome.map_err(|failure| failure.to_string()));
    }
}

#[test]
fn an_image_that_has_come_to_the_end_is_told_where_the_job_keeps_going_and_ends_any_other() {
    for keeps_going in [true, false] {
        let launch = Launch::new(2).keep_going(keeps_going);
        let outcome = watched(launch, "an image that ends", || {
            if this_image() == 0 {
                let failed = co_sum_async(1).or_failed().wait().unwrap_err();
                assert_eq!((failed.images, failed.stopped), (vec![], vec![1]));
            }
        });
        let text = outcome.map_err(|failure| failure.to_string());
        let ends = "image 1 has come to the end of the program";
        assert!(
            text.as_ref()
                .map_or_else(|text| text.contains(ends), |_| true)
                && text.is_ok() == keeps_going,
            "{keeps_going} {text:?}"
        );
    }
}

#[test]
fn gets_and_puts_have_no_such_error() {
    for direct in [true, false] {
        Setting {
            direct,
            ..Setting::of(2)
        }
        .run(|| {
            let mut x = Coarray::new(this_image());
            let x = x.open();
            let other = x.at(1 - this_image());
            assert_eq!(other.get_async().or_failed().wait(), Ok(1 - this_image()));
            sync_all();
            assert_eq!(block_on(other.put_async(7).or_failed()), Ok(()));
        });
    }
}
