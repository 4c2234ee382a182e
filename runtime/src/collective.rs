//! Collective operations of a team: barriers, the steps of an epoch, asynchronous collectives, and symmetric
//! allocation.

pub(crate) mod allocation;
pub(crate) mod awaiting;
pub(crate) mod barrier;
pub(crate) mod barrier_between_nodes;
pub(crate) mod by_fabric;
pub(crate) mod deferred_free;
pub(crate) mod describe;
pub(crate) mod end_of_program;
pub(crate) mod form_team;
pub(crate) mod in_place;
pub(crate) mod interference;
pub(crate) mod leader;
pub(crate) mod missing;
pub(crate) mod outstanding;
mod posting;
pub(crate) mod posts;
pub(crate) mod posts_between_nodes;
pub(crate) mod request;
pub(crate) mod request_between_nodes;
mod stamped;
pub(crate) mod steps;
pub(crate) mod steps_between_nodes;
pub(crate) mod tuning;
