//! Operations that move elements as they are.

use coarray::Kind;

use crate::reductions::with_own;
use crate::subject::Subject;
use crate::values::Element;

/// What is done with elements of any type.
pub fn of_all<T: Element>() -> Vec<Subject<T>> {
    vec![Subject {
        name: "co_broadcast",
        kind: Kind::Broadcast,
        is_ordered: false,
        is_rooted: true,
        is_dealt: false,
        run: |how, input| with_own(input, |values| how.co_broadcast(values, input.root)),
        outcome: |inputs| {
            let root = &inputs[inputs[0].root];
            vec![vec![root.own().to_vec()]; inputs.len()]
        },
    }]
}
