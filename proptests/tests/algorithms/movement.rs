//! Operations that move elements as they are.

use coarray::asynchronous::{
    co_allgather_async, co_allgatherv_async, co_alltoall_async, co_alltoallv_async,
    co_broadcast_async, co_gather_async, co_gatherv_async, co_scatter_async, co_scatterv_async,
};
use coarray::collectives::Kind;

use crate::reductions::with_own;
use crate::subject::{Input, Output, Subject, pending};
use crate::values::Element;

/// What is done with elements of any type.
pub fn of_all<T: Element>() -> Vec<Subject<T>> {
    let broadcast = Subject {
        name: "co_broadcast",
        kind: Kind::Broadcast,
        is_ordered: false,
        is_rooted: true,
        is_dealt: false,
        run: |how, input| with_own(input, |values| how.co_broadcast(values, input.root)),
        start: |input| pending(co_broadcast_async(input.own().to_vec(), input.root), row),
        outcome: |inputs| vec![vec![root(inputs).own().to_vec()]; inputs.len()],
    };
    let gather = Subject {
        name: "co_gather",
        kind: Kind::Gather,
        run: |how, input| {
            let mut gathered =
                vec![T::element(1, 0); if input.is_root() { input.all() } else { 0 }];
            how.co_gather(input.own(), &mut gathered, input.root);
            vec![gathered]
        },
        start: |input| pending(co_gather_async(input.own().to_vec(), input.root), row),
        outcome: |inputs| on_root(inputs, vec![concat(inputs, Input::own)]),
        ..broadcast
    };
    let gatherv = Subject {
        name: "co_gatherv",
        run: |how, input| how.co_gatherv(input.some(input.root), input.root),
        start: |input| {
            pending(
                co_gatherv_async(input.some(input.root).to_vec(), input.root),
                rows,
            )
        },
        outcome: |inputs| {
            let rows = inputs.iter().map(|input| input.some(input.root).to_vec());
            let mut outputs = vec![Vec::new(); inputs.len()];
            outputs[inputs[0].root] = rows.collect();
            outputs
        },
        ..gather
    };
    let allgather = Subject {
        name: "co_allgather",
        kind: Kind::Allgather,
        is_rooted: false,
        run: |how, input| {
            let mut gathered = vec![T::element(1, 0); input.all()];
            how.co_allgather(input.own(), &mut gathered);
            vec![gathered]
        },
        start: |input| pending(co_allgather_async(input.own().to_vec()), row),
        outcome: |inputs| vec![vec![concat(inputs, Input::own)]; inputs.len()],
        ..broadcast
    };
    let allgatherv = Subject {
        name: "co_allgatherv",
        run: |how, input| how.co_allgatherv(input.some(0)),
        start: |input| pending(co_allgatherv_async(input.some(0).to_vec()), rows),
        outcome: |inputs| {
            let rows: Output<T> = inputs.iter().map(|input| input.some(0).to_vec()).collect();
            vec![rows; inputs.len()]
        },
        ..allgather
    };
    let scatter = Subject {
        name: "co_scatter",
        kind: Kind::Scatter,
        is_dealt: true,
        run: |how, input| {
            let mut mine = vec![T::element(1, 0); input.length];
            how.co_scatter(&input.parts_of_root(), &mut mine, input.root);
            vec![mine]
        },
        start: |input| pending(co_scatter_async(input.parts_of_root(), input.root), row),
        outcome: |inputs| each(inputs, |to| vec![root(inputs).part(to).to_vec()]),
        ..broadcast
    };
    let scatterv = Subject {
        name: "co_scatterv",
        run: |how, input| vec![how.co_scatterv(&input.rows_of_root(), input.root)],
        start: |input| pending(co_scatterv_async(input.rows_of_root(), input.root), row),
        outcome: |inputs| each(inputs, |to| vec![root(inputs).some(to).to_vec()]),
        ..scatter
    };
    let alltoall = Subject {
        name: "co_alltoall",
        kind: Kind::Alltoall,
        is_rooted: false,
        run: |how, input| {
            let mut received = vec![T::element(1, 0); input.all()];
            how.co_alltoall(input.parts(), &mut received);
            vec![received]
        },
        start: |input| pending(co_alltoall_async(input.parts().to_vec()), row),
        outcome: |inputs| each(inputs, |to| vec![concat(inputs, |input| input.part(to))]),
        ..scatter
    };
    let alltoallv = Subject {
        name: "co_alltoallv",
        run: |how, input| how.co_alltoallv(&input.rows()),
        start: |input| pending(co_alltoallv_async(input.rows()), rows),
        outcome: |inputs| {
            let of = |to| inputs.iter().map(move |input| input.some(to).to_vec());
            each(inputs, |to| of(to).collect())
        },
        ..alltoall
    };
    let alltoallv_into = Subject {
        name: "co_alltoallv_into",
        run: |how, input| {
            let parts = input.rows();
            let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
            // What was there before is gone, whether it was more or less.
            let mut received = vec![T::element(1, 0); input.length];
            let lengths = how.co_alltoallv_into(&parts.concat(), &lengths, &mut received);
            let mut rest = received.into_iter();
            let mut take = |length| rest.by_ref().take(length).collect();
            let mut received: Vec<Vec<T>> = lengths.into_iter().map(&mut take).collect();
            // More than the lengths say would be another row.
            received.extend((rest.len() > 0).then(|| rest.collect()));
            received
        },
        ..alltoallv
    };
    vec![
        broadcast,
        gather,
        gatherv,
        allgather,
        allgatherv,
        scatter,
        scatterv,
        alltoall,
        alltoallv,
        alltoallv_into,
    ]
}

impl<T: Element> Input<T> {
    fn is_root(&self) -> bool {
        self.me == self.root
    }

    /// How many elements all images have, or this one for all.
    fn all(&self) -> usize {
        self.images * self.length
    }

    /// The elements that the root deals out; none elsewhere.
    fn parts_of_root(&self) -> Vec<T> {
        if self.is_root() {
            self.parts().to_vec()
        } else {
            Vec::new()
        }
    }

    fn rows_of_root(&self) -> Vec<Vec<T>> {
        if self.is_root() {
            self.rows()
        } else {
            Vec::new()
        }
    }

    /// Some elements for each image.
    fn rows(&self) -> Vec<Vec<T>> {
        let some = |image| self.some(image).to_vec();
        (0..self.images).map(some).collect()
    }
}

/// One row.
pub fn row<T>(values: Vec<T>) -> Output<T> {
    vec![values]
}

/// Rows as they are.
fn rows<T>(rows: Vec<Vec<T>>) -> Output<T> {
    rows
}

fn root<T>(inputs: &[Input<T>]) -> &Input<T> {
    &inputs[inputs[0].root]
}

/// What each image gets.
fn each<T>(inputs: &[Input<T>], to: impl Fn(usize) -> Output<T>) -> Vec<Output<T>> {
    (0..inputs.len()).map(to).collect()
}

/// The root gets `output`, and the others an empty row.
fn on_root<T: Element>(inputs: &[Input<T>], output: Output<T>) -> Vec<Output<T>> {
    let mut outputs = vec![vec![Vec::new()]; inputs.len()];
    outputs[inputs[0].root] = output;
    outputs
}

fn concat<'a, T: Element>(inputs: &'a [Input<T>], of: impl Fn(&'a Input<T>) -> &'a [T]) -> Vec<T> {
    inputs
        .iter()
        .flat_map(|input| of(input).iter().copied())
        .collect()
}
