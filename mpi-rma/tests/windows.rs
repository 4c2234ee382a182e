//! Windows of several processes: each case runs under the launcher of the MPI library that this was built with.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, Output};

use mpi::environment::{Universe, library_version};
use mpi::traits::*;
use mpi_rma::{Error, Initialized, Operation, Window};
use testing::harness::{run_in_turn, trial};
use testing::launcher;

const CASE: &str = "MPI_RMA_TEST_CASE";

type Case = (&'static str, fn(&Universe) -> Result<(), Error>);

const CASES: &[Case] = &[
    ("put_and_get", put_and_get),
    ("create", create),
    ("shared", shared),
    ("lengths_differ", lengths_differ),
    ("requests", requests),
    ("requests_dropped", requests_dropped),
    ("tickets", tickets),
    ("operations", operations),
    ("accumulate", accumulate),
    ("compare_and_swap", compare_and_swap),
    ("bad_places", bad_places),
    ("too_large", too_large),
];

fn main() -> ExitCode {
    match env::var(CASE) {
        Ok(name) => run_here(&name),
        Err(_) => run_all(),
    }
}

fn run_here(name: &str) -> ExitCode {
    let (_, case) = CASES.iter().find(|(known, _)| *known == name).unwrap();
    let universe = mpi::initialize().unwrap();
    if let Err(error) = case(&universe) {
        eprintln!("{error}");
        universe.world().abort(1);
    }
    ExitCode::SUCCESS
}

fn run_all() -> ExitCode {
    let trials = CASES.iter().flat_map(|&(name, _)| {
        let test = move |processes| {
            trial(format!("{name} on {processes}"), move || {
                start(name, processes)
            })
        };
        [2, 4].map(test)
    });
    run_in_turn(trials)
}

fn start(name: &str, processes: usize) {
    let version = library_version().unwrap();
    let mut command = launcher::mpi(&version, 60, processes, env::current_exe().unwrap());
    // Open MPI's other component crashes in `MPI_Compare_and_swap` on created windows.
    command.env("OMPI_MCA_osc", "^rdma").env(CASE, name);
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let [printed, reported] =
        [stdout, stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(status.success(), "{version}\n{printed}\n{reported}");
}

fn next_and_previous(window: &Window<'_>) -> (i32, i32) {
    let (rank, size) = (window.rank(), window.size());
    ((rank + 1) % size, (rank + size - 1) % size)
}

fn put_and_get(universe: &Universe) -> Result<(), Error> {
    let world = universe.world();
    let window = Window::allocate(universe, &world, 1 << 16)?;
    let (next, previous) = next_and_previous(&window);
    let mut numbers = [1_u8; 100];
    window.read(100, &mut numbers)?;
    assert_eq!(numbers, [0; 100]);
    world.barrier();

    let mine: Vec<f64> = (0..8192).map(|i| f64::from(i * window.rank())).collect();
    window.put(next, 0, &mine)?;
    window.flush(next)?;
    world.barrier();

    let mut here = vec![0.0; 8192];
    window.read(0, &mut here)?;
    let expected: Vec<f64> = (0..8192).map(|i| f64::from(i * previous)).collect();
    assert_eq!(here, expected);
    let mut there = [0.0_f64; 5];
    window.get(next, 80, &mut there)?;
    assert_eq!(there[..], mine[10..15]);
    window.free()
}

fn create(universe: &Universe) -> Result<(), Error> {
    let world = universe.world();
    let mut memory = vec![7_u64; 100];
    // SAFETY: the memory outlives the window, and is used by it only until then.
    let window = unsafe { Window::create(universe, &world, memory.as_mut_ptr().cast(), 800)? };
    let (next, previous) = next_and_previous(&window);
    window.put(next, 8, &[window.rank() as u64])?;
    window.flush_all()?;
    world.barrier();
    window.free()?;
    assert_eq!(memory[..3], [7, previous as u64, 7]);

    // SAFETY: MPI is initialised until the universe is dropped, and this is its thread.
    let initialized = unsafe { Initialized::assume() };
    // SAFETY: as above; the memory is not aligned, though, which all processes hear of.
    let refused = unsafe {
        let start = memory.as_mut_ptr().cast::<u8>();
        Window::create(
            initialized,
            &world,
            start.add(usize::from(world.rank() == 0)),
            8,
        )
    };
    let elsewhere = Error::Elsewhere { rank: 0, code: -1 };
    assert_eq!(refused.err(), Some(elsewhere));
    Ok(())
}

fn shared(universe: &Universe) -> Result<(), Error> {
    let node = universe.world().split_shared(0);
    let window = Window::allocate_shared(universe, &node, 100)?;
    let (next, previous) = next_and_previous(&window);
    let there = window.shared(next)?.unwrap();
    assert_eq!(there.length(), 100);
    there.write(32, &[window.rank(); 3])?;
    window.sync()?;
    node.barrier();
    window.sync()?;
    let mut here = [0; 4];
    window.read(32, &mut here)?;
    assert_eq!(here, [previous, previous, previous, 0]);
    assert!(there.write(98, &[0_u8; 3]).is_err());
    window.free()?;

    let window = Window::allocate(universe, &node, 100)?;
    assert!(window.shared(0)?.is_none());
    window.free()
}

fn lengths_differ(universe: &Universe) -> Result<(), Error> {
    let world = universe.world();
    let length = 8 * world.rank() as usize;
    let window = Window::allocate(universe, &world, length)?;
    for rank in 0..window.size() {
        let length = window.length(rank)?;
        assert_eq!(length, 8 * rank as usize);
        assert!(window.put(rank, length, &[0_u8]).is_err());
        if rank > 0 {
            let count = window.fetch_and_op(rank, length - 8, Operation::Sum, 1_i64)?;
            assert!(count < i64::from(window.size()));
        }
    }
    world.barrier();
    if length > 0 {
        let mut count = [0_i64];
        window.read(length - 8, &mut count)?;
        assert_eq!(count[0], i64::from(window.size()));
    }
    window.free()
}

fn requests(universe: &Universe) -> Result<(), Error> {
    let world = universe.world();
    let window = Window::allocate(universe, &world, 8000)?;
    let (next, previous) = next_and_previous(&window);
    let mut puts = Vec::new();
    for part in 0..10 {
        let numbers = vec![i64::from(window.rank()) + part; 100];
        puts.push(window.request_put(next, 800 * part as usize, numbers)?);
    }
    for (part, put) in puts.into_iter().enumerate() {
        assert_eq!(
            put.wait()?,
            vec![i64::from(window.rank()) + part as i64; 100]
        );
    }
    window.flush_all()?;
    world.barrier();
    let mut get = window.request_get::<i64>(window.rank(), 7200, 100)?;
    while !get.test()? {}
    assert_eq!(get.wait()?, vec![i64::from(previous) + 9; 100]);
    window.free()
}

fn requests_dropped(universe: &Universe) -> Result<(), Error> {
    let world = universe.world();
    let window = Window::allocate(universe, &world, 8000)?;
    let (next, previous) = next_and_previous(&window);
    drop(window.request_put(next, 0, vec![window.rank(); 1000])?);
    drop(window.request_get::<u8>(next, 4000, 4000)?);
    std::mem::forget(window.request_put(next, 4000, vec![window.rank(); 1000])?);
    std::mem::forget(window.request_get::<u8>(window.rank(), 0, 100)?);
    window.flush_all()?;
    world.barrier();
    let mut here = vec![0; 2000];
    window.read(0, &mut here)?;
    assert_eq!(here, vec![previous; 2000]);
    window.free()
}

fn tickets(universe: &Universe) -> Result<(), Error> {
    const EACH: usize = 500;
    let world = universe.world();
    let size = world.size() as usize;
    let window = Window::allocate(universe, &world, 16 + EACH * size)?;
    for _ in 0..EACH {
        let ticket: u64 = window.fetch_and_op(0, 0, Operation::Sum, 1)?;
        window.put(0, 16 + ticket as usize, &[1_u8])?;
    }
    window.flush_all()?;
    world.barrier();
    if world.rank() == 0 {
        let mut taken = vec![0_u8; EACH * size];
        window.read(16, &mut taken)?;
        assert!(taken.iter().all(|&taken| taken == 1));
    }
    window.free()
}

fn operations(universe: &Universe) -> Result<(), Error> {
    let world = universe.world();
    let window = Window::allocate(universe, &world, 64)?;
    let (next, _) = next_and_previous(&window);
    let apply = |operation, operand: u32| window.fetch_and_op(next, 4, operation, operand);
    assert_eq!(apply(Operation::Replace, 0b1100)?, 0);
    assert_eq!(apply(Operation::And, 0b0110)?, 0b1100);
    assert_eq!(apply(Operation::Or, 0b0011)?, 0b0100);
    assert_eq!(apply(Operation::Xor, 0b0101)?, 0b0111);
    assert_eq!(apply(Operation::Sum, u32::MAX)?, 0b0010);
    assert_eq!(apply(Operation::Max, 9)?, 1);
    assert_eq!(apply(Operation::Min, 3)?, 9);
    assert_eq!(apply(Operation::Load, 77)?, 3);
    assert_eq!(
        window.fetch_and_op(next, 0, Operation::Load, 0_u64)?,
        3 << 32
    );
    window.free()
}

fn accumulate(universe: &Universe) -> Result<(), Error> {
    const EACH: u64 = 200;
    let world = universe.world();
    let window = Window::allocate(universe, &world, 24)?;
    let (next, _) = next_and_previous(&window);
    for _ in 0..EACH {
        window.accumulate(0, 0, Operation::Sum, 3_u64)?;
    }
    // On one word they take effect in order.
    let operations = [
        (Operation::Replace, 0b1100),
        (Operation::And, 0b0110),
        (Operation::Load, 77),
        (Operation::Xor, 0b0001),
        (Operation::Max, 2),
    ];
    for (operation, operand) in operations {
        window.accumulate(next, 12, operation, operand)?;
    }
    window.flush_all()?;
    assert_eq!(window.fetch_and_op(next, 12, Operation::Load, 0)?, 5);
    world.barrier();
    let total = window.fetch_and_op(0, 0, Operation::Load, 0_u64)?;
    assert_eq!(total, 3 * EACH * world.size() as u64);
    assert!(window.accumulate(next, 20, Operation::Sum, 1_u64).is_err());
    accumulate_to_several(&window)?;
    world.barrier();
    let own = window.fetch_and_op(window.rank(), 16, Operation::Load, 0_u64)?;
    assert_eq!(own, world.size() as u64 + 2 + MANY);
    window.free()
}

/// More operations than are under way at a time.
const MANY: u64 = 20;

/// What has begun is done, also if the next target is wrong, or none comes as the program panics.
fn accumulate_to_several(window: &Window) -> Result<(), Error> {
    let (next, _) = next_and_previous(window);
    let one = |rank| (rank, 16, &[1_u64][..]);
    window.accumulate_all((0..window.size()).map(one), Operation::Sum)?;
    window.accumulate_all((0..MANY).map(|_| one(next)), Operation::Sum)?;
    let wrong = [one(next), one(window.size())];
    assert!(window.accumulate_all(wrong, Operation::Sum).is_err());
    let panics = [true, false].into_iter().map(|is_there| {
        assert!(is_there, "of the program");
        one(next)
    });
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        window.accumulate_all(panics, Operation::Sum)
    }));
    assert!(outcome.is_err());
    window.flush_all()
}

fn compare_and_swap(universe: &Universe) -> Result<(), Error> {
    const EACH: u64 = 200;
    let world = universe.world();
    let window = Window::allocate(universe, &world, 8)?;
    let mut seen = 0_u64;
    for _ in 0..EACH {
        loop {
            let former = window.compare_and_swap(0, 0, seen, seen + 3)?;
            if former == seen {
                break;
            }
            seen = former;
        }
    }
    world.barrier();
    let total = window.fetch_and_op(0, 0, Operation::Load, 0_u64)?;
    assert_eq!(total, 3 * EACH * world.size() as u64);
    assert_eq!(window.compare_and_swap(window.size() - 1, 4, 9_i32, 5)?, 0);
    window.free()
}

fn bad_places(universe: &Universe) -> Result<(), Error> {
    let world = universe.world();
    let window = Window::allocate(universe, &world, 64)?;
    let size = window.size();
    let mut number = [0_u32];
    let rank = Error::Rank { rank: size, size };
    assert_eq!(window.get(size, 0, &mut number), Err(rank));
    assert!(window.flush(-1).is_err());
    let range = Error::Range {
        rank: 1,
        offset: usize::MAX - 3,
        bytes: 4,
        length: 64,
    };
    assert_eq!(window.put(1, usize::MAX - 3, &number), Err(range));
    let alignment = Error::Alignment {
        offset: 2,
        alignment: 4,
    };
    assert_eq!(window.put(1, 2, &number), Err(alignment));
    assert!(window.request_get::<u64>(0, 8, usize::MAX).is_err());
    assert!(window.fetch_and_op(0, 64, Operation::Sum, 1_u32).is_err());
    assert!(window.write(1, &[0_u16]).is_err());
    window.free()
}

fn too_large(universe: &Universe) -> Result<(), Error> {
    let world = universe.world();
    let refused = Window::allocate(
        universe,
        &world,
        if world.rank() == 0 { usize::MAX } else { 64 },
    );
    let elsewhere = Error::Elsewhere { rank: 0, code: -1 };
    assert_eq!(refused.err(), Some(elsewhere));
    Ok(())
}
