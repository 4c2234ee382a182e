//! Schedules: images that are threads run one at a time, in an order that a strategy chooses and that can be repeated.
//!
//! * `plan.rs`: a schedule as its few deviations from "go on until blocked, then the next image", and as text.
//! * `strategy.rs`: who runs next, by PCT, at random, in turn, or as a schedule says.
//! * `scheduler.rs`: the image that runs has the turn, and offers it at *points*; `turn.rs` hands it over. `accesses.rs`: which puts and gets are points.
//! * `state.rs`, `standing.rs`: why an image does not run, whether it can go on, and who does; time is virtual, so that nobody sleeps.
//! * `polling.rs`: images that read the same again and again.
//! * `in_flight.rs`: puts that arrive, and asynchronous atomic operations that take effect, as late as the memory model permits.
//! * `history.rs`: what happened, to compare runs and to tell of them.
//! * `shrink.rs`, `shorten.rs`: the fewest deviations that fail in the same way.
//!
//! Schedules are preempted at synchronisations, since puts and gets are checked for races meanwhile: M. Musuvathi and others, *Finding and
//! reproducing Heisenbugs in concurrent programs* (CHESS), OSDI 2008. Where accesses race, and may, they are preempted as well: B. Blum and
//! G. Gibson, *Stateless model checking with data-race preemption points* (QuickSand), OOPSLA 2016.

mod accesses;
mod delays;
mod generator;
mod history;
mod in_flight;
mod plan;
mod polling;
mod scheduler;
mod shorten;
mod shrink;
mod standing;
mod state;
mod strategy;
mod turn;

pub use accesses::Accesses;
pub use generator::Generator;
pub use history::{Event, Handover, History, Line, Site};
pub use in_flight::{Arriving, CarryOut, FlightNumber, Issue, Reach};
pub use plan::{Anchored, Deviation, Late, ScheduleError, SchedulePlan};
pub use scheduler::{Exploration, Scheduler};
pub use shorten::shorten;
pub use shrink::shrink;
pub use state::Stuck;
pub use strategy::Strategy;
