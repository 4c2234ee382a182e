//! Waiting for any or all of several operations.

use coarray::asynchronous::CofutureSet;
use coarray::prelude::*;
use coarray_proptests::{Setting, config};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn every_cofuture_of_a_set_is_returned_once_under_its_index(
        setting in Setting::anywhere(),
        count in 0usize..40,
        first: usize,
        stride in 1usize..8,
        any in 0usize..40,
    ) {
        setting.run(|| {
            let images = num_images();
            let mut coarray = Coarray::new(100 + this_image());
            let open = coarray.open();
            let image = |index: usize| (first % images + index * stride) % images;
            let mut set: CofutureSet<usize> =
                (0..count).map(|index| open.at(image(index)).get_async()).collect();
            assert_eq!((set.len(), set.is_empty()), (count, count == 0));
            let mut seen = vec![None; count];
            for taken in 0..any.min(count) {
                let (index, value) = set.wait_any().unwrap();
                assert_eq!(seen[index].replace(value), None);
                assert_eq!(set.len(), count - taken - 1);
            }
            let missing = (0..count).filter(|&index| seen[index].is_none()).collect::<Vec<_>>();
            let rest = set.wait_all();
            assert_eq!(rest.len(), missing.len());
            for (index, value) in missing.into_iter().zip(rest) {
                seen[index] = Some(value);
            }
            for (index, value) in seen.into_iter().enumerate() {
                assert_eq!(value, Some(100 + image(index)));
            }
        });
    }
}

#[test]
fn a_set_returns_what_is_complete_before_what_is_not() {
    for setting in Setting::everywhere().filter(|setting| setting.images > 1 && !setting.direct) {
        setting.run(|| {
            let mut coarray = Coarray::new(this_image());
            let open = coarray.open();
            let mut set = CofutureSet::from([0, 1].map(|image| open.at(image).get_async()));
            fence(1);
            assert_eq!(set.wait_any(), Some((1, 1)));
            set.push(open.at(1).get_async());
            fence(0);
            assert_eq!(set.wait_any(), Some((0, 0)));
            assert_eq!(set.wait_any(), Some((2, 1)));
            assert_eq!(set.wait_any(), None);
            set.extend(vec![open.at(1).get_async()]);
            assert_eq!(set.wait_any(), Some((3, 1)));
        });
    }
}
