//! Every listing of sections 3 to 8 of T. A. Johnson, *Coarray C++*, PGAS 2013, with the result it states.

mod cofutures;
mod collectives;
mod image_synchronisation;
mod memory_model;
mod type_checking;
mod type_system;
