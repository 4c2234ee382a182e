//! Every algorithm of every collective that moves values or scans, against what a single image computes.

use std::panic::Location;

use coarray_collectives::{Algorithm, Collective, Kind};
use coarray_coref::{Plain, Remote};
use coarray_fabric::{Absence, Launch, Team, num_images, this_image};

const IMAGES: [usize; 9] = [1, 2, 3, 4, 5, 7, 8, 13, 17];

const LENGTHS: [usize; 5] = [0, 1, 7, 1000, 20_000];

/// An element of a test, of which no two values of a test are alike if it has room for that.
trait Value: Remote<Element = Self> + PartialEq + std::fmt::Debug + Send {
    fn of(number: usize) -> Self;
}

impl Value for u64 {
    fn of(number: usize) -> Self {
        number as u64
    }
}

impl Value for f64 {
    fn of(number: usize) -> Self {
        number as f64 / 8.0
    }
}

impl Value for bool {
    fn of(number: usize) -> Self {
        (number * 2_654_435_761) & 0x1000 != 0
    }
}

impl Value for Plain<[u8; 3]> {
    fn of(number: usize) -> Self {
        Self([number as u8, (number >> 8) as u8, (number >> 16) as u8])
    }
}

/// So large that a half has room for few of them, or only one.
impl Value for Plain<[u64; 1024]> {
    fn of(number: usize) -> Self {
        Self([number as u64; 1024])
    }
}

impl Value for Plain<[[u64; 4096]; 2]> {
    fn of(number: usize) -> Self {
        Self([[number as u64; 4096]; 2])
    }
}

/// What one image has for another.
fn block<T: Value>(from: usize, to: usize, length: usize) -> Vec<T> {
    let first = from * 50_021 + to * 401;
    (first..first + length).map(T::of).collect()
}

/// How many elements one image has for another, if not all have as many.
fn uneven(from: usize, to: usize, most: usize) -> usize {
    match (from * 5 + to * 3) % 7 {
        0 => 0,
        3 => most,
        share => most * share / 14,
    }
}

/// The current team's images that are root.
fn roots() -> Vec<usize> {
    let n = num_images();
    let mut roots = vec![0, n / 2, n - 1];
    roots.dedup();
    roots
}

fn by(algorithm: Algorithm) -> Collective {
    Collective::new().algorithm(algorithm)
}

fn gathers<T: Value>(length: usize) {
    let (me, n) = (this_image(), num_images());
    let values: Vec<T> = block(me, 0, length);
    let few: Vec<T> = block(me, 0, uneven(me, 0, length));
    let all: Vec<T> = (0..n).flat_map(|image| block(image, 0, length)).collect();
    let uneven: Vec<Vec<T>> = (0..n).map(|i| block(i, 0, uneven(i, 0, length))).collect();
    for &algorithm in Kind::Gather.algorithms() {
        for root in roots() {
            let place = format!("{algorithm} {length} {root}");
            let room = if me == root { n * length } else { 0 };
            let mut gathered = vec![T::of(0); room];
            by(algorithm).co_gather(&values, &mut gathered, root);
            assert!(gathered == all[..room], "{place}");
            let gathered = by(algorithm).co_gatherv(&few, root);
            let expected = if me == root { &uneven[..] } else { &[] };
            assert!(gathered == expected, "v {place}");
        }
    }
    for &algorithm in Kind::Allgather.algorithms() {
        let mut gathered = vec![T::of(0); n * length];
        by(algorithm).co_allgather(&values, &mut gathered);
        assert!(gathered == all, "{algorithm} {length}");
        let gathered = by(algorithm).co_allgatherv(&few);
        assert!(gathered == uneven, "v {algorithm} {length}");
    }
}

fn scatters<T: Value>(length: usize) {
    let (me, n) = (this_image(), num_images());
    for &algorithm in Kind::Scatter.algorithms() {
        for root in roots() {
            let place = format!("{algorithm} {length} {root}");
            let mut parts: Vec<Vec<T>> = Vec::new();
            let mut uneven_parts: Vec<Vec<T>> = Vec::new();
            if me == root {
                parts.extend((0..n).map(|to| block(root, to, length)));
                uneven_parts.extend((0..n).map(|to| block(root, to, uneven(root, to, length))));
            }
            let mut mine = vec![T::of(0); length];
            by(algorithm).co_scatter(&parts.concat(), &mut mine, root);
            assert!(mine == block::<T>(root, me, length), "{place}");
            let mine: Vec<T> = by(algorithm).co_scatterv(&uneven_parts, root);
            let expected: Vec<T> = block(root, me, uneven(root, me, length));
            assert!(mine == expected, "v {place}");
        }
    }
}

fn exchanges<T: Value>(length: usize) {
    let (me, n) = (this_image(), num_images());
    let send: Vec<T> = (0..n).flat_map(|to| block(me, to, length)).collect();
    let expected: Vec<T> = (0..n).flat_map(|from| block(from, me, length)).collect();
    let parts: Vec<Vec<T>> = (0..n)
        .map(|to| block(me, to, uneven(me, to, length)))
        .collect();
    let uneven = (0..n).map(|from| block(from, me, uneven(from, me, length)));
    let uneven: Vec<Vec<T>> = uneven.collect();
    for &algorithm in Kind::Alltoall.algorithms() {
        let mut received = vec![T::of(0); n * length];
        by(algorithm).co_alltoall(&send, &mut received);
        assert!(received == expected, "{algorithm} {length}");
        let received = by(algorithm).co_alltoallv(&parts);
        assert!(received == uneven, "v {algorithm} {length}");
    }
}

/// On sets of images of all sizes.
fn everywhere(body: impl Fn() + Sync) {
    for images in IMAGES {
        let launch = Launch::new(images).images_per_node(3);
        launch
            .run(&body)
            .unwrap_or_else(|failure| panic!("{images} images: {failure}"));
    }
}

#[test]
fn gathering() {
    everywhere(|| {
        for length in LENGTHS {
            gathers::<u64>(length);
            gathers::<Plain<[u8; 3]>>(length);
        }
        gathers::<bool>(1000);
        gathers::<f64>(1000);
    });
}

#[test]
fn scattering() {
    everywhere(|| {
        for length in LENGTHS {
            scatters::<u64>(length);
            scatters::<Plain<[u8; 3]>>(length);
        }
        scatters::<bool>(1000);
        scatters::<f64>(1000);
    });
}

#[test]
fn exchanging() {
    everywhere(|| {
        for length in LENGTHS {
            exchanges::<u64>(length);
            exchanges::<Plain<[u8; 3]>>(length);
        }
        exchanges::<bool>(1000);
        exchanges::<f64>(1000);
    });
}

/// A function that is associative but not commutative: `a x + b`, as `[a, b]`, then another one.
fn then(first: Plain<[u64; 2]>, second: Plain<[u64; 2]>) -> Plain<[u64; 2]> {
    let (Plain([a, b]), Plain([c, d])) = (first, second);
    let offset = c.wrapping_mul(b).wrapping_add(d);
    Plain([a.wrapping_mul(c), offset])
}

fn function(image: usize, index: usize) -> Plain<[u64; 2]> {
    Plain([2 * image as u64 + 3, (image * 31 + index) as u64])
}

fn scans(length: usize) {
    let (me, n) = (this_image(), num_images());
    let values: Vec<_> = (0..length).map(|index| function(me, index)).collect();
    let initial = Plain([5, 9]);
    for &algorithm in Kind::Scan.algorithms() {
        let mut scanned = values.clone();
        by(algorithm).co_scan(&mut scanned, then);
        let up_to = |index| (1..=me).fold(function(0, index), |a, i| then(a, function(i, index)));
        assert!((0..length).map(up_to).eq(scanned), "{algorithm} {length}");

        let mut scanned = values.clone();
        by(algorithm).co_exscan(&mut scanned, initial, then);
        let before = |index| (0..me).fold(initial, |a, i| then(a, function(i, index)));
        assert!(
            (0..length).map(before).eq(scanned),
            "ex {algorithm} {length}"
        );
    }
    let values: Vec<_> = (0..n * length).map(|index| function(me, index)).collect();
    for &algorithm in Kind::ReduceScatter.algorithms() {
        let mut mine = vec![Plain([0, 0]); length];
        let place = format!("{algorithm} {length}");
        if algorithm == Algorithm::Ring {
            let sums =
                |a: Plain<[u64; 2]>, b: Plain<[u64; 2]>| Plain([a.0[0] + b.0[0], a.0[1] + b.0[1]]);
            by(algorithm).co_reduce_scatter(&values, &mut mine, sums);
            let of = |index| (1..n).fold(function(0, index), |a, i| sums(a, function(i, index)));
            assert!((me * length..(me + 1) * length).map(of).eq(mine), "{place}");
        } else {
            by(algorithm).co_reduce_scatter(&values, &mut mine, then);
            let of = |index| (1..n).fold(function(0, index), |a, i| then(a, function(i, index)));
            assert!((me * length..(me + 1) * length).map(of).eq(mine), "{place}");
        }
    }
}

#[test]
fn scanning() {
    everywhere(|| LENGTHS.into_iter().for_each(scans));
}

#[test]
fn sums_of_floats_and_conditions_in_the_order_of_the_images() {
    everywhere(|| {
        let (me, n) = (this_image(), num_images());
        for &algorithm in Kind::Scan.algorithms() {
            let mut sums = vec![me as f64 / 4.0; 1000];
            by(algorithm).co_scan(&mut sums, |a, b| a + b);
            assert!(
                sums == vec![(me * (me + 1) / 2) as f64 / 4.0; 1000],
                "{algorithm}"
            );
            let mut any = me == 1;
            by(algorithm).co_exscan(&mut any, false, |a, b| a | b);
            assert_eq!(any, me > 1, "{algorithm}");
            // What all give overflows; no image needs it.
            let mut sum = if me == n - 1 { u64::MAX } else { 1 };
            by(algorithm).co_exscan(&mut sum, 1, |a, b| a.checked_add(b).unwrap());
            assert_eq!(sum, me as u64 + 1, "{algorithm}");
        }
    });
}

fn large<T: Value>() {
    gathers::<T>(2);
    scatters::<T>(2);
    exchanges::<T>(2);
    let (me, n) = (this_image(), num_images());
    let later = |a: T, _| a;
    let earlier = |_, b: T| b;
    for &algorithm in Kind::Scan.algorithms() {
        let mut value = [T::of(me)];
        by(algorithm).co_scan(&mut value, later);
        assert!(value == [T::of(0)], "{algorithm}");
        let mut value = [T::of(me)];
        by(algorithm).co_exscan(&mut value, T::of(n), earlier);
        assert!(
            value == [T::of(me.checked_sub(1).unwrap_or(n))],
            "{algorithm}"
        );
    }
    let values: Vec<T> = (0..n).map(|to| T::of(me * n + to)).collect();
    for &algorithm in Kind::ReduceScatter.algorithms() {
        let mut mine = [T::of(0)];
        by(algorithm).co_reduce_scatter(&values, &mut mine, earlier);
        // The ring ends with the image itself.
        let last = if algorithm == Algorithm::Ring {
            me
        } else {
            n - 1
        };
        assert!(mine == [T::of(last * n + me)], "{algorithm}");
    }
}

#[test]
fn elements_that_fill_a_half_and_many_images() {
    for images in [1, 2, 5, 17] {
        let run = Launch::new(images).images_per_node(3).run(|| {
            large::<Plain<[u64; 1024]>>();
            large::<Plain<[[u64; 4096]; 2]>>();
        });
        run.unwrap();
    }
    let run = Launch::new(128).images_per_node(5).run(|| {
        large::<Plain<[u64; 1024]>>();
        gathers::<u64>(3);
        scatters::<u64>(3);
        exchanges::<u64>(3);
        scans(3);
    });
    run.unwrap();
}

#[test]
fn teams_whose_images_are_elsewhere() {
    let run = Launch::new(14).images_per_node(4).run(|| {
        // Every third image, in the opposite order.
        let me = this_image();
        let index = 4 - me / 3 - usize::from(me % 3 == 2);
        let caller = Location::caller();
        let team = Team::current().form((me % 3) as u64, Some(index), Absence::EndsJob, caller);
        let team = team.unwrap();
        let current = team.enter();
        assert_eq!(
            (this_image(), num_images()),
            (index, if me % 3 == 2 { 4 } else { 5 })
        );
        for length in [0, 1, 1000] {
            gathers::<u64>(length);
            scatters::<u64>(length);
            exchanges::<u64>(length);
            scans(length);
        }
        drop(current);
    });
    run.unwrap();
}
