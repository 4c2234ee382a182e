//! Copointers are numbers: they compute like pointers, travel, and lead back to their places.

use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix, panic_of};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn copointers_count_like_indices(
        setting in Setting::anywhere(),
        indices in prop::collection::vec(0usize..=100, 1..20),
        far: isize,
    ) {
        setting.run(|| {
            let mut list = Coarray::<[[u16; 3]]>::zeroed(100);
            let open = list.open();
            for image in 0..num_images() {
                let origin = open.at(image)[50].address();
                let (mut pointer, mut before) = (origin, 50);
                for &index in &indices {
                    let step = index as isize - before as isize;
                    assert_eq!(pointer.offset(step).offset_from(pointer), Some(step));
                    (pointer, before) = (pointer.offset(step), index);
                    assert_eq!(pointer.offset_from(origin), Some(index as isize - 50));
                    assert_eq!((pointer == origin, pointer.image()), (index == 50, Some(image)));
                    if index < 100 {
                        assert_eq!(pointer, open.at(image)[index].address());
                    }
                }
                let away = origin.offset(far);
                assert_eq!((away.offset(far.wrapping_neg()), away.image()), (origin, Some(image)));
                let other = open.at((image + 1) % num_images())[50].address();
                assert_eq!(origin.offset_from(other).is_some(), num_images() == 1);
                assert_eq!(origin.offset(1).offset_from(origin), Some(1));
            }
        });
    }

    #[test]
    fn copointers_of_one_image_are_ordered_and_counted_through_as_indices_are(
        setting in Setting::anywhere(),
        ends in prop::collection::vec((0usize..=50, 0usize..=50), 1..10),
        steps in prop::collection::vec((any::<bool>(), 0usize..5), 0..40),
    ) {
        setting.run(|| {
            let mut list = Coarray::<[[u16; 3]]>::zeroed(50);
            let open = list.open();
            for image in 0..num_images() {
                let other = open.at((image + 1) % num_images())[0].address();
                let origin = open.at(image)[0].address();
                for &(start, end) in &ends {
                    let (first, last) = (origin + start as isize, origin + end as isize);
                    assert_eq!(first.partial_cmp(&last), Some(start.cmp(&end)));
                    assert_eq!((last - first, last - 0), (end as isize - start as isize, last));
                    let mut moved = first;
                    moved += end as isize;
                    moved -= start as isize;
                    assert_eq!((moved, last - end as isize), (last, origin));
                    assert_eq!(first.partial_cmp(&other).is_some(), num_images() == 1);
                    // From both ends, some left out: as the range of indices.
                    let (mut places, mut indices) = (first.up_to(last), start..end);
                    for &(at_the_back, skipped) in &steps {
                        assert_eq!(places.size_hint(), indices.size_hint());
                        let (place, index) = match at_the_back {
                            true => (places.nth_back(skipped), indices.nth_back(skipped)),
                            false => (places.nth(skipped), indices.nth(skipped)),
                        };
                        assert_eq!(place, index.map(|index| open.at(image)[index].address()));
                    }
                    let all = first.read_only().up_to(last.into());
                    assert!(all.map(|place| place - origin.read_only()).eq(start as isize..end as isize));
                }
            }
        });
    }

    #[test]
    fn a_copointer_put_to_another_image_leads_to_its_place_from_there(
        setting in Setting::anywhere(),
        seed: u64,
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let choice = |image: usize| {
                let number = mix(seed, image as u64) as usize;
                (number % images, number / images % 9)
            };
            let mut values = Coarray::<[u64; 9]>::from_fn(|index| (100 * me + index) as u64);
            let mut pointers = Coarray::new(Coptr::<u64>::null());
            let (values, pointers) = coarray::open((&mut values, &mut pointers));
            let (image, index) = choice(me);
            pointers.at((me + 1) % images).put(values.at(image)[index].address());
            sync_all();
            let (image, index) = choice((me + images - 1) % images);
            let pointer = pointers.here().get();
            assert_eq!(pointer, values.at(image)[index].address());
            // SAFETY: `values` is open.
            let place = unsafe { pointer.as_coref() }.expect("it points to an item");
            let value = (100 * image + index) as u64;
            assert_eq!((place.get(), place.image()), (value, image));
            let local = pointer.to_local();
            assert_eq!(local.is_some(), setting.reaches(me, image) || image == me);
            // SAFETY: it points to an item, and nobody writes.
            assert!(local.is_none_or(|local| unsafe { local.read() } == value));
        });
    }
}

#[test]
fn null_points_nowhere() {
    Setting::everywhere().for_each(|setting| {
        setting.run(|| {
            let mut value = Coarray::new(5u8);
            let value = value.open();
            let (null, other) = (Coptr::<u8>::null(), value.here().address());
            assert!(null.is_null() && null.image().is_none() && null.to_local().is_none());
            assert_eq!(
                (null, null.offset_from(null), null.offset_from(other)),
                (Coptr::default(), None, None)
            );
            assert_eq!(other.offset_from(null), None);
            assert!(!other.is_null() && other != null);
            assert_eq!(format!("{null:?}"), "Coptr(null)");
            // SAFETY: null is never turned into a place.
            assert!(unsafe { null.as_coref() }.is_none());
        });
    });
}

#[test]
fn copointers_to_different_images_and_null_are_neither_ordered_nor_have_a_distance() {
    Setting::of(2).run(|| {
        let mut x = Coarray::new([0u32; 4]);
        let x = x.open();
        let [here, there] = [0, 1].map(|image| x.at(image)[0].address());
        let null = Coptr::null();
        for (one, other) in [(here, there), (here, null), (null, there)] {
            for (one, other) in [(one, other), (other, one)] {
                assert_eq!(one.partial_cmp(&other), None);
                assert!(one != other);
                for text in [
                    panic_of(|| one - other),
                    panic_of(|| one.up_to(other).len() as isize),
                ] {
                    let words = format!("from {other:?} to {one:?}");
                    let back = format!("from {one:?} to {other:?}");
                    assert!(text.contains(&words) || text.contains(&back), "{text}");
                }
            }
        }
        assert_eq!(null.partial_cmp(&null), Some(std::cmp::Ordering::Equal));
        assert_eq!(null.up_to(null).next(), None);
        assert_eq!(here.up_to(here).next_back(), None);
    });
}

#[test]
fn a_copointer_that_left_the_heap_is_not_local() {
    Setting::everywhere().for_each(|setting| {
        setting.run(|| {
            let mut value = Coarray::new(5u64);
            let value = value.open();
            let here = value.here().address();
            assert!(here.to_local().is_some());
            for wrong in [here.offset(1 << 30), here.offset(-(1 << 30))] {
                assert!(wrong.to_local().is_none(), "{wrong:?}");
            }
        });
    });
}

/// A link of a chain that goes round all images.
#[derive(Clone, Copy, Debug, Remote)]
#[repr(C)]
struct Link {
    value: u64,
    next: Coptr<Link>,
}

#[test]
fn a_list_that_spans_all_images_can_be_walked_from_each() {
    const LINKS: usize = 5;
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let mut links = Coarray::<[Link]>::from_fn(LINKS, |_| Link {
                value: 0,
                next: Coptr::null(),
            });
            let open = links.open();
            // Link `i` of an image is followed by link `i` of the next, and on the last by link `i + 1` of the first.
            for index in 0..LINKS {
                let next = match (me + 1 == images, index + 1 == LINKS) {
                    (false, _) => open.at(me + 1)[index].address(),
                    (true, false) => open.at(0)[index + 1].address(),
                    (true, true) => Coptr::null(),
                };
                open.here()[index].put(Link {
                    value: (index * images + me) as u64,
                    next,
                });
            }
            sync_all();
            let mut values = Vec::new();
            let mut link = open.at(0)[0].address();
            // SAFETY: all links lie in `links`, which is open.
            while let Some(place) = unsafe { link.as_coref() } {
                values.push(place.get().value);
                link = coarray::field!(place, next).get();
            }
            assert!(values.into_iter().eq(0..(LINKS * images) as u64));
        });
    }
}
