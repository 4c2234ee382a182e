//! A polycrystal solidifies, and cracks: a cellular automaton in three dimensions, divided among images.
//!
//! ```text
//! cargo run --release --bin microstructure -- --size 128x128x128 --png plane.png --vti model.vti
//! ```
//!
//! Shows: a halo array and an exchange that overlaps with the work that needs no halo, a collective sum and three
//! hand-written ones, random numbers that make the result the same on any number of images, and one file that all
//! images write together. After A. Shterenlikht, *Fortran coarray library for 3D cellular automata microstructure
//! simulation*, PGAS 2013. The automaton is in `solidify.rs`, the reductions are in `reduction.rs`, the crack is in
//! `crack.rs`.

use coarray::grid::{Blocks, ImageGrid};
use coarray::prelude::*;
use program::command_line::{fail, refuse};
use program::memory::afford;
use program::{output, progress};

use microstructure::clock::{Clock, Work};
use microstructure::crack::{self, Cleavage, Load};
use microstructure::cubic::Orientations;
use microstructure::files::Fields;
use microstructure::nuclei::Nuclei;
use microstructure::options::{Boundary, Options};
use microstructure::random::Random;
use microstructure::reduction::{Adder, Places};
use microstructure::report::Report;
use microstructure::rotation::Rotation;
use microstructure::solidify::Solidification;
use microstructure::texture::Texture;
use microstructure::{comparison, contacts};

#[coarray::main]
fn main() {
    let Some(options) = Options::from_command_line() else {
        return;
    };
    let (blocks, nuclei) = prepare(&options);
    // For each cell its grain, boundary and crack; for each grain its volume and orientation.
    let (cells, grains) = (blocks.cells() / num_images(), nuclei.count() as usize);
    let bytes = cells.saturating_mul(4 + 1 + 4) + grains * (8 + size_of::<Rotation>());
    let [z, y, x] = options.shape;
    let wanted = format!("--size {x}x{y}x{z}");
    afford(wanted, bytes);
    let random = Random::new(options.seed);
    if options.compare_reductions {
        let table = comparison::measure(&blocks, &nuclei, random);
        if this_image() == 0 {
            print!("{table}");
        }
    }

    let solid = "{percent} % solid  {elapsed}";
    let bar = progress::bar(blocks.cells() as u64, solid, [], options.quiet);
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
