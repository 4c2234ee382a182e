//! Arrays, rows, columns, sections.

use coarray::prelude::*;

use crate::check::Check;
use crate::ring::{left, right};

/// The value of bytes that nobody has put to.
const UNTOUCHED: u8 = 0xEE;

/// Bytes of image `from`, all different from [`UNTOUCHED`].
fn bytes(from: usize, start: usize, length: usize) -> Vec<u8> {
    let byte = |index: usize| ((31 * from + 7 * start + index) % 0xEE) as u8;
    (0..length).map(byte).collect()
}

pub fn unaligned(check: &mut Check) {
    const LENGTHS: [usize; 24] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 23, 24, 31, 32, 33, 47, 63, 64, 65,
    ];
    const STARTS: usize = 17;
    let mut x = Coarray::<[[u8; 96]]>::from_fn(LENGTHS.len() * STARTS, |_| [UNTOUCHED; 96]);
    let cases = || (0..STARTS).flat_map(|start| LENGTHS.map(|length| (start, length)));
    {
        let x = x.open();
        for (row, (start, length)) in cases().enumerate() {
            let source = bytes(this_image(), start, length);
            x.at(right(1))[row][start..start + length].put_from(&source);
        }
        sync_all();
        for (row, (start, length)) in cases().enumerate() {
            let mut target = vec![0; length];
            x.at(right(2))[row][start..start + length].get_into(&mut target);
            let expected = bytes(right(1), start, length);
            let what = format!("got {length} bytes at {start}");
            check.same_items(what, &target, &expected);
        }
    }
    for (row, (start, length)) in cases().enumerate() {
        let mut expected = [UNTOUCHED; 96];
        expected[start..start + length].copy_from_slice(&bytes(left(1), start, length));
        let what = format!("after a put of {length} bytes at {start}");
        check.same_items(what, &x[row], &expected);
    }
}

pub fn long(check: &mut Check) {
    for (start, length) in [
        (0, 4095),
        (1, 4096),
        (4090, 4097),
        (3, 65_537),
        (8, 1 << 17),
        (5, (1 << 20) + 3),
    ] {
        let mut x = Coarray::<[u8]>::from_fn(start + length + 9, |_| UNTOUCHED);
        let run = start..start + length;
        {
            let x = x.open();
            let source = bytes(this_image(), start, length);
            x.at(right(1))[run.clone()].put_from(&source);
            sync_all();
            let seen = x.at(right(2))[run.clone()].to_vec();
            let what = format!("got {length} bytes at {start}");
            check.same_items(what, &seen, &bytes(right(1), start, length));
        }
        let mut expected = vec![UNTOUCHED; x.len()];
        expected[run].copy_from_slice(&bytes(left(1), start, length));
        let what = format!("after a put of {length} bytes at {start}");
        check.same_items(what, &x, &expected);
    }
}

/// A table in which all items of all images are different.
fn table(image: usize) -> [[i32; 20]; 10] {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (1000 * image + 20 * row + column) as i32)
    })
}

pub fn rows(check: &mut Check) {
    let mut x = Coarray::new(table(this_image()));
    {
        let x = x.open();
        let mut seen = [0; 20];
        x.at(right(1))[4].get_into(&mut seen);
        check.same_items("a row", &seen, &table(right(1))[4]);
        check.same(
            "rows",
            x.at(right(1))[2..5].to_vec(),
            table(right(1))[2..5].to_vec(),
        );
        let whole = x.at(right(2)).get();
        check.same("the table", whole, table(right(2)));
        sync_all();
        x.at(right(1))[7].put_from(&[-(this_image() as i32) - 1; 20]);
        x.at(right(1))[8][2..5].put_from(&[-7; 3]);
    }
    let mut expected = table(this_image());
    expected[7] = [-(left(1) as i32) - 1; 20];
    expected[8][2..5].fill(-7);
    check.same_items(
        "the table after the puts",
        x.as_flattened(),
        expected.as_flattened(),
    );
}

pub fn columns(check: &mut Check) {
    let mut x = Coarray::new(table(this_image()));
    {
        let x = x.open();
        let seen = x.at(right(1)).column(13).to_vec();
        check.same_items("a column", &seen, &table(right(1)).map(|row| row[13]));
        sync_all();
        let source: Vec<i32> = (0..10).map(|i| -(100 * this_image() as i32) - i).collect();
        x.at(right(1)).column(0).put_from(&source);
        x.at(right(1)).column(19).fill(-5);
        sync_all();
        let mut seen = [0; 10];
        x.at(right(2)).column(0).get_into(&mut seen);
        let expected: Vec<i32> = (0..10).map(|i| -(100 * right(1) as i32) - i).collect();
        check.same_items("a column that was put", &seen, &expected);
    }
    let mut expected = table(this_image());
    for (i, row) in expected.iter_mut().enumerate() {
        row[0] = -(100 * left(1) as i32) - i as i32;
        row[19] = -5;
    }
    check.same_items(
        "the table after the puts",
        x.as_flattened(),
        expected.as_flattened(),
    );
}

pub fn sections(check: &mut Check) {
    for (start, end, step) in [
        (0, 100, 1),
        (1, 98, 3),
        (7, 100, 31),
        (50, 51, 9),
        (99, 100, 1),
    ] {
        let mut x = Coarray::<[u16]>::from_fn(100, |i| (1000 * this_image() + i) as u16);
        let mut expected = x.to_vec();
        {
            let x = x.open();
            let count = (start..end).step_by(step).count();
            let seen = x.at(right(1)).section(start..end, step).to_vec();
            let theirs: Vec<u16> = (start..end)
                .step_by(step)
                .map(|i| (1000 * right(1) + i) as u16)
                .collect();
            check.same_items(format_args!("{start}..{end} by {step}"), &seen, &theirs);
            sync_all();
            let source: Vec<u16> = (0..count)
                .map(|i| (40_000 + 100 * this_image() + i) as u16)
                .collect();
            x.at(right(1)).section(start..end, step).put_from(&source);
        }
        for (count, i) in (start..end).step_by(step).enumerate() {
            expected[i] = (40_000 + 100 * left(1) + count) as u16;
        }
        let what = format!("after a put to {start}..{end} by {step}");
        check.same_items(what, &x, &expected);
    }
}

pub fn fill(check: &mut Check) {
    let mut x = Coarray::<[[f32; 7]; 40]>::zeroed();
    {
        let x = x.open();
        x.at(right(1))[5..30].fill(this_image() as f32 + 0.5);
        x.at(right(1))[31][2..4].fill(9.0);
    }
    let mut expected = [[0.0; 7]; 40];
    expected[5..30].fill([left(1) as f32 + 0.5; 7]);
    expected[31][2..4].fill(9.0);
    check.same_items("the array", x.as_flattened(), expected.as_flattened());
}

pub fn copy_from(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let mut source = Coarray::<[u32; 300]>::from_fn(|i| (1000 * me + i) as u32);
    let mut target = Coarray::<[[u32; 300]]>::zeroed(images);
    {
        let (source, target) = coarray::open((&mut source, &mut target));
        // Twice between two other images, then from this image to the next one.
        target.at(right(2))[me].copy_from(source.at(right(1)));
        sync_all();
        target.at(right(1))[me][10..20].copy_from(&source.at(right(3))[110..120]);
        target.at(right(1))[me]
            .section(30..50, 4)
            .copy_from(&source.here().section(0..5, 1));
    }
    let mut expected = vec![[0; 300]; images];
    let values = |image: usize| std::array::from_fn::<u32, 300, _>(|i| (1000 * image + i) as u32);
    for (from, row) in expected.iter_mut().enumerate() {
        let right = |distance: usize| (from + distance) % images;
        if right(2) == me {
            *row = values(right(1));
        }
        if right(1) == me {
            row[10..20].copy_from_slice(&values(right(3))[110..120]);
            for i in 0..5 {
                row[30 + 4 * i] = values(from)[i];
            }
        }
        check.same_items(
            format_args!("what image {from} copied here"),
            &target[from],
            &row[..],
        );
    }
}

pub fn empty(check: &mut Check) {
    let mut x = Coarray::new([this_image(); 4]);
    {
        let x = x.open();
        let place = x.at(right(1));
        place[4..].put_from(&[]);
        place[2..2].get_into(&mut []);
        check.same("items got", place[1..1].to_vec(), vec![]);
        place[..0].fill(99);
        place[..0].copy_from(&x.here()[..0]);
        check.same("items of a section", place.section(3..3, 2).len(), 0);
        place.section(0..0, 1).put_from(&[]);
    }
    check.same("the array", *x, [this_image(); 4]);
}
