//! The operations and kernels of `cobench` in Lamellar, over its shared memory.
//!
//!     cargo build --release
//!     target/release/coarray-peer-lamellar PES operations MILLISECONDS MICROSECONDS [OPERATION ...]
//!     target/release/coarray-peer-lamellar PES KERNEL [ARGUMENT ...]
//!
//! KERNEL is `stencil`, `transpose`, `nstream`, `random`, `randomaccess` or `empty`. The program starts itself again as
//! so many PEs, each with one thread and, if the cores suffice, on a core of its own. It needs no environment variables.
//! There is no `p2p`: in Lamellar, a PE can wait for another one only in a barrier or through an active message.
//!
//! Lamellar cannot be built in a folder whose path has no part that is called `target`, since one of its macros looks
//! for such a part; `CARGO_TARGET_DIR` must heed that.

mod collectives;
mod launch;
mod nstream;
mod operations;
mod random;
mod randomaccess;
mod report;
mod sequence;
mod stencil;
mod timing;
mod transfers;
mod transpose;
mod updates;

use std::process::ExitCode;

use lamellar::{LamellarWorld, LamellarWorldBuilder};

const USAGE: &str = "usage: coarray-peer-lamellar PES operations|KERNEL [ARGUMENT ...]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((pes, [command, arguments @ ..])) = arguments.split_first() else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let Ok(pes @ 1..) = pes.parse() else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    if !launch::is_pe() {
        return launch::start(pes);
    }
    launch::settle(pes);
    let world = LamellarWorldBuilder::new().build();
    let run: fn(&LamellarWorld, &[String]) = match command.as_str() {
        "operations" => operations::run,
        "stencil" => stencil::run,
        "transpose" => transpose::run,
        "nstream" => nstream::run,
        "random" => random::run,
        "randomaccess" => randomaccess::run,
        "empty" => |_, _| {},
        _ => report::fail(&world, &format!("there is no {command}")),
    };
    run(&world, arguments);
    ExitCode::SUCCESS
}
