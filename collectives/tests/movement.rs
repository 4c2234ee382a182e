//! Every algorithm of every collective that moves values or scans, against what a single image computes.

#[path = "shared/launches.rs"]
mod launches;

use std::panic::Location;

use coarray_collectives::{Algorithm, Collective, Kind, try_co_scatter};
use coarray_coref::{Plain, Remote};
use coarray_launch::Launch;
use coarray_runtime::{OnFailure, Team, num_images, this_image};

use crate::launches::run_everywhere;

const IMAGES: [usize; 9] = [1, 2, 3, 4, 5, 7, 8, 13, 17];

const LENGTHS: [usize; 5] = [0, 1, 7, 1000, 20_000];

/// An element type of the tests. Different numbers give different values, if the type has room for that.
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

/// Large: half of the buffer has room for few of them, or only one.
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

/// The elements that one image has for another.
fn block<T: Value>(from: usize, to: usize, length: usize) -> Vec<T> {
    let first = from * 50_021 + to * 401;
    (first..first + length).map(T::of).collect()
}

/// The number of elements that one image has for another where lengths differ.
fn uneven(from: usize, to: usize, most: usize) -> usize {
    match (from * 5 + to * 3) % 7 {
        0 => 0,
        3 => most,
        share => most * share / 14,
    }
}

/// The images of the current team that are tried as root.
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

/// Runs `body` on all numbers of images.
fn everywhere(body: impl Fn() + Sync) {
    for images in IMAGES {
        run_everywhere(images, &body);
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
        if num_images() <= 4 {
            // Longer than a buffer.
            scatters::<u64>(70_000);
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

/// An operation that is associative but not commutative: composition of functions `a x + b`, given as `[a, b]`.
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
            // The sum of all images overflows; no image needs it.
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
        let of = |image: usize| T::of(image * n + me);
        // The ring, if it has room, ends with the image itself.
        let is_last = mine == [of(n - 1)];
        let is_own = algorithm == Algorithm::Ring && mine == [of(me)];
        assert!(is_last || is_own, "{algorithm}");
    }
}

#[test]
fn elements_that_fill_a_half_and_many_images() {
    for images in [1, 2, 5, 17] {
        run_everywhere(images, || {
            large::<Plain<[u64; 1024]>>();
            large::<Plain<[[u64; 4096]; 2]>>();
        });
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
    let one_machine = Launch::new(14).images_per_node(4);
    for launch in [one_machine, Launch::new(14).simulated_nodes(4)] {
        launch.run(in_turned_teams).unwrap();
    }
}

fn in_turned_teams() {
    // Every third image, in the opposite order.
    let me = this_image();
    let index = 4 - me / 3 - usize::from(me % 3 == 2);
    let caller = Location::caller();
    let team = Team::current().form((me % 3) as u64, Some(index), OnFailure::EndJob, caller);
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
}

/// The text of the report with which a job of this number of images ends.
fn report(images: usize, body: impl Fn() + Sync) -> String {
    Launch::new(images).run(body).unwrap_err().text
}

#[test]
fn wrong_lengths_are_named() {
    for &algorithm in Kind::Gather.algorithms() {
        let text = report(4, || {
            let mut gathered = vec![0; if this_image() == 2 { 8 } else { 0 }];
            by(algorithm).co_gather(&[1; 3], &mut gathered, 2);
        });
        let expected = "co_gather to image 2: `gathered` has 8 elements there, but the values of 4 images with 3 \
                        elements each need 12";
        assert!(text.contains(expected), "{algorithm}: {text}");
    }
    for &algorithm in Kind::Scatter.algorithms() {
        for length in [0, 3, 50_000] {
            let text = report(4, || {
                let mut mine = vec![1; length];
                by(algorithm).co_scatter(&[0; 7], &mut mine, 1);
                panic!("goes on");
            });
            let expected = format!(
                "co_scatter from image 1: `parts` has 7 elements there, but 4 images with {length} elements each need \
                 {}",
                4 * length
            );
            assert!(text.contains(&expected), "{algorithm}: {text}");
        }
    }
    let texts = [
        (
            report(3, || Collective::new().co_allgather(&[1; 2], &mut [0; 5])),
            "co_allgather: `gathered` has 5 elements, but the values of 3 images with 2 elements each need 6",
        ),
        (
            report(3, || Collective::new().co_alltoall(&[1; 4], &mut [0; 4])),
            "co_alltoall of 4 elements, which 3 images cannot share equally",
        ),
        (
            report(3, || Collective::new().co_alltoall(&[1; 6], &mut [0; 4])),
            "co_alltoall of 6 elements, but `received` has 4: both need as many",
        ),
        (
            report(3, || {
                let mut mine = [0; 2];
                Collective::new().co_reduce_scatter(&[1; 7], &mut mine, |a, b| a + b);
            }),
            "co_reduce_scatter of 7 elements, but 3 images that get 2 elements each need 6",
        ),
        (
            report(3, || {
                Collective::new().co_scatterv(&[vec![1], vec![2]], 0);
                panic!("goes on");
            }),
            "co_scatterv from image 0: `parts` has 2 parts there, but 3 images need one each",
        ),
        (
            report(3, || {
                Collective::new().co_alltoallv(&[vec![1], vec![2]]);
            }),
            "co_alltoallv of 2 parts, but 3 images need one each",
        ),
        (
            report(3, || {
                _ = Collective::new().co_alltoallv_into(&[1, 2], &[1, 1], &mut vec![]);
            }),
            "co_alltoallv_into of 2 lengths, but 3 images need one each",
        ),
        (
            report(3, || {
                _ = Collective::new().co_alltoallv_into(&[1, 2], &[1, 1, 1], &mut vec![]);
            }),
            "co_alltoallv_into of 2 elements, but the lengths of the parts add up to 3",
        ),
        (
            report(3, || Collective::new().co_gather(&1, &mut [0; 3], 3)),
            "co_gather with image 3 as root, but there are 3 images",
        ),
    ];
    for (text, expected) in texts {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn images_that_disagree_about_the_root_are_told_so_first() {
    for &algorithm in Kind::Gather.algorithms() {
        let text = report(3, || {
            let root = if this_image() == 2 { 2 } else { 0 };
            let mut gathered = vec![0; if this_image() == 0 { 3 } else { 0 }];
            by(algorithm).co_gather(&1, &mut gathered, root);
        });
        let both = text.contains("to image 2") && text.contains("to image 0");
        assert!(both, "{algorithm}: {text}");
    }
    for &algorithm in Kind::Scatter.algorithms() {
        let text = report(3, || {
            let root = if this_image() == 2 { 2 } else { 0 };
            let parts = vec![0; if this_image() == 0 { 3 } else { 0 }];
            by(algorithm).co_scatter(&parts, &mut 1, root);
        });
        let both = text.contains("from image 2") && text.contains("from image 0");
        assert!(both, "{algorithm}: {text}");
    }
}

#[test]
fn lengths_may_differ_only_where_the_operation_says_so() {
    let text = report(3, || {
        let mut gathered = vec![0; 3 * (1 + this_image() / 2)];
        Collective::new().co_allgather(&vec![1; 1 + this_image() / 2], &mut gathered);
    });
    let both = text.contains("co_allgather of i32") && text.contains("co_allgather of 2 x i32");
    assert!(both, "{text}");
}

#[test]
fn a_root_that_fails_by_a_panic_is_an_error_for_those_that_try() {
    let survivors = Launch::new(3).keep_going(true).run(|| {
        let mut mine = 5;
        try_co_scatter(&[0; 2], &mut mine, 1).unwrap_err().images
    });
    assert_eq!(survivors.unwrap(), [[1], [1]]);
}

fn no_sum(_: i32, _: i32) -> i32 {
    panic!("no such sum")
}

#[test]
fn an_operation_that_panics_ends_the_job() {
    for &algorithm in Kind::Scan.algorithms() {
        let text = report(5, || {
            by(algorithm).co_scan(&mut [1, 2], no_sum);
        });
        assert!(text.contains("no such sum"), "{algorithm}: {text}");
    }
    for &algorithm in Kind::ReduceScatter.algorithms() {
        let text = report(5, || {
            by(algorithm).co_reduce_scatter(&[1; 5], &mut 0, no_sum);
        });
        assert!(text.contains("no such sum"), "{algorithm}: {text}");
    }
}
