//! Jobs that count: what their reports say of five kernels, whose matrices are known, and of lines.

use std::process::Command;

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::irregular::Conveyor;
use coarray::prelude::*;

use crate::failing::kill_me;
use crate::job::{Check, End, coarun, on_threads, plain, run};

pub fn trials() -> Vec<Check> {
    vec![
        ("matrices_are_those_counted_by_hand", matrices),
        ("counts_have_the_lines_of_the_program", lines),
        ("counts_of_a_killed_image_are_told", killed_image),
        ("large_matrices_are_summed_up", large_matrix),
        ("a_count_of_nothing_is_one_line", nothing),
    ]
}

/// The image counts at which kernels are tried.
pub const COUNTS: [usize; 3] = [1, 2, 4];

/// A program, and how many operations it has of each image on the memory of each other, of so many.
pub type Kernel = (
    &'static str,
    fn(images: usize, image: usize, target: usize) -> u64,
);

pub const KERNELS: [Kernel; 5] = [
    ("count_ring", |images, image, target| {
        5 * u64::from(target == (image + 1) % images)
    }),
    ("count_halo", |images, image, target| {
        let neighbours = neighbours(image, images);
        neighbours.iter().filter(|&&other| other == target).count() as u64
    }),
    ("count_transpose", |_, _, _| 1),
    ("count_gather", |_, image, target| {
        u64::from(target <= image)
    }),
    ("count_histogram", |images, image, target| {
        let items = 10 * (image as u64 + 1);
        (0..items)
            .filter(|item| item % images as u64 == target as u64)
            .count() as u64
    }),
];

/// Each image puts five words to the next one, one by one.
pub fn ring() {
    let mut x = Coarray::<[usize; 5]>::zeroed();
    let x = x.open();
    let there = x.at((this_image() + 1) % num_images());
    for i in 0..5 {
        there[i].put(this_image());
    }
}

/// The images above, below, left and right in a grid of two columns, if there are as many; edges meet.
fn neighbours(image: usize, images: usize) -> [usize; 4] {
    let columns = images.min(2);
    let rows = images / columns;
    let (row, column) = (image / columns, image % columns);
    let at = |row, column| row % rows * columns + column % columns;
    [
        at(row + rows - 1, column),
        at(row + 1, column),
        at(row, column + columns - 1),
        at(row, column + 1),
    ]
}

/// Each image puts its edges beside those of its neighbours: two rows, and two columns.
pub fn halo() {
    let mut x = Coarray::<[[f64; 8]; 8]>::zeroed();
    let x = x.open();
    let [above, below, left, right] = neighbours(this_image(), num_images());
    let edge = [1.0; 8];
    x.at(above)[7].put_from(&edge);
    x.at(below)[0].put_from(&edge);
    x.at(left).column(7).put_from(&edge);
    x.at(right).column(0).put_from(&edge);
}

/// Each image puts a block to each.
pub fn transpose() {
    let images = num_images();
    let mut x = Coarray::<[[u32; 3]]>::from_fn(images, |_| [0; 3]);
    let x = x.open();
    for image in 0..images {
        x.at(image)[this_image()].put([7; 3]);
    }
}

/// Each image gathers items of itself and of those before it.
pub fn gather() {
    let mut x = Coarray::<[u64; 100]>::zeroed();
    let x = x.open();
    for image in 0..=this_image() {
        let mut items = [1; 3];
        x.at(image)[..].gather_from(&[3, 99, 50], &mut items);
        assert_eq!(items, [0; 3]);
    }
}

/// Each image counts items in the bins that others have.
pub fn histogram() {
    let bins = Coarray::new(Coatomic::new(0_u64));
    for item in 0..10 * (this_image() + 1) {
        bins.at(item % num_images()).add(1);
    }
}

/// Puts, an exchange of halos, a conveyor and a sum. Prints their lines.
pub fn at_lines() {
    let grid = ImageGrid::new([num_images()])
        .unwrap()
        .with_periodic([true]);
    let blocks = Blocks::new([4 * num_images()], grid).unwrap();
    let mut cells = HaloArray::filled(&blocks, 1, 0_u64).unwrap();
    let mut conveyor = Conveyor::<u64>::new();
    let exchange = line!() + 1;
    cells.exchange();
    let items = (0..num_images()).map(|image| (image, 1));
    let convey = line!() + 1;
    conveyor.convey(items, |_, item| assert_eq!(item, 1));
    let sum = line!() + 1;
    co_sum(&mut [1_u64; 4]);
    let mut x = Coarray::<[u64; 20]>::zeroed();
    let x = x.open();
    let put = line!() + 2;
    for i in 0..20 {
        x.at(0)[i].put(3);
    }
    let strided = line!() + 2;
    for i in 0..10 {
        x.at(0)[2 * i].put(3);
    }
    drop(x);
    if this_image() == 0 {
        println!("{exchange} {convey} {sum} {put} {strided}");
    }
}

/// The last image is killed when all have put seven words.
pub fn die() {
    let mut x = Coarray::<[u64; 7]>::zeroed();
    let open = x.open();
    for i in 0..7 {
        open.at(0)[i].put(1);
    }
    open.close();
    if this_image() + 1 == num_images() {
        kill_me();
    }
    sync_all();
}

pub fn counted(mut command: Command) -> Command {
    command
        .env("COARRAY_PROFILE", "puts")
        .env("COARRAY_HEAP", "16M");
    command
}

/// The numbers of the matrix of operations that a job has told.
fn matrix(end: &End) -> Vec<Vec<u64>> {
    let lines = end.stderr.lines();
    let mut lines = lines.skip_while(|line| !line.contains("operations of image, by memory of"));
    let images = lines.next().unwrap_or_default().split_whitespace();
    let images = images.filter(|word| word.parse::<u64>().is_ok()).count();
    let row = |line: &str| {
        let cells = line.split_whitespace().skip(1);
        let cells = cells.map(|cell| if cell == "-" { "0" } else { cell });
        cells.map(|cell| cell.parse().unwrap()).collect()
    };
    lines.take(images).map(row).collect()
}

/// Looks at what a kernel has moved.
pub fn judge_kernel(end: &End, images: usize, (name, count): Kernel) {
    assert_eq!(end.code, Some(0), "{name}: {end:#?}");
    let row = |image| {
        (0..images)
            .map(|target| count(images, image, target))
            .collect()
    };
    let expected: Vec<Vec<u64>> = (0..images).map(row).collect();
    let all: u64 = expected.iter().flatten().sum();
    let first = format!("coarray: {images} images, {all} operations, ");
    match images {
        // It has no matrix.
        1 => assert!(
            end.stderr.contains(&first.replace("images", "image")),
            "{name}: {end:#?}"
        ),
        _ => {
            assert!(end.stderr.contains(&first), "{name}: {end:#?}");
            assert_eq!(matrix(end), expected, "{name}: {end:#?}");
        }
    }
}

fn matrices() {
    for kernel in KERNELS {
        for images in COUNTS {
            judge_kernel(&run(counted(plain(images, kernel.0))), images, kernel);
            judge_kernel(&run(counted(on_threads(images, kernel.0))), images, kernel);
        }
    }
}

/// Looks at the lines of `at_lines` on two images, whose data are messages or not.
pub fn judge_lines(end: &End, are_messages: bool) {
    assert_eq!(end.code, Some(0), "{end:#?}");
    let numbers = end.stdout.split_whitespace();
    let numbers: Vec<u32> = numbers.map(|number| number.parse().unwrap()).collect();
    let [exchange, convey, sum, put, strided] = numbers[..] else {
        panic!("{end:#?}")
    };
    let find = |line: u32, what: &str| {
        let place = format!("tests/whole_programs/counts.rs:{line} {what} ");
        let mut lines = end.stderr.lines();
        let found = lines.find(|line| line.contains(&place));
        let found = found.unwrap_or_else(|| panic!("no {place}: {end:#?}"));
        let count = found[found.find(&place).unwrap() + place.len()..].split_whitespace();
        let counts: Vec<&str> = count.take(3).collect();
        (counts.join(" "), lines.next().unwrap_or("").trim())
    };
    let (messages, of) = match are_messages {
        true => ("20 messages", "messages"),
        false => ("on a cluster 20 messages", "on a cluster"),
    };
    let (count, how) = find(put, "put");
    assert_eq!(count, "40 320 B", "{end:#?}");
    // One image has put to itself.
    assert_eq!(
        how,
        format!("20.0 side by side; to 1 image, {messages}"),
        "{end:#?}"
    );
    let (count, how) = find(strided, "put");
    assert_eq!(count, "20 160 B", "{end:#?}");
    assert!(how.starts_with("mostly 16 bytes apart; "), "{end:#?}");
    let (count, how) = find(exchange, "put");
    assert_eq!(count, "4 32 B", "{end:#?}");
    assert!(how.contains(of), "{end:#?}");
    // To the other image by each: one packet, which is the last. What is for itself stays where it is.
    let (count, _) = find(convey, "put");
    assert_eq!(count.split(' ').next(), Some("2"), "{end:#?}");
    let (count, _) = find(sum, "co_sum");
    assert_eq!(count, "2 64 B", "{end:#?}");
}

fn lines() {
    for command in [
        plain(2, "count_at_lines"),
        on_threads(2, "count_at_lines"),
        coarun(&["-n2", "--profile=puts"], "count_at_lines"),
    ] {
        judge_lines(&run(counted(command)), false);
    }
}

fn killed_image() {
    let end = run(counted(plain(3, "count_and_die")));
    assert_ne!(end.code, Some(0), "{end:#?}");
    assert_eq!(matrix(&end), [[7, 0, 0]; 3], "{end:#?}");
    let mut command = counted(plain(3, "count_and_die"));
    command.env("COARRAY_FAULT_TOLERANT", "1");
    assert_eq!(matrix(&run(command)), [[7, 0, 0]; 3]);
}

fn large_matrix() {
    let end = run(counted(on_threads(12, "count_ring")));
    assert_eq!(end.code, Some(0), "{end:#?}");
    let expected = [
        "each image: 5 (image 0) to 5 operations (image 11)",
        "to the memory of each: 5 (image 0) to 5 operations (image 11)",
        "    0 -> 1                   5       40 B",
    ];
    for text in expected {
        assert!(end.stderr.contains(text), "no {text}: {end:#?}");
    }
    assert!(end.stderr.lines().count() < 24, "{end:#?}");
}

fn nothing() {
    let end = run(counted(plain(2, "hello")));
    assert_eq!(end.stderr, "coarray: 2 images moved nothing\n");
}
