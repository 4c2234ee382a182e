//! Opening, closing and publishing make everything visible that was written before.

use coarray::prelude::*;
use coarray_proptests::{Sample, Setting, config, mix};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn every_image_sees_before_a_phase_what_owners_wrote_and_after_it_what_all_put(
        setting in Setting::anywhere(),
        phases in prop::collection::vec((0usize..4, any::<u64>()), 1..20),
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let mut coarray = Coarray::<[u64]>::zeroed(images);
            let mut other = Coarray::<[u64]>::zeroed(images);
            for &(kind, seed) in &phases {
                let value = |from: usize, to: usize| mix(mix(seed, from as u64), to as u64);
                (0..images).for_each(|image| coarray[image] = value(me, image));
                match kind {
                    // Each image's item `i` goes to item `me` of image `i`: a transposition.
                    0 => {
                        let open = coarray.open();
                        let mine = |image| open.at(image)[me].get();
                        assert!((0..images).all(|image| mine(image) == value(image, me)));
                        sync_all();
                        (0..images).for_each(|image| open.at(image)[me].put(!value(me, image)));
                        assert_eq!(open.here()[me].get(), !value(me, me));
                        open.close();
                        assert!((0..images).all(|image| coarray[image] == !value(image, me)));
                    }
                    // The same from one coarray to another that opens with it.
                    1 => {
                        let (open, target) = coarray::open((&mut coarray, &mut other));
                        for image in 0..images {
                            target.at(image)[me].copy_from(&open.here()[image]);
                        }
                        drop((open, target));
                        assert!((0..images).all(|image| other[image] == value(image, me)));
                    }
                    2 => {
                        let published = coarray.publish();
                        for image in 0..images {
                            let place = published.at(image);
                            let expected: Vec<u64> =
                                (0..images).map(|index| value(image, index)).collect();
                            assert_eq!(place.to_vec(), expected);
                            let reference = published.try_ref(image);
                            assert_eq!(reference.is_some(), setting.reaches(me, image));
                            assert!(reference.is_none_or(|part| *part == place.to_vec()));
                        }
                        assert_eq!(published[0], value(me, 0));
                        published.close();
                    }
                    _ => {
                        let open = coarray.open();
                        open.at((me + 1) % images)[..].fill(seed);
                        sync_all();
                        let filled = vec![seed; images];
                        assert!((0..images).all(|image| open.at(image).to_vec() == filled));
                    }
                }
            }
        });
    }

    #[test]
    fn published_parts_are_the_same_by_reference_and_by_get(setting in Setting::anywhere(), seed: u64) {
        setting.run(|| {
            let value = |image: usize| coarray_proptests::Wide::sample(mix(seed, image as u64));
            let mut coarray = Coarray::new(value(this_image()));
            let published = coarray.publish();
            for image in 0..num_images() {
                assert_eq!(published.at(image).get(), value(image));
                assert!(published.try_ref(image).is_none_or(|part| *part == value(image)));
            }
        });
    }
}

#[test]
fn up_to_four_coarrays_and_runs_open_together_and_close_one_by_one() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, right) = (this_image() as u32, (this_image() + 1) % num_images());
            let left = ((this_image() + num_images() - 1) % num_images()) as u32;
            let (mut a, mut b, mut d) = (
                Coarray::new(0u32),
                Coarray::new([0u32; 2]),
                Coarray::new('a'),
            );
            let mut c = Ragged::from_fn(this_image() + 1, |_| 0u32);
            let (in_a, in_b, in_c, in_d) = coarray::open((&mut a, &mut b, &mut c, &mut d));
            in_a.at(right).put(me + 1);
            in_b.at(right)[1].put(me + 2);
            in_c.at(right)[right].put(me + 3);
            in_d.at(right).put('z');
            in_b.close();
            assert_eq!(*b, [0, left + 2]);
            b[0] = 77;
            in_a.at(right).put(me + 10);
            in_d.close();
            drop(in_a);
            in_c.close();
            assert_eq!(
                (*a, *b, c[this_image()], *d),
                (left + 10, [77, left + 2], left + 3, 'z')
            );
            let (in_a, in_b, in_c) = coarray::open((&mut a, &mut b, &mut c));
            drop((in_c, in_b, in_a));
            assert_eq!(b[0], 77);
        });
    }
}

#[test]
fn an_open_part_is_plain_memory_while_others_are_kept_out() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, right) = (this_image(), (this_image() + 1) % num_images());
            let mut coarray = Coarray::<[usize]>::zeroed(20);
            let open = coarray.open();
            open.at(right)[7].put(me);
            sync_all();
            // SAFETY: between the two calls of `sync_all` each image uses its own part only.
            let part = unsafe { open.local_unchecked() };
            assert_eq!((part[7] + 1) % num_images(), me);
            part[8] = me;
            sync_all();
            assert_eq!(open.at(right)[8].get(), right);
        });
    }
}
