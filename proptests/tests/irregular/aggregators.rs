//! Aggregated gets, puts and additions against plain ones.

use coarray::irregular::{Adds, Gets, Puts};
use coarray::prelude::*;
use coarray_proptests::{Kind, Sample, Setting, config, mix};
use proptest::prelude::*;

const LENGTH: usize = 500;

/// Each image puts to items of its own, of all images, and gets them back.
fn run<T: Sample + PartialEq>(setting: Setting, count: usize, seed: u64) {
    setting.run(|| {
        let (me, images) = (this_image(), num_images());
        let mut coarray = Coarray::<[T]>::from_fn(LENGTH, |_| T::sample(0));
        let mut model = vec![vec![T::sample(0); LENGTH]; images];
        let own = (LENGTH - me).div_ceil(images);
        let pick = |n: usize| {
            let bits = mix(mix(seed, me as u64), n as u64);
            (
                bits as usize % images,
                me + images * ((bits >> 20) as usize % own),
            )
        };
        let open = coarray.open();
        let mut puts = Puts::new(|image| open.at(image));
        for n in 0..count {
            let ((image, index), value) = (pick(n), T::sample(mix(seed, n as u64)));
            puts.put(image, index, value);
            model[image][index] = value;
        }
        puts.flush();
        let mut values = vec![T::sample(1); count];
        let mut gets = Gets::new(|image| open.at(image));
        for (n, value) in values.iter_mut().enumerate() {
            let (image, index) = pick(n);
            gets.get(image, index, value);
        }
        drop((puts, gets));
        for (n, value) in values.iter().enumerate() {
            let (image, index) = pick(n);
            assert_eq!(*value, model[image][index]);
        }
    });
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    fn aggregated_gets_and_puts_do_as_single_ones_do(
        setting in Setting::anywhere(),
        kind in 0u8..3,
        count in 0usize..5000,
        seed: u64,
    ) {
        match kind {
            0 => run::<u64>(setting, count, seed),
            1 => run::<Kind>(setting, count, seed),
            _ => run::<char>(setting, count, seed),
        }
    }

    #[test]
    fn aggregated_additions_do_as_single_ones_do(
        setting in Setting::anywhere(),
        count in 0usize..5000,
        coatomics in 1usize..2000,
        seed: u64,
    ) {
        setting.run(|| {
            let pick = |image: usize, n: usize| {
                let bits = mix(mix(seed, image as u64), n as u64);
                (bits as usize % num_images(), (bits >> 20) as usize % coatomics, bits >> 7)
            };
            let sums = Coarray::<[Coatomic<u64>]>::from_fn(coatomics, |_| Coatomic::new(0));
            let mut adds = Adds::new(|image| sums.at(image));
            for n in 0..count {
                let (image, index, value) = pick(this_image(), n);
                adds.add(image, index, value);
            }
            drop(adds);
            sync_all();
            let mut expected = vec![0u64; coatomics];
            for (image, index, value) in (0..num_images()).flat_map(|from| (0..count).map(move |n| pick(from, n))) {
                if image == this_image() {
                    expected[index] = expected[index].wrapping_add(value);
                }
            }
            assert!(sums.iter().map(Coatomic::load).eq(expected));
        });
    }
}

#[test]
fn gets_that_are_leaked_leave_their_targets_alone() {
    let far = Setting {
        direct: false,
        ..Setting::of(2)
    };
    far.run(|| {
        let mut x = Coarray::<[u32]>::from_fn(10, |_| 7);
        let x = x.open();
        let mut values = [1; 10];
        let mut gets = Gets::new(|image| x.at(image));
        for (index, value) in values.iter_mut().enumerate() {
            gets.get(1 - this_image(), index, value);
        }
        std::mem::forget(gets);
        assert_eq!(values, [1; 10]);
    });
}
