//! Who goes on at each step.

use std::collections::HashMap;

use super::generator::Generator;
use super::plan::{Anchored, Deviation, Moment};

/// How schedules are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Images have priorities, by chance, and so many less one steps, by chance, at which the image that runs gets the lowest. A bug that
    /// takes so many ordered steps is found with a probability of at least `1 / (images × steps^(depth - 1))` in each schedule: S. Burckhardt and others, *A
    /// randomized scheduler with probabilistic guarantees of finding bugs*, ASPLOS 2010.
    Pct(u32),
    /// At each step any image that can go on, with the same probability.
    Random,
    /// The image that runs goes on, and at one step of so many, by chance, any other one that can.
    Walk(u32),
    /// At each step the next image that can go on.
    RoundRobin,
}

/// When an image goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) step: u64,
    /// The number of this chance to choose by a strategy; none if it is none. What is told to switch there does.
    pub(super) chance: Option<u64>,
    /// How far the one is that has had the turn.
    pub(super) moment: Moment,
}

/// Chooses in one run.
#[derive(Debug)]
pub(super) enum Chooser {
    Priorities {
        /// Of each image; the highest goes on.
        of: Vec<u64>,
        /// Chances at which priorities change, with the new ones, by chance.
        changes: Vec<(u64, u64)>,
    },
    Random(Generator),
    Walk(Generator, u64),
    RoundRobin,
    /// By these steps and images; otherwise as the plain schedule.
    Replay(HashMap<u64, usize>),
    /// When images are so far, each once.
    Follow(HashMap<Moment, usize>),
}

impl Chooser {
    /// For so many images, and a run with about so many chances to choose.
    pub(super) fn new(strategy: Strategy, images: usize, chances: u64, seed: u64) -> Self {
        let mut generator = Generator::new(seed);
        match strategy {
            Strategy::Pct(depth) => {
                let lows = u64::from(depth.saturating_sub(1));
                // The shuffle of R. Durstenfeld (*Algorithm 235*, CACM 7, 1964).
                let mut of: Vec<u64> = (0..images as u64).map(|image| lows + image).collect();
                for left in (1..images).rev() {
                    of.swap(left, generator.below(left as u64 + 1) as usize);
                }
                let change = |low| (1 + generator.below(chances.max(1)), low);
                let mut changes: Vec<(u64, u64)> = (0..lows).map(change).collect();
                changes.sort_unstable();
                Self::Priorities { of, changes }
            }
            Strategy::Random => Self::Random(generator),
            Strategy::Walk(one_of) => Self::Walk(generator, one_of.into()),
            Strategy::RoundRobin => Self::RoundRobin,
        }
    }

    /// As these deviations say.
    pub(super) fn replay(deviations: &[Deviation]) -> Self {
        let switches = deviations.iter().filter_map(|deviation| match *deviation {
            Deviation::Switch { step, image } => Some((step, image)),
            Deviation::Delay { .. } => None,
        });
        Self::Replay(switches.collect())
    }

    /// As these deviations say.
    pub(super) fn follow(deviations: &[Anchored]) -> Self {
        let switches = deviations.iter().filter_map(|deviation| match *deviation {
            Anchored::Switch { moment, to } => Some((moment, to)),
            Anchored::Delay { .. } => None,
        });
        Self::Follow(switches.collect())
    }

    /// The image that goes on, of those that can, which are at least one, by ascending number. The one of the moment has had the turn.
    pub(super) fn choose(&mut self, at: At, able: &[usize]) -> usize {
        let At {
            step,
            chance,
            moment,
        } = at;
        let last = moment.image;
        match (&mut *self, chance) {
            (Self::Replay(switches), _) => match switches.get(&step) {
                Some(image) if able.contains(image) => *image,
                _ => plain(last, able),
            },
            (Self::Follow(switches), _) => match switches.remove(&moment) {
                Some(image) if able.contains(&image) => image,
                _ => plain(last, able),
            },
            (_, None) => plain(last, able),
            (Self::Priorities { of, changes }, Some(chance)) => {
                while let Some(&(_, low)) = changes.first().filter(|(when, _)| *when <= chance) {
                    of[last] = low;
                    changes.remove(0);
                }
                let highest = able.iter().copied().max_by_key(|&image| of[image]);
                highest.unwrap_or(last)
            }
            (Self::Random(generator), _) => able[generator.below(able.len() as u64) as usize],
            (Self::Walk(generator, one_of), _) => {
                let stays = able.contains(&last) && generator.below(*one_of) != 0;
                let others = able.iter().copied().filter(|&image| image != last);
                let others: Vec<usize> = others.collect();
                match stays || others.is_empty() {
                    true => last,
                    false => others[generator.below(others.len() as u64) as usize],
                }
            }
            (Self::RoundRobin, _) => next(last, able),
        }
    }
}

/// Who goes on in the plain schedule: the last one if it can, else the next.
pub(super) fn plain(last: usize, able: &[usize]) -> usize {
    match able.contains(&last) {
        true => last,
        false => next(last, able),
    }
}

fn next(last: usize, able: &[usize]) -> usize {
    let after = able.iter().copied().find(|&image| image > last);
    after.unwrap_or(able[0])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::schedule::plan::Doing;

    fn at(step: u64, image: usize) -> At {
        let (points, offers, doing) = (0, 0, Doing::Point);
        let moment = Moment {
            image,
            points,
            offers,
            doing,
        };
        let chance = Some(step);
        At {
            step,
            chance,
            moment,
        }
    }

    /// The images of so many steps, at which all of `images` can go on.
    fn run(mut chooser: Chooser, images: usize, steps: u64) -> Vec<usize> {
        let able: Vec<usize> = (0..images).collect();
        let mut last = 0;
        let step = |step| {
            last = chooser.choose(at(step, last), &able);
            last
        };
        (1..=steps).map(step).collect()
    }

    #[test]
    fn the_same_seed_chooses_the_same() {
        for strategy in [
            Strategy::Pct(3),
            Strategy::Random,
            Strategy::Walk(8),
            Strategy::RoundRobin,
        ] {
            let chosen = |seed| run(Chooser::new(strategy, 4, 50, seed), 4, 50);
            assert_eq!(chosen(7), chosen(7), "{strategy:?}");
            let several: HashSet<_> = (0..20).map(chosen).collect();
            let differ = strategy != Strategy::RoundRobin;
            assert_eq!(several.len() > 1, differ, "{strategy:?}");
        }
    }

    #[test]
    fn pct_switches_less_often_than_its_depth_if_nobody_blocks() {
        for depth in [1, 2, 3, 5] {
            let switches = (0..200).map(|seed| {
                let chosen = run(Chooser::new(Strategy::Pct(depth), 4, 50, seed), 4, 60);
                chosen.windows(2).filter(|pair| pair[0] != pair[1]).count()
            });
            assert_eq!(switches.max(), Some(depth as usize - 1));
        }
    }

    #[test]
    fn pct_begins_with_every_image_and_changes_at_every_step() {
        let starts: HashSet<usize> = (0..100)
            .map(|seed| run(Chooser::new(Strategy::Pct(3), 4, 9, seed), 4, 1)[0])
            .collect();
        assert_eq!(starts.len(), 4);
        let changes: HashSet<usize> = (0..500)
            .filter_map(|seed| {
                let chosen = run(Chooser::new(Strategy::Pct(2), 2, 9, seed), 2, 9);
                chosen.windows(2).position(|pair| pair[0] != pair[1])
            })
            .collect();
        assert_eq!(changes.len(), 8);
    }

    #[test]
    fn a_replay_goes_on_until_a_deviation_that_is_possible() {
        let deviations = [(3, 2), (5, 9)].map(|(step, image)| Deviation::Switch { step, image });
        assert_eq!(run(Chooser::replay(&deviations), 3, 6), [0, 0, 2, 2, 2, 2]);
        let mut chooser = Chooser::replay(&[]);
        assert_eq!(chooser.choose(at(1, 1), &[0, 2]), 2);
        assert_eq!(chooser.choose(at(2, 2), &[0, 1]), 0);
    }

    #[test]
    fn where_a_strategy_has_no_chance_only_a_schedule_switches() {
        let deviations = [Deviation::Switch { step: 3, image: 2 }];
        let (mut round_robin, mut replay) = (Chooser::RoundRobin, Chooser::replay(&deviations));
        let no_chance = At {
            chance: None,
            ..at(3, 1)
        };
        assert_eq!(round_robin.choose(no_chance, &[0, 1, 2]), 1);
        assert_eq!(replay.choose(no_chance, &[0, 1, 2]), 2);
    }

    #[test]
    fn round_robin_lets_everybody_go_on() {
        let able = [0, 1, 2];
        assert_eq!(run(Chooser::RoundRobin, able.len(), 6), [1, 2, 0, 1, 2, 0]);
    }
}
