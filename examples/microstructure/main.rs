//! A polycrystal solidifies, and cracks: a cellular automaton in three dimensions, divided among images.
//!
//! ```text
//! cargo run --release --example microstructure -- --size 128x128x128 --png plane.png --vti model.vti
//! ```
//!
//! Shows: a halo array and an exchange of halos that overlaps the work that needs none, collective sums and four ways to
//! do without, random numbers that make the result the same on any number of images, and one file that all images
//! write together. After A. Shterenlikht, *Fortran coarray library for 3D cellular automata microstructure
//! simulation*, PGAS 2013. The automaton is in `solidify.rs`, the reductions are in `reduction.rs`, the crack is in
//! `crack.rs`.

mod clock;
#[path = "../shared/command_line.rs"]
mod command_line;
mod comparison;
mod contacts;
mod crack;
mod cubic;
mod files;
mod front;
mod goodness;
#[path = "../shared/histogram.rs"]
mod histogram;
mod lattice;
mod mackenzie;
mod nuclei;
mod options;
#[path = "../shared/plots.rs"]
mod plots;
mod progress;
mod random;
mod reduction;
mod report;
mod rotation;
mod slice;
mod solidify;
mod texture;

use coarray::grid::{Blocks, ImageGrid};
use coarray::prelude::*;
use life::output;

use clock::{Clock, Work};
use crack::{Cleavage, Load};
use cubic::Orientations;
use files::Fields;
use nuclei::Nuclei;
use options::{Boundary, Options};
use random::Random;
use reduction::{Adder, Places};
use report::Report;
use rotation::Rotation;
use solidify::Solidification;
use texture::Texture;

#[coarray::main]
fn main() {
    let Some(options) = Options::from_command_line() else {
        return;
    };
    let (blocks, nuclei) = prepare(&options);
    // Grains, boundaries and cracks of cells; volumes and orientations of grains.
    let (cells, grains) = (blocks.cells() / num_images(), nuclei.count() as usize);
    let bytes = cells.saturating_mul(4 + 1 + 4) + grains * (8 + size_of::<Rotation>());
    let [z, y, x] = options.shape;
    let wanted = format!("--size {x}x{y}x{z}");
    command_line::memory::afford("microstructure", wanted, bytes);
    let random = Random::new(options.seed);
    if options.compare_reductions {
        let table = comparison::measure(&blocks, &nuclei, random);
        if this_image() == 0 {
            print!("{table}");
        }
    }

    let bar = match this_image() {
        0 if !options.quiet => progress::bar(blocks.cells() as u64),
        _ => indicatif::ProgressBar::hidden(),
    };
    let mut clock = Clock::start();
    let mut places = Coarray::<Places>::zeroed();
    let places = places.open();
    let mut adder = Adder::new(options.reduction, &places);
    let mut model =
        Solidification::begin(&blocks, &nuclei, random).unwrap_or_else(|error| fail(error));
    clock.did(Work::Computing);
    let before = clock.total();
    let cells = blocks.cells() as u64;
    let iterations = model.run(&mut adder, &mut clock, |liquid| {
        bar.set_position(cells - liquid)
    });
    let seconds = clock.total() - before;
    bar.finish_and_clear();
    let grains = model.finish(&mut clock);

    let volumes = contacts::volumes(&grains, nuclei.count());
    let boundaries = contacts::boundaries(&grains).unwrap_or_else(|error| fail(error));
    let mut boundary_cells = boundaries
        .interior()
        .iter()
        .filter(|&&others| others > 0)
        .count();
    co_sum(&mut boundary_cells);
    let contacts = contacts::contacts(&grains);
    let orientations = Orientations::random(random, nuclei.count());
    let load = Load {
        stress: options.stress,
        threshold: options.threshold,
        penalty: options.penalty,
    };
    let mut cleavage = Cleavage::new(&orientations, nuclei.count(), load);
    let (broken, crack) =
        crack::propagate(&grains, &nuclei, &mut cleavage).unwrap_or_else(|error| fail(error));
    clock.did(Work::Computing);

    let fields = Fields {
        grains: &grains,
        boundaries: &boundaries,
        broken: &broken,
    };
    let report = Report {
        iterations,
        seconds,
        volumes,
        boundary_cells,
        contacts,
        crack,
    };
    let written = fields.write(&options, &orientations);
    if let Err(error) = written {
        fail(error);
    }
    let texture = (this_image() == 0).then(|| Texture::of(&report.contacts, &orientations));
    if let Some(texture) = &texture {
        report
            .plot(texture, &options)
            .unwrap_or_else(|error| fail(error));
        report.print(texture, &options);
    }
    clock.did(Work::Writing);
    let shares = clock.mean();
    if this_image() == 0 {
        println!("time: {shares}");
    }
}

/// Checks all input before anything is computed.
fn prepare(options: &Options) -> (Blocks<3>, Nuclei) {
    let cells = options
        .shape
        .iter()
        .map(|&side| side as u64)
        .product::<u64>();
    let grains = (cells / options.cells_per_grain).max(1);
    if grains >= u64::from(u32::MAX) {
        refuse(format_args!(
            "{grains} grains cannot be numbered; give more --cells-per-grain"
        ));
    }
    let periodic = options.boundary == Boundary::Periodic;
    let grid = ImageGrid::balanced_for(options.shape).unwrap_or_else(|error| refuse(error));
    let grid = grid.with_periodic([periodic; 3]);
    let blocks = Blocks::new(options.shape, grid).unwrap_or_else(|error| refuse(error));
    if this_image() == 0 {
        for path in options.files() {
            output::check_writable(path).unwrap_or_else(|error| refuse(error));
        }
    }
    let random = Random::new(options.seed);
    (blocks, Nuclei::new(random, cells, options.cells_per_grain))
}

/// Ends the job because of the user's input.
fn refuse(why: impl std::fmt::Display) -> ! {
    command_line::refuse("microstructure", why)
}

/// Ends the job because of something else.
fn fail(why: impl std::fmt::Display) -> ! {
    command_line::fail("microstructure", why)
}
