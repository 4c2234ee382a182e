//! The parts of a program beside its computation.
//!
//! * [`command_line`] reads options, prints help, and ends the job in one line if there is something wrong;
//! * [`memory`] compares the memory that a problem needs with the available memory, before it is allocated;
//! * [`output`] writes files whole or not at all;
//! * [`progress`] shows how far a computation is, [`steps`] and [`shares`] where its time goes;
//! * [`canvas`] and [`chart`] draw pictures, [`histogram`] and [`plots`] draw distributions;
//! * [`random`] and [`checksum`] do not depend on which image does what;
//! * [`death`] kills an image, for others to survive.

pub mod canvas;
pub mod chart;
pub mod checksum;
pub mod command_line;
pub mod death;
pub mod histogram;
pub mod memory;
pub mod output;
pub mod plots;
pub mod progress;
pub mod random;
pub mod shares;
pub mod steps;
