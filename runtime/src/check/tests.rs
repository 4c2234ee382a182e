//! The shadow and clocks against a model that keeps every access.

use std::cell::{Cell, RefCell};

use crate::check::clock::Clock;
use crate::check::shadow::{Granule, Judge, Shadow, Span};
use crate::check::stamp::{Kind, Stamp};

const IMAGES: usize = 4;
const BYTES: usize = 48;
const STEPS: usize = 60;

/// How large programs are: their accesses are in few granules, or blocks are accessed as a whole.
const UNITS: [usize; 3] = [1, 50, 512];

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

/// What an image has not noted yet.
type Deferred = Vec<(Span, Stamp)>;

/// Notes what an image has deferred. Returns how many races it finds.
fn note(shadow: &Shadow, image: usize, clock: &Clock, deferred: &mut Deferred) -> usize {
    let judge = Recording {
        image,
        clock,
        conflicts: RefCell::default(),
    };
    let mut rest = Cell::from_mut(&mut deferred[..]).as_slice_of_cells();
    while !rest.is_empty() {
        let before = *judge.conflicts.borrow();
        let noted = shadow.note_some(rest, &judge, || *judge.conflicts.borrow() > before);
        rest = &rest[noted..];
    }
    deferred.clear();
    judge.conflicts.into_inner()
}

/// Random accesses, and releases from one image to another, until the first race; or with accesses that are noted late, until the end.
fn run(seed: u64, defers: bool) -> bool {
    let mut numbers = Numbers(seed);
    let unit = UNITS[numbers.below(UNITS.len())];
    let bytes = BYTES * unit;
    let mut deferred: [Deferred; IMAGES] = Default::default();
    let (mut races_so_far, mut found_so_far) = (false, 0);
    let shadow = Shadow::new(IMAGES, 1 << 20);
    let mut clocks: Vec<Clock> = (0..IMAGES).map(|image| Clock::of(image, IMAGES)).collect();
    let mut accesses: Vec<(Stamp, Span)> = Vec::new();
    // Some programs synchronise a lot, and some little.
    let rarely = 2 + numbers.below(4);
    for step in 0..STEPS {
        let image = numbers.below(IMAGES);
        if numbers.below(rarely) > 0 {
            let (from, to) = (image, numbers.below(IMAGES));
            for image in [from, to] {
                found_so_far += note(&shadow, image, &clocks[image], &mut deferred[image]);
            }
            let told = clocks[from].clone();
            clocks[to].join(&told);
            clocks[from].advance(from);
            continue;
        }
        let target = numbers.below(2);
        let is_even = numbers.below(2) == 0;
        let step_by = if is_even { unit } else { 1 };
        let length = (1 + numbers.below(20 * unit)).next_multiple_of(step_by);
        let offset = numbers.below(bytes - length) / step_by * step_by;
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
        let is_deferred = defers && numbers.below(4) > 0;
        match is_deferred {
            true => deferred[image].push((span, mine)),
            false => shadow.note(span, mine, &judge),
        }
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
        if !defers {
            assert_eq!(found > 0, races, "seed {seed}, step {step}");
            if races {
                return true;
            }
        }
        races_so_far |= races;
        found_so_far += found;
        accesses.push((mine, span));
    }
    for image in 0..IMAGES {
        found_so_far += note(&shadow, image, &clocks[image], &mut deferred[image]);
    }
    assert_eq!(found_so_far > 0, races_so_far, "seed {seed}");
    races_so_far
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
    let races = (0..2000).filter(|&seed| run(seed, false)).count();
    // Both kinds of programs were among them.
    assert!((200..1900).contains(&races), "{races}");
}

#[test]
fn accesses_may_be_noted_any_time_before_the_image_tells_or_learns_something() {
    let races = (0..2000).filter(|&seed| run(seed, true)).count();
    assert!((200..1900).contains(&races), "{races}");
}
