//! Runs of their own length on each image, among coarrays of the same length on all.

use std::panic::catch_unwind;

use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

use crate::{Marked, dawdle};

/// A run, and what this image wrote to it.
struct MarkedRun {
    run: Ragged<u32>,
    values: Vec<u32>,
}

impl MarkedRun {
    fn values(length: usize, seed: u64, image: usize) -> Vec<u32> {
        (0..length)
            .map(|index| mix(seed ^ image as u64, index as u64) as u32)
            .collect()
    }

    /// Gives the run another length, if there is room.
    fn replace(&mut self, length: usize, seed: u64) {
        self.values = Self::values(length, seed, this_image());
        if self
            .run
            .try_replace(length, |index| self.values[index])
            .is_err()
        {
            self.values.clear();
        }
    }

    fn check(&self) {
        assert_eq!(*self.run, self.values, "somebody else wrote here");
    }
}

/// The length of a run on this image.
fn length(seed: u64) -> usize {
    match mix(seed, this_image() as u64) {
        number if number % 5 == 0 => 0,
        number => (number % 2000) as usize,
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn runs_and_coarrays_that_come_and_go_among_each_other_keep_their_values(
        setting in Setting::anywhere(),
        steps in prop::collection::vec((0usize..6, any::<u64>()), 1..60),
    ) {
        let body = || {
            // Where there was no room even for an empty one, an image has none.
            let mut runs: Vec<Option<MarkedRun>> = Vec::new();
            let mut coarrays: Vec<Marked> = Vec::new();
            let mut refused = Vec::new();
            for (number, &(step, seed)) in steps.iter().enumerate() {
                let any = |count: usize| mix(seed, 1) as usize % count.max(1);
                match step {
                    0 if runs.len() < 5 => {
                        let run = catch_unwind(Ragged::empty).ok();
                        runs.push(run.map(|run| MarkedRun { run, values: Vec::new() }));
                    }
                    1 | 2 => {
                        let coarray = Coarray::<[u64]>::try_zeroed(any(1500)).ok();
                        refused.push(coarray.is_none());
                        coarrays.extend(coarray.map(|coarray| Marked::new(coarray, number)));
                    }
                    3 if !runs.is_empty() => drop(runs.swap_remove(any(runs.len()))),
                    4 if !coarrays.is_empty() => drop(coarrays.swap_remove(any(coarrays.len()))),
                    _ => {}
                }
                let which = any(runs.len());
                if let Some(Some(run)) = runs.get_mut(which) {
                    run.replace(length(seed), seed);
                }
                dawdle(seed);
                runs.iter().flatten().for_each(MarkedRun::check);
                coarrays.iter().for_each(Marked::check);
            }
            refused
        };
        let refused = setting.run_in(64 << 10, body);
        prop_assert!(refused.iter().all(|image| image == &refused[0]), "{refused:?}");
    }

    #[test]
    fn every_image_reaches_the_runs_of_all_others(
        setting in Setting::anywhere(),
        lengths in prop::collection::vec(prop_oneof![Just(0usize), 0usize..500], 8),
        seed: u64,
    ) {
        setting.run(|| {
            let values = |image: usize| MarkedRun::values(lengths[image], seed, image);
            let mine = values(this_image());
            let mut run = Ragged::from_fn(mine.len(), |index| mine[index]);
            let published = run.publish();
            for image in 0..num_images() {
                let expected = values(image);
                assert_eq!(published.at(image).to_vec(), expected);
                let is_here = setting.reaches(this_image(), image);
                assert_eq!(published.try_ref(image).is_some(), is_here);
                assert!(published.try_ref(image).is_none_or(|run| run == expected));
            }
            assert_eq!(*published, mine);
            published.close();
            let open = run.open();
            let right = (this_image() + 1) % num_images();
            for (index, place) in open.at(right).iter().enumerate() {
                place.put(index as u32);
            }
            open.close();
            assert!(run.iter().copied().eq(0..mine.len() as u32));
        });
    }
}

#[test]
fn a_run_that_is_replaced_gives_its_memory_back_at_once() {
    Setting::of(3).run_in(64 << 10, || {
        let mut run = Ragged::<u64>::empty();
        for round in 0..500u64 {
            run.replace(4000 + (round as usize + this_image()) % 7 * 500, |_| round);
            assert!(run.iter().all(|&value| value == round));
        }
    });
}

#[test]
fn a_run_that_does_not_fit_is_refused_on_its_image_and_is_empty_then() {
    Setting::of(2).run_in(64 << 10, || {
        let mut kept = Ragged::from_fn(1000, |index| index as u64);
        let mut run = Ragged::from_fn(10, |index| index as u64);
        if this_image() == 1 {
            let error = run
                .try_replace(9000, |_| unreachable!("no item is asked for"))
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("Ragged<u64>") && error.contains("COARRAY_HEAP"),
                "{error}"
            );
            assert!(
                error.contains("largest users:\n") && error.contains("7.8 KiB"),
                "{error}"
            );
            assert!(run.is_empty());
            let error = run
                .try_replace(usize::MAX, |_| unreachable!("no item is asked for"))
                .unwrap_err();
            assert!(
                matches!(
                    error,
                    coarray::AllocError::TooLarge {
                        length: usize::MAX,
                        ..
                    }
                ),
                "{error}"
            );
        }
        let open = run.open();
        assert_eq!((open.at(0).len(), open.at(1).len()), (10, 0));
        open.close();
        run.replace(20, |index| index as u64);
        assert!(kept.iter().copied().eq(0..1000) && run.iter().copied().eq(0..20));
        kept[0] = 1;
    });
}
