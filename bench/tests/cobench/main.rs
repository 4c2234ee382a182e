//! `cobench` and the kernels as their users start them. Nothing is said about how fast anything is.

mod busy;
mod command_line;
mod fabrics;
mod kernels;
mod model;
mod run;
