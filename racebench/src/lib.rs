//! Small programs with and without races, and how many of them the race check judges rightly.
//!
//! A [`Case`] is a program of a few lines that all images run. Either the rules of [`coarray::memory_model`] order all that it
//! does, or they leave two of its lines unordered, which its source marks. [`trial`] runs a case under the check and compares
//! what is reported with the marks; [`score`] counts. `README.md` says how to run all, and how to add a case.

#![forbid(unsafe_code)]

pub mod case;
pub mod cases;
pub mod marks;
pub mod published;
pub mod report;
pub mod request;
pub mod score;
pub mod trial;

pub use case::{Case, Group};
