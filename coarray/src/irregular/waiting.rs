//! Waiting for what arrives by any of several conveyors.

use std::hint::spin_loop;
use std::panic::Location;

use coarray_runtime::ImageFailed;

use super::bell::Bell;

/// How often an image that has more to push looks for room before it sends packets that are not full, and sleeps.
const SPINS: u32 = 100;

/// An open conveyor, whatever its items are, for [`wait_any`].
///
/// # Examples
/// See [`wait_any`].
///
/// # Source
/// Its own.
pub trait Conveying: sealed::Conveying {}

pub(super) mod sealed {
    use super::Bell;

    /// What a conveyor has for its image.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum State {
        /// Something to pull, or room for what was refused.
        Ready,
        /// Nothing, for the time being.
        Waiting,
        /// Nothing ever more.
        Done,
    }

    #[allow(private_interfaces)]
    pub trait Conveying {
        fn state(&mut self) -> State;
        /// Whether the program does not know that it is done; it does from now on.
        fn tell_done(&mut self) -> bool;
        fn is_refused(&self) -> bool;
        fn is_behind(&self) -> bool;
        fn flush(&mut self);
        fn bell(&self) -> &Bell;
        fn opened(&self) -> &'static std::panic::Location<'static>;
    }
}

use sealed::State;

/// Local. Waits until one of these conveyors, which were created [beside](super::Conveyor::beside) each other, has something to pull or room for what
/// was refused, or all images have [finished](super::OpenConveyor::finish) it and it is empty. Returns false if that is so of all of them.
///
/// As [`OpenConveyor::wait`](super::OpenConveyor::wait), for several. Only what comes ends the wait: what the program can push or finish after what it has pulled, it does before.
///
/// # Panics
/// If there are none, or one was not created beside the first.
///
/// # Examples
/// Each image asks for values that others have:
/// ```
/// use coarray::irregular::{Conveyor, wait_any};
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let table = [10 * this_image(), 10 * this_image() + 1];
///     let mut questions = Conveyor::<[usize; 2]>::new(); // which value, and where the answer goes
///     let mut answers = Conveyor::<[usize; 2]>::beside(&questions);
///     let (mut asked, mut answered) = (questions.open(), answers.open());
///
///     let mut values = vec![0; 2 * num_images()];
///     let mut next = 0;
///     loop {
///         while next < values.len() && asked.push(next / 2, [next % 2, next]).is_ok() {
///             next += 1;
///         }
///         if next == values.len() {
///             asked.finish();
///         }
///         while asked.pull_if(|source, [index, place]| {
///             answered.push(source, [table[index], place]).is_ok()
///         }) {}
///         if asked.is_finished() {
///             answered.finish();
///         }
///         while let Some((_, [value, place])) = answered.pull() {
///             values[place] = value;
///         }
///         if !wait_any(&mut [&mut asked, &mut answered]) {
///             break;
///         }
///     }
///     assert_eq!(values, [0, 1, 10, 11, 20, 21]);
/// });
/// ```
///
/// # Source
/// The index gather of *bale*; Maley and DeVinney, IA3 2019.
#[track_caller]
pub fn wait_any(conveyors: &mut [&mut dyn Conveying]) -> bool {
    check(conveyors);
    wait(conveyors, Location::caller())
}

/// # Panics
/// If an image cannot wait for these together.
#[track_caller]
pub(super) fn check(conveyors: &[&mut dyn Conveying]) {
    let Some(first) = conveyors.first() else {
        panic!("a wait for no conveyor would never end");
    };
    let bell = std::ptr::from_ref(first.bell());
    for conveyor in conveyors.iter() {
        assert!(
            std::ptr::eq(conveyor.bell(), bell),
            "an image cannot wait for the conveyor opened at {} together with that opened at {}: create one beside the other, by \
             `Conveyor::beside`",
            conveyor.opened(),
            conveyors[0].opened()
        );
    }
}

/// Waits as [`wait_any`] says, at that line of the program.
pub(super) fn wait(
    conveyors: &mut [&mut dyn Conveying],
    caller: &'static Location<'static>,
) -> bool {
    try_wait(conveyors, caller).unwrap_or_else(|failed| {
        let first = &conveyors[0];
        first.bell().end_job(&failed, first.opened(), caller)
    })
}

/// # Errors
/// If images have failed or stopped, and nothing is there.
pub(super) fn try_wait(
    conveyors: &mut [&mut dyn Conveying],
    caller: &'static Location<'static>,
) -> Result<bool, ImageFailed> {
    let mut spins = SPINS;
    loop {
        let (mut is_done, mut is_news) = (true, false);
        for conveyor in &mut *conveyors {
            match conveyor.state() {
                State::Ready => return Ok(true),
                State::Waiting => is_done = false,
                State::Done => is_news |= conveyor.tell_done(),
            }
        }
        // That one is done may be what the program finishes another one for.
        if is_done || is_news {
            return Ok(!is_done);
        }
        if conveyors.iter().any(|conveyor| conveyor.is_behind()) {
            continue;
        }
        if spins > 0 && conveyors.iter().any(|conveyor| conveyor.is_refused()) {
            spins -= 1;
            spin_loop();
            continue;
        }
        conveyors.iter_mut().for_each(|conveyor| conveyor.flush());
        let opened = conveyors[0].opened();
        conveyors[0].bell().sleep(opened, caller)?;
    }
}
