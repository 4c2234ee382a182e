//! Puts in flight: they arrive as late as the memory model permits, or at a step that the schedule says, in any order.
//!
//! Nasty-MPI delays and reorders one-sided operations as the standard permits until a mistake shows: R. Kowalewski and K. Fürlinger, *Nasty-MPI: debugging
//! synchronization errors in MPI-3 one-sided applications*, Euro-Par 2016.

use std::collections::HashMap;

use coarray_fabric::direct;

use super::generator::Generator;
use super::history::{Event, History};
use super::plan::{Anchored, Deviation};

/// One put of so many is delayed by chance.
const ONE_OF: u64 = 4;

/// Bytes in the part of an image.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The image.
    pub image: usize,
    /// Where they begin.
    pub offset: usize,
    /// How many they are.
    pub length: usize,
}

impl Reach {
    fn overlaps(self, other: Self) -> bool {
        self.image == other.image
            && self.offset < other.offset + other.length
            && other.offset < self.offset + self.length
    }
}

/// Which puts in flight arrive.
#[derive(Clone, Copy, Debug)]
pub enum Arriving {
    /// All.
    All,
    /// Those to this image.
    To(usize),
    /// Those to some of these bytes.
    At(Reach),
    /// None.
    None,
}

#[derive(Debug)]
struct Flight {
    /// That it arrives.
    arrival: Event,
    reach: Reach,
    place: Place,
    bytes: Box<[u8]>,
    until: Option<u64>,
}

/// Where a put goes.
#[derive(Debug)]
struct Place(*mut u8);

// SAFETY: whoever made it vouches that bytes can be written there while images of the job run, by any of its threads.
unsafe impl Send for Place {}

/// Which puts are late, and how late.
#[derive(Debug)]
pub(super) enum Delays {
    Never,
    /// By chance, in a run of about so many steps.
    Seeded(Generator, u64),
    /// These.
    Replay(HashMap<u64, Option<u64>>),
    /// These, by image and the number among its puts.
    Follow(HashMap<(usize, u64), Option<u64>>),
}

impl Delays {
    pub(super) fn replay(deviations: &[Deviation]) -> Self {
        let delays = deviations.iter().filter_map(|deviation| match *deviation {
            Deviation::Delay { put, until } => Some((put, until)),
            Deviation::Switch { .. } => None,
        });
        Self::Replay(delays.collect())
    }

    pub(super) fn follow(deviations: &[Anchored]) -> Self {
        let delays = deviations.iter().filter_map(|deviation| match *deviation {
            Anchored::Delay { from, put, until } => Some(((from, put), until)),
            Anchored::Switch { .. } => None,
        });
        Self::Follow(delays.collect())
    }

    /// Whether the put of this number is late, which is an image's of that number: until when.
    fn decide(&mut self, put: u64, own: (usize, u64), step: u64) -> Option<Option<u64>> {
        match self {
            Self::Never => None,
            Self::Seeded(generator, steps) => (generator.below(ONE_OF) == 0).then(|| {
                // As late as it may be is what most mistakes need.
                let is_latest = generator.below(2) == 0;
                (!is_latest).then(|| step + 1 + generator.below(*steps))
            }),
            Self::Replay(delays) => delays.get(&put).copied(),
            Self::Follow(delays) => delays.get(&own).copied(),
        }
    }
}

/// The puts in flight of a job.
#[derive(Debug)]
pub(super) struct InFlight {
    delays: Delays,
    puts: u64,
    /// By each image.
    own_puts: Vec<u64>,
    flights: Vec<Flight>,
}

impl InFlight {
    pub(super) fn new(images: usize, delays: Delays) -> Self {
        Self {
            delays,
            puts: 0,
            own_puts: vec![0; images],
            flights: Vec::new(),
        }
    }

    /// Keeps a put in flight, if it is to be late: then that is how the schedule deviates. `arrival` is what will be noted of it.
    ///
    /// # Safety
    /// As many bytes can be written at `place`, as [`direct`] allows, as long as images of the job run. Whoever reads them, or frees them,
    /// makes the put [arrive](Self::arrive) before.
    pub(super) unsafe fn keep(
        &mut self,
        arrival: Event,
        reach: Reach,
        place: *mut u8,
        bytes: &[u8],
    ) -> Option<(Deviation, Anchored)> {
        self.puts += 1;
        let (put, from) = (self.puts, arrival.image);
        self.own_puts[from] += 1;
        let own = self.own_puts[from];
        let until = self.delays.decide(put, (from, own), arrival.step)?;
        self.flights.push(Flight {
            arrival,
            reach,
            place: Place(place),
            bytes: bytes.into(),
            until,
        });
        let anchored = Anchored::Delay {
            from,
            put: own,
            until,
        };
        Some((Deviation::Delay { put, until }, anchored))
    }

    /// Has these puts of an image arrive, in their order. Returns whether others of it are still in flight.
    pub(super) fn arrive(&mut self, from: usize, which: Arriving, history: &mut History) -> bool {
        if self.flights.is_empty() {
            return false;
        }
        let arrives = |flight: &Flight| {
            flight.arrival.image == from
                && match which {
                    Arriving::All => true,
                    Arriving::To(image) => flight.reach.image == image,
                    Arriving::At(reach) => flight.reach.overlaps(reach),
                    Arriving::None => false,
                }
        };
        self.take(arrives, history);
        self.flights
            .iter()
            .any(|flight| flight.arrival.image == from)
    }

    /// Whether one of them goes to some of these bytes.
    pub(super) fn reaches(&self, reach: Reach) -> bool {
        self.flights
            .iter()
            .any(|flight| flight.reach.overlaps(reach))
    }

    /// Has those arrive whose step has come.
    pub(super) fn come_to(&mut self, step: u64, history: &mut History) {
        if !self.flights.is_empty() {
            let is_due = |flight: &Flight| flight.until.is_some_and(|until| until <= step);
            self.take(is_due, history);
        }
    }

    /// Has the oldest arrive; returns whether there was one.
    pub(super) fn arrive_one(&mut self, history: &mut History) -> bool {
        let is_any = !self.flights.is_empty();
        if is_any {
            self.flights.remove(0).arrive(history);
        }
        is_any
    }

    /// Forgets those of an image that is over.
    pub(super) fn forget(&mut self, from: usize) {
        self.flights.retain(|flight| flight.arrival.image != from);
    }

    fn take(&mut self, arrives: impl Fn(&Flight) -> bool, history: &mut History) {
        let (arrived, left) = self.flights.drain(..).partition(|flight| arrives(flight));
        self.flights = left;
        let arrived: Vec<Flight> = arrived;
        arrived
            .into_iter()
            .for_each(|flight| flight.arrive(history));
    }
}

impl Flight {
    fn arrive(self, history: &mut History) {
        let Self {
            arrival,
            place,
            bytes,
            ..
        } = self;
        history.note(arrival);
        // SAFETY: `keep` was promised that the place can be written while images of the job run, of which one has the turn and is here. The
        // source has as many bytes, and is this function's own.
        unsafe { direct::copy(place.0, bytes.as_ptr(), bytes.len()) }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::UnsafeCell;

    use super::*;

    /// Which of the bytes at these offsets of image 1 have arrived.
    struct Memory([UnsafeCell<u8>; 8]);

    impl Memory {
        fn new() -> Self {
            Self([(); 8].map(|()| UnsafeCell::new(0)))
        }

        fn put(&self, flights: &mut InFlight, image: usize, offset: usize) -> Option<Deviation> {
            let reach = Reach {
                image,
                offset,
                length: 1,
            };
            let arrival = Event {
                step: 10,
                image: 0,
                what: "arrival",
                site: None,
            };
            // SAFETY: the bytes are in cells of this thread, and live as long as the flights of the tests.
            let kept = unsafe { flights.keep(arrival, reach, self.0[offset].get(), &[1]) };
            kept.map(|(deviation, _)| deviation)
        }

        fn arrived(&self) -> Vec<usize> {
            // SAFETY: as in `put`.
            let has = |offset: &usize| unsafe { self.0[*offset].get().read() } == 1;
            (0..8).filter(has).collect()
        }
    }

    fn late(puts: &[(u64, Option<u64>)]) -> InFlight {
        InFlight::new(1, Delays::Replay(puts.iter().copied().collect()))
    }

    #[test]
    fn the_puts_of_the_schedule_are_late() {
        let (memory, mut flights) = (Memory::new(), late(&[(2, None), (3, Some(12))]));
        let history = &mut History::default();
        let deviations = [0, 1, 2].map(|offset| memory.put(&mut flights, 1, offset));
        let text = deviations.map(|it| it.map(|it| it.to_string()));
        assert_eq!(text, [None, Some("d2".into()), Some("d3@12".into())]);
        flights.come_to(11, history);
        assert_eq!(memory.arrived(), []);
        flights.come_to(12, history);
        assert_eq!(memory.arrived(), [2]);
        assert!(flights.arrive_one(history));
        assert!(!flights.arrive_one(history));
        assert_eq!(history.events().len(), 2);
        assert_eq!(memory.arrived(), [1, 2]);
    }

    #[test]
    fn those_arrive_that_must() {
        let (memory, mut flights) = (Memory::new(), late(&[1, 2, 3, 4].map(|put| (put, None))));
        let history = &mut History::default();
        for (image, offset) in [(1, 0), (2, 1), (1, 2), (1, 3)] {
            memory.put(&mut flights, image, offset);
        }
        let at = |offset, length| {
            Arriving::At(Reach {
                image: 1,
                offset,
                length,
            })
        };
        assert!(flights.arrive(0, at(1, 1), history), "of image 2");
        assert_eq!(memory.arrived(), []);
        flights.arrive(0, at(1, 2), history);
        assert_eq!(memory.arrived(), [2]);
        flights.arrive(1, Arriving::All, history);
        assert_eq!(memory.arrived(), [2], "of another image");
        assert!(flights.arrive(0, Arriving::To(1), history));
        assert_eq!(memory.arrived(), [0, 2, 3]);
        assert!(!flights.arrive(0, Arriving::All, history));
        assert_eq!(memory.arrived(), [0, 1, 2, 3]);
    }

    #[test]
    fn a_quarter_is_late_by_chance_and_the_same_ones_for_a_seed() {
        let late = |seed| {
            let memory = Memory::new();
            let mut flights = InFlight::new(1, Delays::Seeded(Generator::new(seed), 20));
            let put = |_| memory.put(&mut flights, 1, 0);
            (0..400).map(put).collect::<Vec<_>>()
        };
        let count = late(3).iter().flatten().count();
        assert!((60..140).contains(&count), "{count}");
        assert_eq!(late(3), late(3));
        assert_ne!(late(3), late(4));
    }
}
