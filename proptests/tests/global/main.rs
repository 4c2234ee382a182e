//! Whole halo arrays on one image and back, and from one division among images to another: as if there were one array and
//! one image.

mod case;
mod gathered;
mod moved;
mod refused;
mod scattered;
