//! Operations in flight: puts arrive, and asynchronous atomic operations take effect, as late as the memory model permits, or at a step that the schedule
//! says, in any order.
//!
//! Nasty-MPI delays and reorders one-sided operations as the standard permits until a mistake shows: R. Kowalewski and K. Fürlinger, *Nasty-MPI: debugging
//! synchronization errors in MPI-3 one-sided applications*, Euro-Par 2016.

use std::fmt;

use coarray_fabric::system::controlled::uncontrolled;

use super::delays::Delays;
use super::history::{Event, History};
use super::plan::{Anchored, Deviation, Late};

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

/// Which operations in flight arrive.
#[derive(Clone, Copy, Debug)]
pub enum Arriving {
    /// All.
    All,
    /// Those on this image.
    To(usize),
    /// Those on some of these bytes.
    At(Reach),
    /// Those on this image that are over when their image has waited for one of them: all but plain puts.
    Awaited(usize),
    /// Those that can be waited for, when their image has not, but looks whether they are complete.
    Polled,
    /// None.
    None,
}

/// An operation that may be late.
#[derive(Clone, Copy, Debug)]
pub struct Issue {
    /// Its kind.
    pub late: Late,
    /// Whether its image can wait until it has arrived.
    pub is_awaited: bool,
    /// Whether it changes anything.
    pub acts: bool,
    /// The bytes that it is about.
    pub reach: Reach,
}

/// What is done when an operation arrives. It waits for no image.
pub struct CarryOut(pub Box<dyn FnOnce() + Send>);

impl CarryOut {
    /// Does it, for the image that has the turn. The scheduler is not to be asked meanwhile.
    pub(super) fn carry_out(self) {
        let Self(carry_out) = self;
        uncontrolled(carry_out);
    }
}

impl fmt::Debug for CarryOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CarryOut").finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Flight {
    number: FlightNumber,
    /// That it arrives.
    arrival: Event,
    issue: Issue,
    /// In this order, with the bytes that each is about.
    parts: Vec<(Reach, CarryOut)>,
    until: Option<u64>,
}

/// Tells an operation in flight from all others of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlightNumber(usize);

/// What is in flight in a job.
#[derive(Debug)]
pub(super) struct InFlight {
    delays: Delays,
    /// How many operations of each kind there were by each image.
    issued: [Vec<u64>; 2],
    /// How many were late.
    late: usize,
    flights: Vec<Flight>,
}

impl InFlight {
    pub(super) fn new(images: usize, delays: Delays) -> Self {
        Self {
            delays,
            issued: [Late::Put, Late::Atomic].map(|_| vec![0; images]),
            late: 0,
            flights: Vec::new(),
        }
    }

    /// Keeps an operation in flight, if it is to be late: then that is how the schedule deviates. `arrival` is what will be noted of it; `carry_out` returns what is
    /// done then.
    pub(super) fn keep(
        &mut self,
        arrival: Event,
        issue: Issue,
        carry_out: impl FnOnce() -> CarryOut,
    ) -> Option<(FlightNumber, (Deviation, Anchored))> {
        let (late, from) = (issue.late, arrival.image);
        let issued = &mut self.issued[late as usize];
        issued[from] += 1;
        let (number, own) = (issued.iter().sum(), issued[from]);
        let until = self
            .delays
            .decide(late, number, (from, own), arrival.step)?;
        self.late += 1;
        let flight = FlightNumber(self.late);
        self.flights.push(Flight {
            number: flight,
            arrival,
            issue,
            parts: vec![(issue.reach, carry_out())],
            until,
        });
        let anchored = Anchored::Delay {
            late,
            from,
            number: own,
            until,
        };
        let deviation = Deviation::Delay {
            late,
            number,
            until,
        };
        Some((flight, (deviation, anchored)))
    }

    /// Adds to an operation in flight what is done after it; returns false if it has arrived.
    pub(super) fn extend(
        &mut self,
        flight: FlightNumber,
        reach: Reach,
        carry_out: impl FnOnce() -> CarryOut,
    ) -> bool {
        let mut flights = self.flights.iter_mut();
        let kept = flights.find(|other| other.number == flight);
        kept.map(|kept| kept.parts.push((reach, carry_out())))
            .is_some()
    }

    /// Has these operations of an image arrive, in their order. Returns whether others of it are still in flight.
    pub(super) fn arrive(&mut self, from: usize, which: Arriving, history: &mut History) -> bool {
        if self.flights.is_empty() {
            return false;
        }
        self.take(|flight| flight.arrives(from, which), history);
        self.has(from, Arriving::All)
    }

    /// Whether one of them is about some of these bytes.
    pub(super) fn reaches(&self, reach: Reach) -> bool {
        self.flights.iter().any(|flight| flight.overlaps(reach))
    }

    /// Whether an image has any of these.
    pub(super) fn has(&self, from: usize, which: Arriving) -> bool {
        self.flights
            .iter()
            .any(|flight| flight.arrives(from, which))
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
    /// Whether it is one of these, of an image.
    fn arrives(&self, from: usize, which: Arriving) -> bool {
        let Issue {
            late,
            is_awaited,
            reach: Reach { image, .. },
            ..
        } = self.issue;
        self.arrival.image == from
            && match which {
                Arriving::All => true,
                Arriving::To(target) => image == target,
                Arriving::At(reach) => self.overlaps(reach),
                Arriving::Awaited(target) => {
                    image == target && (is_awaited || late == Late::Atomic)
                }
                Arriving::Polled => is_awaited,
                Arriving::None => false,
            }
    }

    fn overlaps(&self, reach: Reach) -> bool {
        self.parts.iter().any(|(part, _)| part.overlaps(reach))
    }

    fn arrive(self, history: &mut History) {
        history.note(self.arrival);
        for (_, part) in self.parts {
            part.carry_out();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::super::generator::Generator;
    use super::*;

    /// Which of the bytes at these offsets have arrived.
    #[derive(Default)]
    struct Memory(Arc<[AtomicBool; 8]>);

    fn at(image: usize, offset: usize, length: usize) -> Reach {
        Reach {
            image,
            offset,
            length,
        }
    }

    impl Memory {
        fn issue(&self, flights: &mut InFlight, issue: Issue) -> Option<(FlightNumber, Deviation)> {
            let arrival = Event {
                step: 10,
                image: 0,
                what: "arrival",
                site: None,
            };
            let kept = flights.keep(arrival, issue, || self.set(issue.reach.offset));
            kept.map(|(flight, (deviation, _))| (flight, deviation))
        }

        fn put(&self, flights: &mut InFlight, image: usize, offset: usize) -> Option<Deviation> {
            let put = Issue {
                late: Late::Put,
                is_awaited: false,
                acts: true,
                reach: at(image, offset, 1),
            };
            self.issue(flights, put).map(|(_, deviation)| deviation)
        }

        fn set(&self, offset: usize) -> CarryOut {
            let Self(memory) = self;
            let memory = Arc::clone(memory);
            CarryOut(Box::new(move || {
                memory[offset].store(true, Ordering::Relaxed);
            }))
        }

        fn arrived(&self) -> Vec<usize> {
            let has = |offset: &usize| self.0[*offset].load(Ordering::Relaxed);
            (0..8).filter(has).collect()
        }
    }

    fn late(late: Late, numbers: &[(u64, Option<u64>)]) -> InFlight {
        let delays = numbers
            .iter()
            .map(|&(number, until)| ((late, number), until));
        InFlight::new(1, Delays::Replay(delays.collect()))
    }

    #[test]
    fn the_puts_of_the_schedule_are_late() {
        let mut flights = late(Late::Put, &[(2, None), (3, Some(12))]);
        let (memory, history) = (Memory::default(), &mut History::default());
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
        let mut flights = late(Late::Put, &[1, 2, 3, 4].map(|put| (put, None)));
        let (memory, history) = (Memory::default(), &mut History::default());
        for (image, offset) in [(1, 0), (2, 1), (1, 2), (1, 3)] {
            memory.put(&mut flights, image, offset);
        }
        assert!(
            flights.arrive(0, Arriving::At(at(1, 1, 1)), history),
            "of image 2"
        );
        assert_eq!(memory.arrived(), []);
        flights.arrive(0, Arriving::At(at(1, 1, 2)), history);
        assert_eq!(memory.arrived(), [2]);
        flights.arrive(1, Arriving::All, history);
        assert_eq!(memory.arrived(), [2], "of another image");
        assert!(flights.arrive(0, Arriving::To(1), history));
        assert_eq!(memory.arrived(), [0, 2, 3]);
        assert!(!flights.arrive(0, Arriving::All, history));
        assert_eq!(memory.arrived(), [0, 1, 2, 3]);
    }

    #[test]
    fn who_waits_has_atomic_operations_take_effect_and_what_it_asks_for() {
        let mut flights = late(Late::Atomic, &[(1, None), (2, None), (3, None)]);
        let (memory, history) = (Memory::default(), &mut History::default());
        let issues = [(1, true), (1, false), (2, true)].into_iter().enumerate();
        let texts = issues.map(|(offset, (image, is_awaited))| {
            let issue = Issue {
                late: Late::Atomic,
                is_awaited,
                acts: true,
                reach: at(image, offset, 1),
            };
            let (_, deviation) = memory.issue(&mut flights, issue).unwrap();
            deviation.to_string()
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["a1", "a2", "a3"]);
        // Puts have numbers of their own.
        assert_eq!(memory.put(&mut flights, 1, 3), None);
        assert!(flights.has(0, Arriving::Awaited(2)));
        flights.arrive(0, Arriving::Awaited(2), history);
        assert_eq!(memory.arrived(), [2]);
        flights.arrive(0, Arriving::Polled, history);
        assert_eq!(memory.arrived(), [0, 2]);
        assert!(!flights.arrive(0, Arriving::Awaited(1), history));
        assert_eq!(memory.arrived(), [0, 1, 2]);
    }

    #[test]
    fn what_follows_a_put_in_flight_is_done_when_that_arrives_and_not_if_it_has() {
        let mut flights = late(Late::Put, &[(1, None)]);
        let (memory, history) = (Memory::default(), &mut History::default());
        let notified = Issue {
            late: Late::Put,
            is_awaited: true,
            acts: true,
            reach: at(1, 0, 1),
        };
        let (flight, _) = memory.issue(&mut flights, notified).unwrap();
        assert!(flights.extend(flight, at(1, 5, 1), || memory.set(5)));
        assert_eq!(memory.arrived(), []);
        flights.arrive(0, Arriving::At(at(1, 5, 1)), history);
        assert_eq!(memory.arrived(), [0, 5]);
        assert!(!flights.extend(flight, at(1, 6, 1), || memory.set(6)));
        assert_eq!(history.events().len(), 1);
    }

    #[test]
    fn a_quarter_is_late_by_chance_and_the_same_ones_for_a_seed() {
        let late = |seed| {
            let memory = Memory::default();
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
