//! Each operation by one image alone.

use coarray::prelude::*;

use crate::check::Check;

/// Calls `test` with a coatomic of this image's own on every image.
fn on_all_images<T: Remote>(initial: T, mut test: impl FnMut(&Coref<Coatomic<T>>)) {
    let x = Coarray::<[Coatomic<T>]>::from_fn(num_images(), |_| Coatomic::new(initial));
    for image in 0..num_images() {
        test(&x.at(image)[this_image()]);
    }
}

pub fn integers(check: &mut Check) {
    macro_rules! integers {
        ($($type:ident)*) => { $( on_all_images::<$type>(5, |x| {
            let name = stringify!($type);
            let mut same = |what: &str, seen: $type, expected: $type| {
                let image = x.image();
                check.same(format_args!("{what} of {name} on image {image}"), seen, expected);
            };
            same("load of the first value", x.load(), 5);
            x.store(77);
            same("load", x.load(), 77);
            same("swap", x.swap(9), 77);
            same("exchange", x.compare_exchange(9, 3).unwrap_or(0), 9);
            same("refused exchange", x.compare_exchange(9, 4).err().unwrap_or(0), 3);
            same("fetch_add", x.fetch_add(100), 3);
            same("fetch_sub", x.fetch_sub(50), 103);
            same("result", x.swap($type::MAX), 53);
            same("fetch_add that wraps", x.fetch_add(2), $type::MAX);
            same("wrapped", x.load(), $type::MIN + 1);
            same("fetch_sub that wraps", x.fetch_sub(3), $type::MIN + 1);
            same("wrapped back", x.swap(10), $type::MAX - 1);
            same("fetch_min", x.fetch_min($type::MIN), 10);
            same("fetch_max", x.fetch_max(0b1100), $type::MIN);
            same("fetch_min of more", x.fetch_min(20), 0b1100);
            same("fetch_max of less", x.fetch_max($type::MIN), 0b1100);
            same("fetch_and", x.fetch_and(0b1010), 0b1100);
            same("fetch_or", x.fetch_or(0b0011), 0b1000);
            same("fetch_xor", x.fetch_xor(0b0110), 0b1011);
            same("result of logic", x.load(), 0b1101);
            x.add(100);
            x.sub(3);
            same("add and sub", x.load(), 110);
            x.min(50);
            x.min(60);
            x.max(40);
            same("min and max", x.load(), 50);
            x.max(0b101_0101);
            x.and(0b011_0111);
            x.or(0b000_1000);
            x.xor(!0);
            same("and, or and xor", x.load(), !0b001_1101);
        }); )* };
    }
    integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
}

pub fn floats(check: &mut Check) {
    macro_rules! floats {
        ($($type:ident)*) => { $( on_all_images::<$type>(1.5, |x| {
            let mut same = |what: &str, seen: $type, expected: $type| {
                check.same(format_args!("{what} of {}", stringify!($type)), seen, expected);
            };
            same("load", x.load(), 1.5);
            same("fetch_add", x.fetch_add(0.25), 1.5);
            same("fetch_sub", x.fetch_sub(2.0), 1.75);
            same("fetch_min", x.fetch_min(-3.0), -0.25);
            same("fetch_max", x.fetch_max(8.0), -3.0);
            same("fetch_min with NaN", x.fetch_min($type::NAN), 8.0);
            same("fetch_max with NaN", x.fetch_max($type::NAN), 8.0);
            same("swap", x.swap($type::NAN), 8.0);
            x.max(2.0);
            same("max of NaN", x.load(), 2.0);
            x.add(1.0);
            x.sub(0.5);
            x.min(100.0);
            same("add, sub and min", x.load(), 2.5);
        }); )* };
    }
    floats!(f32 f64);
}

pub fn truth_values(check: &mut Check) {
    on_all_images(false, |x| {
        check.same("load", x.load(), false);
        check.same("fetch_or", x.fetch_or(true), false);
        check.same("fetch_and", x.fetch_and(true), true);
        check.same("fetch_xor", x.fetch_xor(true), true);
        check.same("swap", x.swap(true), false);
        check.same("exchange", x.compare_exchange(true, false), Ok(true));
        check.same(
            "refused exchange",
            x.compare_exchange(true, true),
            Err(false),
        );
        x.or(true);
        x.and(true);
        x.xor(false);
        check.same("or, and and xor", x.load(), true);
    });
}

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Best {
    error: f64,
    image: u32,
    round: u32,
}

pub fn structs(check: &mut Check) {
    let [a, b, c] = [(0.5, 1, 2), (0.25, 3, 4), (-0.0, 5, 6)].map(|(error, image, round)| Best {
        error,
        image,
        round,
    });
    on_all_images(a, |x| {
        check.same("load", x.load(), a);
        check.same("swap", x.swap(b), a);
        check.same("exchange", x.compare_exchange(b, c), Ok(b));
        check.same("refused exchange", x.compare_exchange(b, a), Err(c));
        x.store(a);
        check.same("after a store", x.load(), a);
    });
    on_all_images([0_u16; 37], |x| {
        check.same("swap", x.swap([1; 37]), [0; 37]);
        check.same(
            "exchange",
            x.compare_exchange([1; 37], [2; 37]),
            Ok([1; 37]),
        );
        check.same(
            "refused exchange",
            x.compare_exchange([1; 37], [3; 37]),
            Err([2; 37]),
        );
        check.same("load", x.load(), [2; 37]);
    });
    on_all_images('a', |x| {
        check.same("swap", x.swap('ß'), 'a');
        check.same("load", x.load(), 'ß');
    });
    on_all_images(1_u128 << 100, |x| {
        check.same("swap", x.swap(3 << 90), 1 << 100);
        check.same("load", x.load(), 3 << 90);
    });
}

pub fn comparison(check: &mut Check) {
    on_all_images(0.0_f64, |x| {
        check.same("0.0 as -0.0", x.compare_exchange(-0.0, 1.0), Err(0.0));
        check.same("0.0 as itself", x.compare_exchange(0.0, f64::NAN), Ok(0.0));
        let nan = x.compare_exchange(f64::NAN, 2.0);
        check.that(nan.is_ok_and(f64::is_nan), || {
            format!("NaN as itself: {nan:?}")
        });
        check.same("what stays", x.load(), 2.0);
    });
}
