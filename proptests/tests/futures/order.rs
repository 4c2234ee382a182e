//! The operations of one image on the same place happen in the order of the program, however they are mixed.

use std::collections::VecDeque;
use std::mem;

use coarray::asynchronous::{Cofuture, async_scope};
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

/// Places that each image has to itself on each image.
const OWN: usize = 3;

#[derive(Clone, Copy, Debug)]
enum Step {
    Put,
    Get,
    PutAsync,
    GetAsync,
    PutAll,
    GetAll,
    Copy,
    Fence,
    Quiet,
    WaitForOldest,
    WaitForNewest,
    AskNewest,
    DropOldest,
    LeakOldest,
    Scope,
}

const STEPS: [Step; 15] = [
    Step::Put,
    Step::Get,
    Step::PutAsync,
    Step::GetAsync,
    Step::PutAll,
    Step::GetAll,
    Step::Copy,
    Step::Fence,
    Step::Quiet,
    Step::WaitForOldest,
    Step::WaitForNewest,
    Step::AskNewest,
    Step::DropOldest,
    Step::LeakOldest,
    Step::Scope,
];

/// An operation that was issued, and what it must return.
enum Issued<'a> {
    Put(Cofuture<'a, ()>),
    Get(Cofuture<'a, u64>, u64),
}

impl Issued<'_> {
    fn wait(self) {
        match self {
            Self::Put(put) => put.wait(),
            Self::Get(get, expected) => assert_eq!(get.wait(), expected),
        }
    }

    fn is_ready(&self) -> bool {
        match self {
            Self::Put(put) => put.is_ready(),
            Self::Get(get, _) => get.is_ready(),
        }
    }
}

/// A step, the number of an image and of one of the own places there, and a value.
type RawStep = (Step, usize, usize, u64);

/// What is in the places of an image, on each image, after the steps.
fn model(steps: &[RawStep], me: usize, images: usize) -> Vec<[u64; OWN]> {
    let mut places = vec![[0; OWN]; images];
    steps.iter().for_each(|step| apply(step, me, &mut places));
    places
}

fn apply(&(step, image, place, seed): &RawStep, me: usize, places: &mut [[u64; OWN]]) {
    let (image, value) = (image % places.len(), mix(seed, me as u64));
    match step {
        Step::Put | Step::PutAsync => places[image][place] = value,
        Step::PutAll | Step::Scope => places[image] = [value; OWN],
        Step::Copy => places[image][place] = places[image][(place + 1) % OWN],
        _ => {}
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn every_get_returns_what_was_put_before_it_in_the_program(
        setting in Setting::anywhere(),
        steps in prop::collection::vec(
            (prop::sample::select(&STEPS[..]), 0usize..8, 0..OWN, any::<u64>()),
            1..60,
        ),
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let mut coarray = Coarray::<[[u64; OWN]]>::zeroed(images);
            let open = coarray.open();
            let mut places = vec![[0; OWN]; images];
            let mut issued = VecDeque::new();
            for raw in &steps {
                let &(step, image, place, seed) = raw;
                let (image, value) = (image % images, mix(seed, me as u64));
                let all = &open.at(image)[me];
                let one = &all[place];
                let expected = places[image];
                apply(raw, me, &mut places);
                match step {
                    Step::Put => one.put(value),
                    Step::Get => assert_eq!(one.get(), expected[place]),
                    Step::PutAsync => issued.push_back(Issued::Put(one.put_async(value))),
                    Step::GetAsync => {
                        issued.push_back(Issued::Get(one.get_async(), expected[place]));
                    }
                    Step::PutAll => all.put_from(&[value; OWN]),
                    Step::GetAll => {
                        let mut seen = [0; OWN];
                        all.get_into(&mut seen);
                        assert_eq!(seen, expected);
                    }
                    Step::Copy => one.copy_from(&all[(place + 1) % OWN]),
                    Step::Fence => fence(image),
                    Step::Quiet => {
                        quiet();
                        assert!(issued.iter().all(Issued::is_ready));
                    }
                    Step::WaitForOldest => issued.pop_front().into_iter().for_each(Issued::wait),
                    Step::WaitForNewest => issued.pop_back().into_iter().for_each(Issued::wait),
                    Step::AskNewest => while issued.back().is_some_and(|newest| !newest.is_ready()) {},
                    Step::DropOldest => drop(issued.pop_front()),
                    Step::LeakOldest => mem::forget(issued.pop_front()),
                    Step::Scope => {
                        let (source, mut before, mut after) = ([value; OWN], [0; OWN], [0; OWN]);
                        async_scope(|scope| {
                            drop(all.get_into_async(&mut before, scope));
                            drop(all.put_from_async(&source, scope));
                            assert_eq!(*all.get_into_async(&mut after, scope).wait(), source);
                        });
                        assert_eq!((before, after), (expected, source));
                    }
                }
            }
            if me % 2 == 0 {
                issued.into_iter().for_each(Issued::wait);
            } else {
                mem::forget(issued);
            }
            open.close();
            for from in 0..images {
                assert_eq!(coarray[from], model(&steps, from, images)[me]);
            }
        });
    }
}

#[test]
fn blocking_operations_wait_for_those_issued_before_on_their_image() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let me = this_image();
            let mut coarray = Coarray::<[usize]>::zeroed(num_images());
            let open = coarray.open();
            for image in 0..num_images() {
                let place = &open.at(image)[me];
                let first = place.put_async(1);
                let seen = place.get_async();
                place.put(2);
                // On the way to another node it stays behind them.
                let are_complete = crate::is_complete(&first) && crate::is_complete(&seen);
                assert!(are_complete || setting.nodes > 1);
                assert_eq!((seen.wait(), place.get()), (1, 2));
            }
        });
    }
}
