//! Random sequences of blocking and asynchronous collectives, with any number under way.
//!
//! The steps of a case are the same on all images. In which order an image waits for what it has begun, when, and how,
//! is its own choice.

use coarray::asynchronous::{
    Cofuture, co_all_async, co_allgather_async, co_allgatherv_async, co_alltoall_async,
    co_alltoallv_async, co_any_async, co_broadcast_async, co_count_async, co_exscan_async,
    co_gather_async, co_gatherv_async, co_max_async, co_max_to_async, co_min_async,
    co_min_to_async, co_reduce_async, co_reduce_scatter_async, co_reduce_to_async, co_scan_async,
    co_scatter_async, co_scatterv_async, co_sum_async, co_sum_to_async,
};
use coarray::prelude::*;
use coarray_proptests::{config, mix};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::run_on;

/// A collective: which, on how many elements, and from which values.
#[derive(Clone, Copy, Debug)]
struct Step {
    kind: usize,
    length: usize,
    seed: u64,
}

/// How many kinds there are: the asynchronous ones, and after them blocking ones.
const KINDS: usize = 23;
const BLOCKING: usize = 4;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let length = prop_oneof![8 => 0usize..6, 2 => 6usize..80, 1 => 500usize..900];
    let step = (0..KINDS + BLOCKING, length, any::<u64>());
    prop::collection::vec(
        step.prop_map(|(kind, length, seed)| Step { kind, length, seed }),
        1..24,
    )
}

/// Two digits in a row, as a number modulo a prime: joining is not commutative.
fn join(a: u64, b: u64) -> u64 {
    (a % PRIME * 1_000_003 + b) % PRIME
}

const PRIME: u64 = (1 << 31) - 1;

/// What an image may be asked to wait for, as numbers.
type Result = Vec<Vec<u64>>;

/// Waits for a collective, in one of three ways, and compares.
type Check = Box<dyn FnOnce(usize)>;

fn check<T: 'static>(
    step: Step,
    cofuture: Cofuture<'static, T>,
    numbers: impl FnOnce(T) -> Result + 'static,
    expected: Result,
) -> Check {
    Box::new(move |way| {
        let result = match way % 3 {
            0 => cofuture.wait(),
            1 => {
                while !cofuture.is_ready() {
                    std::thread::yield_now();
                }
                cofuture.wait()
            }
            _ => futures::executor::block_on(cofuture),
        };
        let (found, me) = (numbers(result), this_image());
        assert!(
            found == expected,
            "{step:?} on image {me}: {found:?} for {expected:?}"
        );
    })
}

/// What each image contributes, in every form that a collective may ask for.
struct Input {
    images: usize,
    root: usize,
    /// As many numbers on every image.
    equal: Vec<Vec<u64>>,
    /// A part for each image.
    parts: Vec<Vec<Vec<u64>>>,
}

impl Input {
    fn new(Step { length, seed, .. }: Step) -> Self {
        let images = num_images();
        let number = |image: usize, index: usize| mix(mix(seed, image as u64), index as u64) >> 8;
        let numbers = |image, length| (0..length).map(|index| number(image, index)).collect();
        let part = |from: usize, to: usize| {
            let length = number(from, to + 1000) as usize % (length + 1);
            (0..length)
                .map(|index| number(from, index) + to as u64)
                .collect()
        };
        Self {
            images,
            root: seed as usize % images,
            equal: (0..images).map(|image| numbers(image, length)).collect(),
            parts: (0..images)
                .map(|from| (0..images).map(|to| part(from, to)).collect())
                .collect(),
        }
    }

    /// Images in this range joined, element by element.
    fn joined(
        &self,
        mut images: std::ops::Range<usize>,
        join: impl Fn(u64, u64) -> u64,
    ) -> Vec<u64> {
        let mut joined = self.equal[images.next().unwrap()].clone();
        for image in images {
            let values = self.equal[image].iter();
            joined
                .iter_mut()
                .zip(values)
                .for_each(|(a, b)| *a = join(*a, *b));
        }
        joined
    }

    /// Numbers of which each image can get as many: so often all of one image.
    fn shares(&self, image: usize) -> Vec<u64> {
        let share = |to: usize| {
            self.equal[image]
                .iter()
                .map(move |number| number ^ to as u64)
        };
        (0..self.images).flat_map(share).collect()
    }

    fn share(&self, from: usize, to: usize) -> Vec<u64> {
        let length = self.equal[from].len();
        self.shares(from)[length * to..length * (to + 1)].to_vec()
    }
}

fn flags(numbers: &[Vec<u64>]) -> Vec<bool> {
    let first = |numbers: &Vec<u64>| numbers.first().is_some_and(|number| number % 3 != 0);
    numbers.iter().map(first).collect()
}

/// Calls a collective; returns what waits for it.
fn begin(step: Step) -> Option<Check> {
    let input = Input::new(step);
    let (me, images, root) = (this_image(), input.images, input.root);
    let mine = input.equal[me].clone();
    let at_root = |result: Vec<u64>| vec![if me == root { result } else { mine.clone() }];
    let one = |values: Vec<u64>| vec![values];
    let all = |join: fn(u64, u64) -> u64| vec![input.joined(0..images, join)];
    let only_root = |result: Result| if me == root { result } else { Vec::new() };
    let check = match step.kind {
        0 => check(
            step,
            co_broadcast_async(mine, root),
            one,
            vec![input.equal[root].clone()],
        ),
        1 => check(step, co_sum_async(mine), one, all(|a, b| a + b)),
        2 => check(step, co_min_async(mine), one, all(u64::min)),
        3 => check(step, co_max_async(mine), one, all(u64::max)),
        4 => check(step, co_reduce_async(mine, join), one, all(join)),
        5 => {
            let sums = at_root(input.joined(0..images, |a, b| a + b));
            check(step, co_sum_to_async(mine, root), one, sums)
        }
        6 => {
            let minima = at_root(input.joined(0..images, u64::min));
            check(step, co_min_to_async(mine, root), one, minima)
        }
        7 => {
            let maxima = at_root(input.joined(0..images, u64::max));
            check(step, co_max_to_async(mine, root), one, maxima)
        }
        8 => {
            let joined = at_root(input.joined(0..images, join));
            check(step, co_reduce_to_async(mine, root, join), one, joined)
        }
        9..12 => {
            let flags = flags(&input.equal);
            let count = flags.iter().filter(|&&flag| flag).count();
            let answer = |answer: bool| vec![vec![u64::from(answer)]];
            match step.kind {
                9 => check(
                    step,
                    co_all_async(flags[me]),
                    answer,
                    answer(count == images),
                ),
                10 => check(step, co_any_async(flags[me]), answer, answer(count > 0)),
                _ => {
                    let number = |count: usize| vec![vec![count as u64]];
                    check(step, co_count_async(flags[me]), number, number(count))
                }
            }
        }
        12 => {
            let gathered = if me == root {
                input.equal.concat()
            } else {
                Vec::new()
            };
            check(step, co_gather_async(mine, root), one, vec![gathered])
        }
        13 => check(
            step,
            co_allgather_async(mine),
            one,
            vec![input.equal.concat()],
        ),
        14 => {
            let parts = if me == root {
                input.shares(me)
            } else {
                Vec::new()
            };
            check(
                step,
                co_scatter_async(parts, root),
                one,
                vec![input.share(root, me)],
            )
        }
        15 => {
            let shares = (0..images).map(|from| input.share(from, me));
            let received = shares.collect::<Vec<_>>().concat();
            check(
                step,
                co_alltoall_async(input.shares(me)),
                one,
                vec![received],
            )
        }
        16 => {
            let own = |parts: &Vec<Vec<u64>>| parts[0].clone();
            let gathered = only_root(input.parts.iter().map(own).collect());
            check(
                step,
                co_gatherv_async(input.parts[me][0].clone(), root),
                |all| all,
                gathered,
            )
        }
        17 => {
            let gathered = input.parts.iter().map(|parts| parts[0].clone()).collect();
            check(
                step,
                co_allgatherv_async(input.parts[me][0].clone()),
                |all| all,
                gathered,
            )
        }
        18 => {
            let parts = only_root(input.parts[me].clone());
            check(
                step,
                co_scatterv_async(parts, root),
                one,
                vec![input.parts[root][me].clone()],
            )
        }
        19 => {
            let received = input.parts.iter().map(|parts| parts[me].clone()).collect();
            check(
                step,
                co_alltoallv_async(input.parts[me].clone()),
                |all| all,
                received,
            )
        }
        20 => {
            let mut joined = input.share(0, me);
            for from in 1..images {
                let share = input.share(from, me);
                joined
                    .iter_mut()
                    .zip(share)
                    .for_each(|(a, b)| *a = join(*a, b));
            }
            check(
                step,
                co_reduce_scatter_async(input.shares(me), join),
                one,
                vec![joined],
            )
        }
        21 => check(
            step,
            co_scan_async(mine, join),
            one,
            vec![input.joined(0..me + 1, join)],
        ),
        22 => {
            let mut before = vec![step.seed % 1000; mine.len()];
            for values in &input.equal[..me] {
                before
                    .iter_mut()
                    .zip(values)
                    .for_each(|(a, b)| *a = join(*a, *b));
            }
            let begun = co_exscan_async(mine, step.seed % 1000, join);
            check(step, begun, one, vec![before])
        }
        kind => {
            block(kind - KINDS, &input);
            return None;
        }
    };
    Some(check)
}

/// Calls a blocking collective, and compares.
fn block(kind: usize, input: &Input) {
    let (images, mut mine) = (input.images, input.equal[this_image()].clone());
    match kind {
        0 => sync_all(),
        1 => {
            co_sum(&mut mine);
            assert_eq!(mine, input.joined(0..images, |a, b| a + b));
        }
        2 => {
            co_broadcast(&mut mine, input.root);
            assert_eq!(mine, input.equal[input.root]);
        }
        _ => {
            let coarray = Coarray::new([input.root as u64; 3]);
            assert_eq!(*coarray, [input.root as u64; 3]);
        }
    }
}

/// Does the steps; how an image waits depends on `seed` and on the image.
fn live(steps: &[Step], seed: u64) {
    let mut choices = mix(seed, this_image() as u64);
    let mut choose = |count: usize| {
        choices = mix(choices, 1);
        (choices >> 8) as usize % count
    };
    let mut under_way: Vec<Check> = Vec::new();
    for &step in steps {
        under_way.extend(begin(step));
        while !under_way.is_empty() && choose(4) == 0 {
            let check = under_way.swap_remove(choose(under_way.len()));
            // Some are not waited for.
            if choose(8) > 0 {
                check(choose(3));
            }
        }
    }
    while !under_way.is_empty() {
        under_way.swap_remove(choose(under_way.len()))(choose(3));
    }
}

/// How many sequences follow each other in a job: to start one takes as long.
const AT_ONCE: usize = 10;

/// Runs so many random sequences, or ten times `PROPTEST_CASES`.
fn compare(nodes: usize, images: usize, sequences: u32) {
    let mut runner = TestRunner::new(config(sequences / AT_ONCE as u32));
    let several = prop::collection::vec((steps(), any::<u64>()), AT_ONCE);
    let outcome = runner.run(&several, |several| {
        run_on(nodes, images, || {
            several.iter().for_each(|(steps, seed)| live(steps, *seed));
        });
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{images} images on {nodes} nodes: {error}");
    }
}

#[test]
fn sequences_of_one_image_give_what_the_model_says() {
    compare(1, 1, 1000);
}

#[test]
fn sequences_of_two_images_give_what_the_model_says() {
    compare(1, 2, 1000);
}

#[test]
fn sequences_of_three_images_give_what_the_model_says() {
    compare(1, 3, 1000);
}

#[test]
fn sequences_of_four_images_give_what_the_model_says() {
    compare(1, 4, 1000);
}

#[test]
fn sequences_of_five_images_give_what_the_model_says() {
    compare(1, 5, 1000);
}

#[test]
fn sequences_on_two_nodes_give_what_the_model_says() {
    for images in [2, 3, 4, 8] {
        compare(2, images, 100);
    }
}

#[test]
fn sequences_on_three_or_four_nodes_give_what_the_model_says() {
    for (nodes, images) in [(3, 3), (3, 5), (4, 4), (4, 7)] {
        compare(nodes, images, 100);
    }
}
