//! The parts of the program `microstructure`: a model that solidifies and cracks, its measurements, pictures and files.

pub mod clock;
pub mod comparison;
pub mod contacts;
pub mod crack;
pub mod cubic;
pub mod files;
pub mod front;
pub mod goodness;
pub mod lattice;
pub mod mackenzie;
pub mod nuclei;
pub mod options;
pub mod random;
pub mod reduction;
pub mod report;
pub mod rotation;
pub mod slice;
pub mod solidify;
pub mod texture;
