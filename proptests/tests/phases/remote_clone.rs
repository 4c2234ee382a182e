//! Values in several pieces are fetched completely, by following what describes them.

use coarray::places::{Access, RemoteClone};
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

/// Describes items of a coarray of an image.
#[derive(Clone, Copy, Debug, Remote)]
#[repr(C)]
struct Slice {
    first: Coptr<u32>,
    length: usize,
}

impl RemoteClone for Slice {
    type Local = Vec<u32>;

    fn remote_clone<A: Access>(place: &Coref<Self, A>) -> Vec<u32> {
        let Self { first, length } = place.get();
        let item = |index: usize| {
            // SAFETY: the tests below let slices point into coarrays that are open.
            unsafe { first.offset(index as isize).as_coref() }
                .expect("items are somewhere")
                .get()
        };
        (0..length).map(item).collect()
    }
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn a_description_is_followed_to_the_image_it_names(setting in Setting::anywhere(), seed: u64) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let range = |image: usize| {
                let [owner, start, length] =
                    [1, 2, 3].map(|salt| mix(seed ^ salt, image as u64) as usize);
                (owner % images, start % 20..start % 20 + length % 20)
            };
            let value = |image: usize, index: usize| mix(image as u64, index as u64) as u32;
            let mut items = Coarray::<[u32; 40]>::from_fn(|index| value(me, index));
            let mut slices = Coarray::new(Slice { first: Coptr::null(), length: 0 });
            let (items, slices) = coarray::open((&mut items, &mut slices));
            let (owner, items_of) = range(me);
            let first = items.at(owner)[items_of.start].address();
            slices.here().put(Slice { first, length: items_of.len() });
            sync_all();
            for image in 0..images {
                let (owner, items_of) = range(image);
                let expected: Vec<u32> =
                    items_of.clone().map(|index| value(owner, index)).collect();
                assert_eq!(slices.at(image).remote_clone(), expected);
                assert_eq!(items.at(owner)[items_of].remote_clone(), expected);
            }
        });
    }
}
