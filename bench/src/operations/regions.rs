//! Blocks of a matrix of 1024 x 1024 `f64`, and of an array of 64 x 128 x 128, in the memory of image 1, its own if there is
//! no other: image 0 writes them from, or reads them to, a private buffer. The other images wait.
//!
//! # The bounds
//! The same copy between the buffer and a private array, row by row; after a put, also a fence of the processor.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{Ordering::SeqCst, fence};

use coarray::places::Openable;
use coarray::{Coarray, OwnedOpen, quiet};

use super::scalar::{is_active, target};
use super::{Operation, Part, Trial};

const SIDE: usize = 1024;
const PLANES: usize = 64;
const EDGE: usize = 128;

/// The small block is in the first cache, the large one larger than most others.
const SIZES: &[usize] = &[4 << 10, 64 << 10, 4 << 20];

/// Rows and columns of a block of this size.
fn plane(bytes: usize) -> [usize; 2] {
    match bytes {
        ..=4096 => [8, 64],
        4097..=65_536 => [64, 128],
        _ => [1024, 512],
    }
}

/// Planes, rows and columns of a block of this size.
fn cuboid(bytes: usize) -> [usize; 3] {
    match bytes {
        ..=4096 => [8, 8, 8],
        4097..=65_536 => [16, 16, 32],
        _ => [64, 128, 64],
    }
}

/// `matrix.region((rows, columns)).put_from(&buffer)`.
pub const REGION_2D_PUT: Operation = Operation {
    name: "region_2d_put",
    sizes: SIZES,
    prepare: |bytes, _| trial(Blocks::new(bytes), Blocks::put_2d, Blocks::raw_put_2d),
};

/// `matrix.region((rows, columns)).get_into(&mut buffer)`.
pub const REGION_2D_GET: Operation = Operation {
    name: "region_2d_get",
    sizes: SIZES,
    prepare: |bytes, _| trial(Blocks::new(bytes), Blocks::get_2d, Blocks::raw_get_2d),
};

/// As [`REGION_2D_PUT`], of three dimensions.
pub const REGION_3D_PUT: Operation = Operation {
    name: "region_3d_put",
    sizes: SIZES,
    prepare: |bytes, _| trial(Blocks::new(bytes), Blocks::put_3d, Blocks::raw_put_3d),
};

/// As [`REGION_2D_GET`], of three dimensions.
pub const REGION_3D_GET: Operation = Operation {
    name: "region_3d_get",
    sizes: SIZES,
    prepare: |bytes, _| trial(Blocks::new(bytes), Blocks::get_3d, Blocks::raw_get_3d),
};

type Copy = fn(&mut Blocks, usize);

/// Collective. `own` and its bound `raw`, which were checked once.
fn trial(mut blocks: Blocks, own: Copy, raw: Copy) -> Trial {
    if is_active() {
        blocks.check();
    }
    let blocks = Rc::new(RefCell::new(blocks));
    let action = |copy: Copy| {
        let blocks = Rc::clone(&blocks);
        move |times| {
            if is_active() {
                copy(&mut blocks.borrow_mut(), times);
            }
        }
    };
    Trial {
        own: Box::new(action(own)),
        bound: vec![Part::new(1.0, action(raw))],
    }
}

struct Blocks {
    buffer: Vec<f64>,
    private: Vec<f64>,
    matrix: OwnedOpen<Coarray<[[f64; SIDE]]>>,
    space: OwnedOpen<Coarray<[[[f64; EDGE]; EDGE]]>>,
    plane: [usize; 2],
    cuboid: [usize; 3],
}

/// Calls `copy` with the starts of each row in a private array and in the buffer.
#[inline(always)]
fn rows(
    [planes, rows, columns]: [usize; 3],
    extents: [usize; 2],
    mut copy: impl FnMut(usize, usize),
) {
    for plane in 0..planes {
        for row in 0..rows {
            copy(
                (plane * extents[0] + row) * extents[1],
                (plane * rows + row) * columns,
            );
        }
    }
}

impl Blocks {
    /// Collective.
    fn new(bytes: usize) -> Self {
        let (plane, cuboid) = (plane(bytes), cuboid(bytes));
        let count = bytes / size_of::<f64>();
        assert_eq!(
            [plane.iter().product::<usize>(), cuboid.iter().product()],
            [count; 2]
        );
        Self {
            buffer: vec![0.0; count],
            private: vec![0.0; SIDE * SIDE],
            matrix: Coarray::<[[f64; SIDE]]>::zeroed(SIDE).into_open(),
            space: Coarray::<[[[f64; EDGE]; EDGE]]>::zeroed(PLANES).into_open(),
            plane,
            cuboid,
        }
    }

    #[inline(never)]
    fn put_2d(&mut self, times: usize) {
        for _ in 0..times {
            let [rows, columns] = black_box(self.plane);
            let place = self.matrix.at(black_box(target()));
            place
                .region((..rows, ..columns))
                .put_from(black_box(&self.buffer));
        }
        quiet();
    }

    #[inline(never)]
    fn get_2d(&mut self, times: usize) {
        for _ in 0..times {
            let [rows, columns] = black_box(self.plane);
            let place = self.matrix.at(black_box(target()));
            place
                .region((..rows, ..columns))
                .get_into(black_box(&mut self.buffer));
        }
    }

    #[inline(never)]
    fn put_3d(&mut self, times: usize) {
        for _ in 0..times {
            let [planes, rows, columns] = black_box(self.cuboid);
            let place = self.space.at(black_box(target()));
            place
                .region((..planes, ..rows, ..columns))
                .put_from(black_box(&self.buffer));
        }
        quiet();
    }

    #[inline(never)]
    fn get_3d(&mut self, times: usize) {
        for _ in 0..times {
            let [planes, rows, columns] = black_box(self.cuboid);
            let place = self.space.at(black_box(target()));
            place
                .region((..planes, ..rows, ..columns))
                .get_into(black_box(&mut self.buffer));
        }
    }

    #[inline(always)]
    fn raw_put(&mut self, block: [usize; 3], extents: [usize; 2]) {
        let (block, buffer) = (black_box(block), black_box(&self.buffer));
        rows(block, extents, |there, here| {
            let source = &buffer[here..here + block[2]];
            self.private[there..there + block[2]].copy_from_slice(source);
        });
    }

    #[inline(always)]
    fn raw_get(&mut self, block: [usize; 3], extents: [usize; 2]) {
        let (block, buffer) = (black_box(block), black_box(&mut self.buffer));
        rows(block, extents, |there, here| {
            let source = &self.private[there..there + block[2]];
            buffer[here..here + block[2]].copy_from_slice(source);
        });
    }

    #[inline(never)]
    fn raw_put_2d(&mut self, times: usize) {
        let [rows, columns] = self.plane;
        (0..times).for_each(|_| self.raw_put([1, rows, columns], [SIDE, SIDE]));
        fence(SeqCst);
    }

    #[inline(never)]
    fn raw_get_2d(&mut self, times: usize) {
        let [rows, columns] = self.plane;
        (0..times).for_each(|_| self.raw_get([1, rows, columns], [SIDE, SIDE]));
    }

    #[inline(never)]
    fn raw_put_3d(&mut self, times: usize) {
        (0..times).for_each(|_| self.raw_put(self.cuboid, [EDGE, EDGE]));
        fence(SeqCst);
    }

    #[inline(never)]
    fn raw_get_3d(&mut self, times: usize) {
        (0..times).for_each(|_| self.raw_get(self.cuboid, [EDGE, EDGE]));
    }

    /// Writes the blocks, and reads them back.
    fn check(&mut self) {
        let pairs: [[Copy; 2]; 4] = [
            [Self::put_2d, Self::get_2d],
            [Self::raw_put_2d, Self::raw_get_2d],
            [Self::put_3d, Self::get_3d],
            [Self::raw_put_3d, Self::raw_get_3d],
        ];
        for (number, [put, get]) in pairs.into_iter().enumerate() {
            let values = (0..self.buffer.len()).map(|index| (index + number) as f64);
            self.buffer = values.collect();
            put(self, 1);
            let blank = vec![0.0; self.buffer.len()];
            let expected = std::mem::replace(&mut self.buffer, blank);
            get(self, 1);
            assert!(self.buffer == expected, "a block is not what it was");
        }
        let [rows, columns] = self.plane;
        let last = self.matrix.at(target())[rows - 1][columns - 1].get();
        assert!(last == (rows * columns - 1) as f64, "a block is elsewhere");
    }
}
