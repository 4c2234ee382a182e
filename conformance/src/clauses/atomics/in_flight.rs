//! Operations that do not wait, and lists of them.

use coarray::prelude::*;

use crate::check::Check;
use crate::ring::{left, right};

/// How often each image does it.
const TIMES: u64 = 400;

pub fn old_values_in_order(check: &mut Check) {
    let (whole, half) = (
        Coarray::new(Coatomic::new(0_u64)),
        Coarray::new(Coatomic::new(0_u32)),
    );
    {
        let (whole, half) = (whole.at(right(1)), half.at(right(1)));
        let begun: Vec<_> = (0..TIMES)
            .map(|time| match time % 4 {
                0 => whole.fetch_add_async(1),
                1 => whole.fetch_xor_async(1 << 40),
                2 => whole.swap_async(time),
                _ => whole.load_async(),
            })
            .collect();
        half.add_async(7);
        let exchanged = half.compare_exchange_async(7, 9);
        half.sub_async(4);
        let mut expected = 0;
        for (time, old) in (0..TIMES).zip(begun) {
            check.same(format!("operation {time}"), old.wait(), expected);
            match time % 4 {
                0 => expected += 1,
                1 => expected ^= 1 << 40,
                2 => expected = time,
                _ => {}
            }
        }
        check.same("the exchange", exchanged.wait(), Ok(7));
        check.same("the value after it", half.load(), 5);
    }
    sync_all();
    check.same("the value of the owner", half.load(), 5);
}

pub fn counted(check: &mut Check) {
    let counts = Coarray::<[Coatomic<u64>; 2]>::from_fn(|_| Coatomic::new(0));
    let marks = Coarray::new(Coatomic::new(0_u32));
    for image in 0..num_images() {
        for _ in 0..TIMES {
            counts.at(image)[1].add_async(1);
        }
        marks.at(image).or_async(1 << (this_image() % 32));
    }
    quiet();
    // Complete before the messages of the barrier, and before what this image does next to the same words.
    let own = counts.at(right(1))[1].fetch_add(0);
    check.that(own >= TIMES, || {
        format!("only {own} of its own additions are there")
    });
    sync_all();
    let all = num_images() as u64 * TIMES;
    check.same("all additions", counts[1].load(), all);
    check.same("the word beside", counts[0].load(), 0);
    let marked = (0..num_images()).fold(0, |bits, image| bits | 1_u32 << (image % 32));
    check.same("all marks", marks.load(), marked);
}

pub fn lists(check: &mut Check) {
    const LENGTH: usize = 1000;
    let indices: Vec<usize> = (0..3000).map(|at| at * at * 37 % LENGTH).collect();
    let times = |index: usize| indices.iter().filter(|&&at| at == index).count() as u64;
    let sums = Coarray::<[Coatomic<u64>]>::from_fn(LENGTH, |_| Coatomic::new(0));
    let floats = Coarray::<[Coatomic<f64>]>::from_fn(LENGTH, |_| Coatomic::new(0.0));
    let shorts = Coarray::<[Coatomic<i16>]>::from_fn(LENGTH, |_| Coatomic::new(0));
    let values = vec![1; indices.len()];
    sums.at(0).add_at(&indices, &values);
    let seen = sums.at(0)[indices[1]].load();
    check.that(seen >= times(indices[1]), || {
        format!("only {seen} of its own additions are there")
    });
    sums.at(right(1)).add_at_async(&indices, &values);
    floats.at(0).add_at(&indices[..300], &[0.5; 300]);
    shorts
        .at(0)
        .min_at(&indices[..300], &[-(this_image() as i16); 300]);
    sync_all();
    let images = num_images() as u64;
    for (index, sum) in sums.iter().enumerate() {
        let from = if this_image() == 0 { images + 1 } else { 1 };
        check.same(format!("item {index}"), sum.load(), from * times(index));
    }
    if this_image() == 0 {
        for index in 0..LENGTH {
            let times = indices[..300].iter().filter(|&&at| at == index).count();
            let float = floats[index].load();
            check.same(
                format!("float {index}"),
                float,
                0.5 * (images as usize * times) as f64,
            );
            let least = if times > 0 { 1 - images as i16 } else { 0 };
            check.same(format!("smallest {index}"), shorts[index].load(), least);
        }
    }
}

pub fn slices(check: &mut Check) {
    const LENGTH: usize = 1500;
    macro_rules! types {
        ($($type:ty: $value:expr;)*) => { $(
            let value: fn(usize, usize) -> $type = $value;
            let of = |image: usize| (0..LENGTH).map(|index| value(image, index)).collect::<Vec<_>>();
            let slice = Coarray::<[Coatomic<$type>]>::from_fn(LENGTH, |_| Coatomic::new(value(99, 0)));
            let name = stringify!($type);
            slice.at(right(1)).store_from(&of(this_image()));
            let there = slice.at(right(1)).load_vec();
            check.same_items(format_args!("what was stored there, of {name}"), &there, &of(this_image()));
            sync_all();
            let mut own = vec![value(98, 0); LENGTH];
            slice.load_into(&mut own);
            check.same_items(format_args!("what another image stored, of {name}"), &own, &of(left(1)));
            let mut some = [value(97, 0); 40];
            slice.at(right(1))[30..70].load_into(&mut some);
            check.same_items(format_args!("a part, of {name}"), &some, &of(this_image())[30..70]);
            sync_all();
            slice[5..6].store_from(&[value(7, 7)]);
            check.same("one's own", slice[5].load(), value(7, 7));
            sync_all();
            check.same("one's own, from afar", slice.at(right(1))[5].load(), value(7, 7));
        )* };
    }
    types! {
        u8: |image, index| (image * 31 + index) as u8;
        i16: |image, index| (image * 31 + index) as i16;
        u32: |image, index| (image * 31 + index) as u32;
        i64: |image, index| (image * 31 + index) as i64;
        f64: |image, index| (image * 31) as f64 + index as f64 / 8.0;
        bool: |image, index| (image + index) % 3 == 0;
        [u32; 3]: |image, index| [image as u32, index as u32, 5];
    }
}
