//! Counts what the race check judges rightly; see `coarray_racebench`.

use std::process::ExitCode;

use coarray_fabric::system::broken_pipe::end_when_unread;
use coarray_racebench::request::{HELP, Request, list};
use coarray_racebench::score;

/// Exit code for a command line that cannot be understood.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    end_when_unread();
    match Request::parse(std::env::args_os().skip(1)) {
        Ok(Request::Help) => print!("{HELP}"),
        Ok(Request::List) => print!("{}", list()),
        Ok(Request::Run(plan)) => {
            let score = score::of(&plan);
            print!("{}", score.table(&plan));
            if plan.check {
                print!("\n{}", score::published());
            }
            if !score.wrong.is_empty() {
                return ExitCode::FAILURE;
            }
        }
        Err(why) => {
            eprintln!("racebench: {why}; --help tells more");
            return ExitCode::from(USAGE);
        }
    }
    ExitCode::SUCCESS
}
