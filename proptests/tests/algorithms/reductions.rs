//! Operations that join the elements of the images.

use coarray::Kind;
use num_traits::Num;

use crate::movement;
use crate::subject::{Input, Output, Subject};
use crate::values::Element;

/// The operations with a function of the program, for a function that depends on the order of the images, or not.
macro_rules! joins {
    ($type:ty, $join:expr, $is_ordered:expr) => {{
        use coarray::Kind;
        use $crate::reductions::{everywhere, fold, on_root, to_all, to_one, with_own};
        use $crate::subject::Subject;
        let subjects: Vec<Subject<$type>> = [
            to_all(
                "co_reduce",
                |how, input| with_own(input, |values| how.co_reduce(values, $join)),
                |inputs| everywhere(inputs, $join),
            ),
            to_one(
                "co_reduce_to",
                |how, input| with_own(input, |values| how.co_reduce_to(values, input.root, $join)),
                |inputs| on_root(inputs, $join),
            ),
            Subject {
                kind: Kind::Scan,
                ..to_all(
                    "co_scan",
                    |how, input| with_own(input, |values| how.co_scan(values, $join)),
                    |inputs| {
                        let up_to = |last| vec![fold(&inputs[..=last], $join)];
                        (0..inputs.len()).map(up_to).collect()
                    },
                )
            },
            Subject {
                kind: Kind::Scan,
                ..to_all(
                    "co_exscan",
                    |how, input| {
                        let initial = <$type>::initial();
                        with_own(input, |values| how.co_exscan(values, initial, $join))
                    },
                    |inputs| {
                        let initial = <$type>::initial();
                        let before = |end: usize| match end {
                            0 => vec![vec![initial; inputs[0].length]],
                            _ => {
                                let joined = fold(&inputs[..end], $join).into_iter();
                                vec![joined.map(|value| $join(initial, value)).collect()]
                            }
                        };
                        (0..inputs.len()).map(before).collect()
                    },
                )
            },
            Subject {
                kind: Kind::ReduceScatter,
                is_dealt: true,
                ..to_all(
                    "co_reduce_scatter",
                    |how, input| {
                        let mut mine = vec![<$type>::initial(); input.length];
                        how.co_reduce_scatter(input.parts(), &mut mine, $join);
                        vec![mine]
                    },
                    |inputs| {
                        let part = |to: usize| {
                            let start = to * inputs[0].length;
                            let of = |index: usize| {
                                let values =
                                    inputs.iter().map(|input| input.parts()[start + index]);
                                values.reduce($join).unwrap()
                            };
                            vec![(0..inputs[0].length).map(of).collect()]
                        };
                        (0..inputs.len()).map(part).collect()
                    },
                )
            },
        ]
        .into_iter()
        .map(|subject| Subject {
            is_ordered: $is_ordered,
            ..subject
        })
        .collect();
        subjects
    }};
}

pub(crate) use joins;

/// What is done with numbers.
pub fn of_numbers<T: Element + Num + PartialOrd>() -> Vec<Subject<T>> {
    let sums = [
        to_all(
            "co_sum",
            |how, input| with_own(input, |values| how.co_sum(values)),
            |inputs| everywhere(inputs, |one, other| one + other),
        ),
        to_all(
            "co_min",
            |how, input| with_own(input, |values| how.co_min(values)),
            |inputs| everywhere(inputs, least),
        ),
        to_all(
            "co_max",
            |how, input| with_own(input, |values| how.co_max(values)),
            |inputs| everywhere(inputs, most),
        ),
        to_one(
            "co_sum_to",
            |how, input| with_own(input, |values| how.co_sum_to(values, input.root)),
            |inputs| on_root(inputs, |one, other| one + other),
        ),
        to_one(
            "co_min_to",
            |how, input| with_own(input, |values| how.co_min_to(values, input.root)),
            |inputs| on_root(inputs, least),
        ),
        to_one(
            "co_max_to",
            |how, input| with_own(input, |values| how.co_max_to(values, input.root)),
            |inputs| on_root(inputs, most),
        ),
    ];
    let add = joins!(T, |one, other| one + other, false);
    [sums.to_vec(), add, movement::of_all()].concat()
}

fn least<T: PartialOrd>(one: T, other: T) -> T {
    if other < one { other } else { one }
}

fn most<T: PartialOrd>(one: T, other: T) -> T {
    if other > one { other } else { one }
}

/// An operation whose result all images get.
pub fn to_all<T>(
    name: &'static str,
    run: fn(coarray::Collective, &Input<T>) -> Output<T>,
    outcome: fn(&[Input<T>]) -> Vec<Output<T>>,
) -> Subject<T> {
    Subject {
        name,
        kind: Kind::Reduce,
        is_ordered: false,
        is_rooted: false,
        is_dealt: false,
        run,
        outcome,
    }
}

/// An operation whose result one image gets.
pub fn to_one<T>(
    name: &'static str,
    run: fn(coarray::Collective, &Input<T>) -> Output<T>,
    outcome: fn(&[Input<T>]) -> Vec<Output<T>>,
) -> Subject<T> {
    Subject {
        kind: Kind::ReduceTo,
        is_rooted: true,
        ..to_all(name, run, outcome)
    }
}

/// What becomes of an image's own elements.
pub fn with_own<T: Element>(input: &Input<T>, operation: impl FnOnce(&mut [T])) -> Output<T> {
    let mut values = input.own().to_vec();
    operation(&mut values);
    vec![values]
}

/// The elements of the first images joined, up to and with the last of `inputs`.
pub fn fold<T: Element>(inputs: &[Input<T>], join: impl Fn(T, T) -> T) -> Vec<T> {
    let mut result = inputs[0].own().to_vec();
    for input in &inputs[1..] {
        for (result, &value) in result.iter_mut().zip(input.own()) {
            *result = join(*result, value);
        }
    }
    result
}

/// Every image gets the elements of all, joined.
pub fn everywhere<T: Element>(inputs: &[Input<T>], join: impl Fn(T, T) -> T) -> Vec<Output<T>> {
    vec![vec![fold(inputs, join)]; inputs.len()]
}

/// The root gets the elements of all, joined; the others keep theirs.
pub fn on_root<T: Element>(inputs: &[Input<T>], join: impl Fn(T, T) -> T) -> Vec<Output<T>> {
    let kept = |input: &Input<T>| vec![input.own().to_vec()];
    let mut outputs: Vec<_> = inputs.iter().map(kept).collect();
    outputs[inputs[0].root] = vec![fold(inputs, join)];
    outputs
}
