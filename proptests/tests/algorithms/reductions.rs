//! Operations that join the elements of the images.

use coarray::asynchronous::{
    co_max_async, co_max_to_async, co_min_async, co_min_to_async, co_sum_async,
    co_sum_reproducible_async, co_sum_to_async, co_total_reproducible_async,
};
use coarray::collectives::{Addend, Collective, Kind};
use num_traits::Num;

use crate::movement::{self, row};
use crate::subject::{Input, Output, Pending, Subject, pending};
use crate::values::Element;

/// The operations with a function of the program, for a function that depends on the order of the images, or not.
macro_rules! joins {
    ($type:ty, $join:expr, $is_ordered:expr) => {{
        use coarray::asynchronous::{
            co_exscan_async, co_reduce_async, co_reduce_scatter_async, co_reduce_to_async,
            co_scan_async,
        };
        use coarray::collectives::Kind;
        use $crate::movement::row;
        use $crate::reductions::{everywhere, fold, on_root, to_all, to_one, with_own};
        use $crate::subject::{Subject, pending};
        let subjects: Vec<Subject<$type>> = [
            to_all(
                "co_reduce",
                |how, input| with_own(input, |values| how.co_reduce(values, $join)),
                |input| pending(co_reduce_async(input.own().to_vec(), $join), row),
                |inputs| everywhere(inputs, $join),
            ),
            to_one(
                "co_reduce_to",
                |how, input| with_own(input, |values| how.co_reduce_to(values, input.root, $join)),
                |input| {
                    pending(
                        co_reduce_to_async(input.own().to_vec(), input.root, $join),
                        row,
                    )
                },
                |inputs| on_root(inputs, $join),
            ),
            Subject {
                kind: Kind::Scan,
                ..to_all(
                    "co_scan",
                    |how, input| with_own(input, |values| how.co_scan(values, $join)),
                    |input| pending(co_scan_async(input.own().to_vec(), $join), row),
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
                    |input| {
                        let values = input.own().to_vec();
                        pending(co_exscan_async(values, <$type>::initial(), $join), row)
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
                    |input| pending(co_reduce_scatter_async(input.parts().to_vec(), $join), row),
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
            |input| pending(co_sum_async(input.own().to_vec()), row),
            |inputs| everywhere(inputs, |one, other| one + other),
        ),
        to_all(
            "co_min",
            |how, input| with_own(input, |values| how.co_min(values)),
            |input| pending(co_min_async(input.own().to_vec()), row),
            |inputs| everywhere(inputs, least),
        ),
        to_all(
            "co_max",
            |how, input| with_own(input, |values| how.co_max(values)),
            |input| pending(co_max_async(input.own().to_vec()), row),
            |inputs| everywhere(inputs, most),
        ),
        to_one(
            "co_sum_to",
            |how, input| with_own(input, |values| how.co_sum_to(values, input.root)),
            |input| pending(co_sum_to_async(input.own().to_vec(), input.root), row),
            |inputs| on_root(inputs, |one, other| one + other),
        ),
        to_one(
            "co_min_to",
            |how, input| with_own(input, |values| how.co_min_to(values, input.root)),
            |input| pending(co_min_to_async(input.own().to_vec(), input.root), row),
            |inputs| on_root(inputs, least),
        ),
        to_one(
            "co_max_to",
            |how, input| with_own(input, |values| how.co_max_to(values, input.root)),
            |input| pending(co_max_to_async(input.own().to_vec(), input.root), row),
            |inputs| on_root(inputs, most),
        ),
    ];
    let add = joins!(T, |one, other| one + other, false);
    [sums.to_vec(), add, movement::of_all()].concat()
}

/// What is done with floats, of which `total` gives the sum of any number, rounded once.
pub fn of_floats<T: Element + Num + PartialOrd + Addend>(
    total: fn(&[Input<T>]) -> Vec<Output<T>>,
) -> Vec<Subject<T>> {
    let sum = Subject {
        kind: Kind::SumReproducible,
        ..to_all(
            "co_sum_reproducible",
            |how, input| with_own(input, |values| how.co_sum_reproducible(values)),
            |input| pending(co_sum_reproducible_async(input.own().to_vec()), row),
            |inputs| everywhere(inputs, |one, other| one + other),
        )
    };
    let total = Subject {
        kind: Kind::TotalReproducible,
        ..to_all(
            "co_total_reproducible",
            |how, input| vec![vec![how.co_total_reproducible(input.own())]],
            |input| {
                pending(co_total_reproducible_async(input.own()), |sum| {
                    row(vec![sum])
                })
            },
            total,
        )
    };
    [of_numbers(), vec![sum, total]].concat()
}

/// The total of all elements, for all images.
pub fn total<T: Element>(inputs: &[Input<T>], of: impl Fn(&[T]) -> T) -> Vec<Output<T>> {
    let all: Vec<T> = inputs
        .iter()
        .flat_map(|input| input.own().iter().copied())
        .collect();
    vec![vec![vec![of(&all)]]; inputs.len()]
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
    run: fn(Collective, &Input<T>) -> Output<T>,
    start: fn(&Input<T>) -> Pending<T>,
    outcome: fn(&[Input<T>]) -> Vec<Output<T>>,
) -> Subject<T> {
    Subject {
        name,
        kind: Kind::Reduce,
        is_ordered: false,
        is_rooted: false,
        is_dealt: false,
        run,
        start,
        outcome,
    }
}

/// An operation whose result one image gets.
pub fn to_one<T>(
    name: &'static str,
    run: fn(Collective, &Input<T>) -> Output<T>,
    start: fn(&Input<T>) -> Pending<T>,
    outcome: fn(&[Input<T>]) -> Vec<Output<T>>,
) -> Subject<T> {
    Subject {
        kind: Kind::ReduceTo,
        is_rooted: true,
        ..to_all(name, run, start, outcome)
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
