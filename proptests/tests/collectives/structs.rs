//! Structs of values of several types, and complex numbers, are added at once.

use coarray::asynchronous::{co_sum_async, co_sum_to_async};
use coarray::collectives::co_sum_to;
use coarray::prelude::*;
use coarray_proptests::{Setting, config};
use num_complex::Complex;
use proptest::prelude::*;

use crate::lengths;
use crate::values::input;

/// Integers, so that sums do not depend on the order.
#[derive(Clone, Copy, Debug, PartialEq, Remote, coarray::Add)]
#[repr(C)]
struct Totals {
    energy: f64,
    momentum: [[i32; 3]; 2],
    wave: Complex<i64>,
    counts: Counts<u32, 2>,
}

#[derive(Clone, Copy, Debug, PartialEq, Remote, coarray::Add)]
#[repr(C)]
struct Counts<T, const N: usize>(T, [T; N], T);

impl Totals {
    fn of(seed: u64, image: usize, index: usize) -> Self {
        let number = |field| (input(seed, image, 20 * index + field) >> 40) as i32;
        Self {
            energy: f64::from(number(0)),
            momentum: [[number(1), number(2), -number(3)], [-number(4), 0, 1]],
            wave: Complex::new(number(5).into(), -i64::from(number(6))),
            counts: Counts(number(7) as u32, [1, number(8) as u32], number(9) as u32),
        }
    }

    /// The sum, number by number.
    fn plus(&self, other: &Self) -> Self {
        let row = |row: usize| [0, 1, 2].map(|i| self.momentum[row][i] + other.momentum[row][i]);
        let (one, two) = (&self.counts, &other.counts);
        Self {
            energy: self.energy + other.energy,
            momentum: [row(0), row(1)],
            wave: Complex {
                re: self.wave.re + other.wave.re,
                im: self.wave.im + other.wave.im,
            },
            counts: Counts(
                one.0 + two.0,
                [one.1[0] + two.1[0], one.1[1] + two.1[1]],
                one.2 + two.2,
            ),
        }
    }
}

/// Room for the contributions to several asynchronous collectives.
const HEAP: usize = 16 << 20;

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn sums_of_structs_are_the_sums_of_their_fields(
        setting in Setting::anywhere(),
        length in lengths(size_of::<Totals>()),
        root: prop::sample::Index,
        seed: u64,
    ) {
        let (images, root) = (setting.images, root.index(setting.images));
        setting.run_in(HEAP, || {
            let me = this_image();
            let of = |image| (0..length).map(|index| Totals::of(seed, image, index)).collect();
            let mine: Vec<Totals> = of(me);
            let mut expected: Vec<Totals> = of(0);
            for image in 1..images {
                let values: Vec<Totals> = of(image);
                expected.iter_mut().zip(&values).for_each(|(sum, value)| *sum = sum.plus(value));
            }
            let for_root = if me == root { &expected } else { &mine };
            let mut sums = mine.clone();
            co_sum(&mut sums);
            assert_eq!(sums, expected);
            let mut sums = mine.clone();
            co_sum_to(&mut sums, root);
            assert_eq!(&sums, for_root);
            assert_eq!(co_sum_async(mine.clone()).wait(), expected);
            assert_eq!(&co_sum_to_async(mine.clone(), root).wait(), for_root);
        });
    }
}

#[test]
fn complex_numbers_are_put_got_broadcast_summed_and_reduced() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let mut product = Complex::new(0.0, 1.0);
            co_reduce(&mut product, |a, b| a * b);
            assert_eq!(product, Complex::i().powu(images as u32));
            let mut table = [[Complex::new(me as f32, 0.5); 3]; 2];
            co_sum(&mut table);
            let sum = (images * (images - 1) / 2) as f32;
            assert_eq!(table, [[Complex::new(sum, 0.5 * images as f32); 3]; 2]);
            let mut sent = [Complex::new(me as i16, -1); 5];
            co_broadcast(&mut sent, images - 1);
            assert_eq!(sent, [Complex::new(images as i16 - 1, -1); 5]);

            let mut x =
                Coarray::<[Complex<f64>]>::from_fn(4, |i| Complex::new(me as f64, i as f64));
            let next = (me + 1) % images;
            let open = x.open();
            assert_eq!(open.at(next)[3].get(), Complex::new(next as f64, 3.0));
            open.at(next)[1].put(Complex::new(me as f64, f64::INFINITY));
            drop(open);
            assert_eq!(
                x[1],
                Complex::new(((me + images - 1) % images) as f64, f64::INFINITY)
            );
        });
    }
}
