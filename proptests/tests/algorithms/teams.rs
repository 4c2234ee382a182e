//! Several teams at once, each with calls of its own.

use std::collections::BTreeMap;

use coarray::prelude::*;
use coarray_proptests::{config, mix};
use proptest::prelude::*;

use crate::division::Division;
use crate::random::{Call, RawCall};

/// What a team does.
#[derive(Clone, Debug)]
enum RawTask {
    Call(RawCall),
    /// Divides itself, and lets each part do its own.
    Divide {
        seed: u64,
        parts: u64,
        /// Whether the images are numbered in the parts the other way round.
        is_turned: bool,
        tasks: Vec<Vec<RawTask>>,
    },
}

impl RawTask {
    fn any() -> impl Strategy<Value = Self> {
        let call = RawCall::any().prop_map(Self::Call).boxed();
        let division = |inner: BoxedStrategy<Self>| {
            let tasks = prop::collection::vec(prop::collection::vec(inner, 0..8), 4);
            (any::<u64>(), 2u64..5, any::<bool>(), tasks).prop_map(
                |(seed, parts, is_turned, tasks)| Self::Divide {
                    seed,
                    parts,
                    is_turned,
                    tasks,
                },
            )
        };
        let inner = prop_oneof![6 => call.clone(), 1 => division(call.clone())];
        prop_oneof![1 => call, 2 => division(inner.boxed())]
    }
}

/// What a team of a certain size does.
enum Task {
    Call(Call),
    Divide {
        seed: u64,
        parts: u64,
        is_turned: bool,
        tasks: BTreeMap<u64, Vec<Task>>,
    },
}

/// The number of the part that an image goes to.
fn part_of(seed: u64, image: usize, parts: u64) -> u64 {
    mix(seed, image as u64) % parts
}

/// How many images there are in a part, of so many.
fn size(seed: u64, parts: u64, images: usize, part: u64) -> usize {
    let is_there = |&image: &usize| part_of(seed, image, parts) == part;
    (0..images).filter(is_there).count()
}

fn plan(tasks: &[RawTask], images: usize) -> Vec<Task> {
    let task = |task: &RawTask| match *task {
        RawTask::Call(call) => Task::Call(call.by(images)),
        RawTask::Divide {
            seed,
            parts,
            is_turned,
            ref tasks,
        } => {
            let of_part = |part| {
                let images = size(seed, parts, images, part);
                (images > 0).then(|| (part, plan(&tasks[part as usize], images)))
            };
            Task::Divide {
                seed,
                parts,
                is_turned,
                tasks: (0..parts).filter_map(of_part).collect(),
            }
        }
    };
    tasks.iter().map(task).collect()
}

fn carry_out(tasks: &[Task]) {
    for task in tasks {
        match task {
            Task::Call(call) => call.check(),
            Task::Divide {
                seed,
                parts,
                is_turned,
                tasks,
            } => {
                let (me, images) = (this_image(), num_images());
                let part = part_of(*seed, me, *parts);
                let before = size(*seed, *parts, me, part);
                let last = size(*seed, *parts, images, part) - 1;
                let index = if *is_turned { last - before } else { before };
                let team = Team::form_with_index(part, index);
                team.change(|| carry_out(&tasks[&part]));
            }
        }
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn teams_do_their_own_at_the_same_time_and_divide_again(
        division in Division::any(2),
        tasks in prop::collection::vec(RawTask::any(), 1..4),
    ) {
        let tasks = plan(&tasks, division.images);
        let outcome = division.launch().heap(4 << 20).run(|| carry_out(&tasks));
        prop_assert!(outcome.is_ok(), "{:?}", outcome.err());
    }
}
