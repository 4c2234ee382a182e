//! Schedules that fail are found, shrunk, told and repeated; programs without a mistake have none.

mod clean;
mod mistakes;
mod speed;
