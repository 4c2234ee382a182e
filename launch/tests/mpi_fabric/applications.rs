//! Applications that initialise MPI themselves, and images that fail.

use std::process::ExitCode;
use std::thread;

use coarray_launch::mpi;
use coarray_runtime::{num_images, this_image};
use mpi_rma::mpi::collective::SystemOperation;
use mpi_rma::mpi::environment::Threading;
use mpi_rma::mpi::initialize_with_threading;
use mpi_rma::mpi::topology::Color;
use mpi_rma::mpi::traits::*;

use crate::block::{Block, all_meet, sync};

/// MPI is the application's before, within, between and after two jobs, the second of which has half of its processes.
pub fn initialises() -> ExitCode {
    // Open MPI's other component crashes.
    // SAFETY: this process has one thread so far.
    unsafe { std::env::set_var("OMPI_MCA_osc", "^rdma") };
    let (universe, _) = initialize_with_threading(Threading::Multiple).unwrap();
    let world = universe.world();
    assert!(mpi::communicator().is_none());

    let body = || {
        let block = Block::new(8 * num_images());
        let mut sum = 0_usize;
        let images = mpi::communicator().unwrap();
        images.all_reduce_into(&this_image(), &mut sum, SystemOperation::sum());
        for image in 0..num_images() {
            block.put(image, 8 * this_image(), &sum.to_ne_bytes());
        }
        block.image.fabric().quiet();
        world.barrier();
        assert_eq!(
            block.own(0, 8 * num_images()),
            sum.to_ne_bytes().repeat(num_images())
        );
        all_meet();
        sync();
        sum
    };
    let size = world.size() as usize;
    for _ in 0..2 {
        let sum = mpi::run_on(&universe, &world, body).unwrap();
        assert_eq!(sum, size * (size - 1) / 2);
        world.barrier();
    }

    let rank = world.rank() as usize;
    let half = world
        .split_by_color(Color::with_value(world.rank() % 2))
        .unwrap();
    let members = mpi::run_on(&universe, &half, || {
        sync();
        (this_image(), num_images())
    });
    assert_eq!(members.unwrap(), (rank / 2, (size - rank % 2).div_ceil(2)));
    assert!(mpi::communicator().is_none());
    ExitCode::SUCCESS
}

/// One process never comes to the point where the others become images.
pub fn stays_away() -> ExitCode {
    let (universe, _) = initialize_with_threading(Threading::Multiple).unwrap();
    let world = universe.world();
    if world.rank() == 1 {
        loop {
            thread::park();
        }
    }
    match mpi::run_on(&universe, &world, || ()) {
        Ok(()) => unreachable!("rank 1 is no image"),
        Err(error) => panic!("{error}"),
    }
}

/// One image panics while the others wait for it.
pub fn fails() {
    sync();
    assert!(this_image() != 1, "on purpose");
    sync();
}
