//! Everything that has elements is combined alike.

use coarray::prelude::*;
use coarray_proptests::{Setting, config};
use proptest::prelude::*;

#[test]
fn scalars_arrays_slices_vectors_and_closed_coarrays_are_combined_alike() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let images = num_images() as u64;
            let (me, sum) = (this_image() as u64, images * (images - 1) / 2);
            let mut scalar = me;
            co_sum(&mut scalar);
            assert_eq!(scalar, sum);
            let mut array = [[me; 3]; 2];
            co_sum(&mut array);
            assert_eq!(array, [[sum; 3]; 2]);
            let mut many = vec![me; 10];
            co_sum(&mut many[2..5]);
            assert_eq!(many, [[me; 2].as_slice(), &[sum; 3], &[me; 5]].concat());
            co_max(&mut many);
            assert_eq!(
                many,
                [[images - 1; 2].as_slice(), &[sum; 3], &[images - 1; 5]].concat()
            );
            let mut rows = vec![[me as f32, 1.0]; 4];
            co_sum(rows.as_mut_slice());
            assert_eq!(rows, [[sum as f32, images as f32]; 4]);
            let mut bounded = Coarray::new([[me as i32; 20]; 10]);
            co_sum(&mut bounded);
            assert_eq!(*bounded, [[sum as i32; 20]; 10]);
            co_min(&mut *bounded);
            let mut unbounded = Coarray::<[u64]>::from_fn(700, |index| me + index as u64);
            co_min(&mut unbounded);
            assert!(unbounded.iter().copied().eq(0..700));
            unbounded.fill(me);
            co_broadcast(&mut unbounded[3..600], num_images() - 1);
            assert_eq!(
                (unbounded[2], unbounded[3], unbounded[599], unbounded[600]),
                (me, images - 1, images - 1, me)
            );
        });
    }
}

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn broadcasts_from_each_image_bring_its_values(setting in Setting::anywhere(), length in 0usize..3000) {
        setting.run(|| {
            for root in 0..num_images() {
                let mut values = vec![this_image(); length];
                co_broadcast(&mut values, root);
                assert_eq!(values, vec![root; length]);
            }
        });
    }
}

#[test]
fn a_broadcast_from_no_image_panics_on_all() {
    let failure = Setting::of(3)
        .launch()
        .run(|| co_broadcast(&mut [1, 2], 3))
        .unwrap_err();
    assert!(
        failure
            .text
            .contains("co_broadcast with image 3 as root, but there are 3 images"),
        "{failure}"
    );
}
