//! The shadow and clocks against a model that keeps every access.

use std::cell::RefCell;

use crate::check::clock::Clock;
use crate::check::shadow::{Granule, Judge, Shadow, Span};
use crate::check::stamp::{Kind, Stamp};

const IMAGES: usize = 4;
const BYTES: usize = 48;
const STEPS: usize = 60;

/// Numbers without a pattern, from a seed: `SplitMix64` (G. Steele and others, 2014).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }
}

struct Recording<'a> {
    image: usize,
    clock: &'a Clock,
    conflicts: RefCell<usize>,
}

impl Judge for Recording<'_> {
    fn covers(&self, earlier: Stamp, granule: Granule) -> bool {
        earlier.image() == self.image || self.clock.covers(earlier, granule)
    }

    fn conflict(&self, _: Stamp, _: Stamp, _: Granule) {
        *self.conflicts.borrow_mut() += 1;
    }

    fn finds(&self, _: Stamp, _: Stamp, _: Granule) {}
}

/// Whether two accesses are in conflict.
fn conflict(one: Stamp, other: Stamp) -> bool {
    one.image() != other.image()
        && (one.is_write() || other.is_write())
        && !(one.is_atomic() && other.is_atomic())
}

/// Random accesses, and releases from one image to another, until the first race.
fn run(seed: u64) -> bool {
    let mut numbers = Numbers(seed);
    let shadow = Shadow::new(IMAGES, 1 << 20);
    let mut clocks: Vec<Clock> = (0..IMAGES).map(|image| Clock::of(image, IMAGES)).collect();
    let mut accesses: Vec<(Stamp, Span)> = Vec::new();
    // Some programs synchronise a lot, and some little.
    let rarely = 2 + numbers.below(4);
    for step in 0..STEPS {
        let image = numbers.below(IMAGES);
        if numbers.below(rarely) > 0 {
            let (from, to) = (image, numbers.below(IMAGES));
            let told = clocks[from].clone();
            clocks[to].join(&told);
            clocks[from].advance(from);
            continue;
        }
        let target = numbers.below(2);
        let length = 1 + numbers.below(20);
        let offset = numbers.below(BYTES - length);
        let span = Span {
            image: target,
            offset,
            length,
        };
        let kind = [Kind::Put, Kind::Get, Kind::Get][numbers.below(3)];
        let mine = Stamp::new(image, clocks[image].time(image), step as u16, kind);
        let judge = Recording {
            image,
            clock: &clocks[image],
            conflicts: RefCell::default(),
        };
        shadow.note(span, mine, &judge);
        let races = accesses.iter().any(|&(earlier, of)| {
            let apart = of.offset + of.length <= offset || offset + length <= of.offset;
            of.image == target
                && !apart
                && conflict(earlier, mine)
                && !judge.covers(
                    earlier,
                    Granule {
                        image: target,
                        number: 0,
                    },
                )
        });
        let found = judge.conflicts.into_inner();
        assert_eq!(found > 0, races, "seed {seed}, step {step}");
        if races {
            return true;
        }
        accesses.push((mine, span));
    }
    false
}

#[test]
fn atomic_operations_do_not_hide_a_put_of_their_image() {
    let (shadow, clocks) = (
        Shadow::new(2, 1 << 20),
        [0, 1].map(|image| Clock::of(image, 2)),
    );
    let access = |image: usize, kind| {
        let judge = Recording {
            image,
            clock: &clocks[image],
            conflicts: RefCell::default(),
        };
        let span = Span {
            image: 0,
            offset: 8,
            length: 8,
        };
        shadow.note(span, Stamp::new(image, 1, 0, kind), &judge);
        judge.conflicts.into_inner()
    };
    let made = [Kind::Put, Kind::AtomicWrite, Kind::AtomicWrite].map(|kind| access(0, kind));
    assert_eq!((made, access(1, Kind::AtomicWrite)), ([0; 3], 1));
    assert_eq!(access(0, Kind::AtomicWrite), 0);
}

#[test]
fn the_first_race_is_found_where_a_list_of_all_accesses_finds_it() {
    let races = (0..4000).filter(|&seed| run(seed)).count();
    // Both kinds of programs were among them.
    assert!((400..3800).contains(&races), "{races}");
}
