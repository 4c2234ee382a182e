//! Coarrays of teams: symmetric in their team, indexed in it for ever, and apart from all others.

use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

use crate::choice;

/// What an image creates, drops and reads, one after the other.
#[derive(Clone, Debug)]
enum Step {
    /// Creates a coarray of so many values in the current team.
    Create(usize),
    /// Drops one of those that are left; each image another one, if the seed is odd.
    Drop(u64),
    /// Creates and drops a coarray of values that are reachable at any time.
    Shared(usize),
    /// Divides the current team, and does these steps in the parts.
    Divide(u64, Vec<Step>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let leaf = prop_oneof![
        4 => (1usize..2000).prop_map(Step::Create),
        2 => any::<u64>().prop_map(Step::Drop),
        1 => (1usize..50).prop_map(Step::Shared),
    ];
    let step = leaf.prop_recursive(2, 12, 5, |inner| {
        (any::<u64>(), prop::collection::vec(inner, 1..5))
            .prop_map(|(seed, steps)| Step::Divide(seed, steps))
    });
    prop::collection::vec(step, 1..12)
}

/// A coarray that holds on each image of its team a mark of that image.
struct Marked {
    coarray: Coarray<[u64]>,
    serial: u64,
    /// The images of its team, by their number in the job.
    images: Vec<usize>,
}

/// More than any walk creates.
const KEPT: usize = 512;

struct Walk {
    job_image: usize,
    live: Vec<Marked>,
    serial: u64,
}

impl Walk {
    /// Takes the steps in the current team, which consists of these images of the job.
    fn take(&mut self, steps: &[Step], images: &[usize]) {
        let before = self.live.len();
        for step in steps {
            match step {
                Step::Create(length) => self.create(*length, images),
                Step::Drop(seed) if self.live.len() > before => {
                    // Images may drop different coarrays: dropping is not collective.
                    let own = if seed & 1 == 1 {
                        self.job_image as u64
                    } else {
                        0
                    };
                    let index = mix(*seed, own) as usize % (self.live.len() - before);
                    // Marks are checked for all that are alive on this image; the others keep theirs.
                    drop(self.live.remove(before + index));
                }
                Step::Drop(_) => {}
                Step::Shared(length) => {
                    let counters = Coarray::<[_]>::from_fn(*length, |_| Coatomic::new(0usize));
                    counters.at(0)[length - 1].add(1);
                    sync_all();
                    assert_eq!(counters.at(0)[length - 1].load(), images.len());
                }
                Step::Divide(seed, inner) => {
                    let number = choice(*seed, this_image(), 2);
                    let team = Team::form(number);
                    let members: Vec<usize> = (0..images.len())
                        .filter(|&index| choice(*seed, index, 2) == number)
                        .map(|index| images[index])
                        .collect();
                    team.change(|| self.take(inner, &members));
                }
            }
            self.check_local();
        }
        self.check_remote(before);
    }

    fn create(&mut self, length: usize, images: &[usize]) {
        self.serial += 1;
        let mut coarray = Coarray::<[u64]>::zeroed(length);
        assert!(coarray.iter().all(|&value| value == 0), "not all zeros");
        coarray.fill(mix(self.serial, self.job_image as u64));
        self.live.push(Marked {
            coarray,
            serial: self.serial,
            images: images.to_vec(),
        });
    }

    fn check_local(&self) {
        for marked in &self.live {
            let mark = mix(marked.serial, self.job_image as u64);
            assert!(
                marked.coarray.iter().all(|&value| value == mark),
                "somebody else wrote here"
            );
        }
    }

    /// Reads the coarrays of this level on all images that still have them.
    fn check_remote(&mut self, before: usize) {
        // Only what all images of the team still have can be opened.
        let mut kept = [false; KEPT];
        for marked in &self.live[before..] {
            kept[marked.serial as usize] = true;
        }
        co_min(&mut kept);
        for marked in &mut self.live[before..] {
            if !kept[marked.serial as usize] {
                continue;
            }
            let open = marked.coarray.open();
            for (index, &image) in marked.images.iter().enumerate() {
                assert_eq!(open.at(index)[0].get(), mix(marked.serial, image as u64));
            }
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn coarrays_of_all_teams_keep_apart_and_are_read_by_index_in_their_team(
        setting in Setting::anywhere(),
        steps in steps(),
    ) {
        setting.run_in(16 << 20, || {
            let images: Vec<usize> = (0..num_images()).collect();
            let mut walk = Walk { job_image: this_image(), live: Vec::new(), serial: 0 };
            walk.take(&steps, &images);
        });
    }
}

#[test]
fn a_coarray_of_a_team_is_used_after_the_team_was_left() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let team = Team::form(this_image() as u64 % 2);
            let job_image = this_image();
            let mut x = team.change(|| Coarray::new(job_image));
            sync_all();
            let x = x.open();
            for index in 0..team.num_images() {
                assert_eq!(x.at(index).get(), team.in_parent(index));
            }
        });
    }
}

#[test]
fn a_coarray_of_the_parent_reaches_siblings_from_within_a_team() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut x = Coarray::new(this_image() * 11);
            let x = x.open();
            let team = Team::form(this_image() as u64 % 3);
            team.change(|| {
                for number in team.siblings() {
                    let image = team.sibling_in_parent(number, 0);
                    assert_eq!(x.at(image).get(), image * 11);
                }
            });
        });
    }
}
