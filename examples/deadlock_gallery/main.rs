//! Programs that deadlock, each in its own way, and the reports that they get.
//!
//! ```text
//! cargo run --release --example deadlock_gallery -- --list
//! cargo run --release --example deadlock_gallery -- event_ring
//! ```
//!
//! Shows: when no image can ever go on, the job ends at once, with exit code 1 and a report of what each image
//! waits for, on whom, and where. Each program is the smallest one that shows its mistake; it says what the
//! mistake is, and the lines where images get stuck carry a mark such as `// [ring]`.
//!
//! Started plainly, a program gets as many images as it needs, at least three; COARRAY_IMAGES=N or
//! `coarun -n N deadlock_gallery NAME` give it others.

mod collectives;
mod events;
mod mutexes;
mod pairs;
mod phases;
mod teams;

use std::fmt::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use coarray::prelude::*;
use program::command_line::{Error, Long, Value, read, refuse};

/// A program that deadlocks.
struct Program {
    name: &'static str,
    /// How many images it needs at least.
    images: usize,
    mistake: &'static str,
    body: fn(),
}

/// What the command line asks for.
enum Choice {
    List,
    Run(&'static Program),
}

fn main() -> ExitCode {
    if std::env::var_os("COARRAY_IMAGES").is_none() {
        return start_again();
    }
    coarray::launch(play)
}

/// Replaces this process by one that starts enough images: the machine may have too few cores.
fn start_again() -> ExitCode {
    let images = match choice() {
        Ok(Choice::Run(program)) => program.images.max(3),
        Ok(Choice::List) | Err(_) => 1,
    };
    let error = match std::env::current_exe() {
        Ok(gallery) => Command::new(gallery)
            .args(std::env::args_os().skip(1))
            .env("COARRAY_IMAGES", images.to_string())
            .exec(),
        Err(error) => error,
    };
    eprintln!("deadlock_gallery: cannot start again with COARRAY_IMAGES={images}: {error}");
    ExitCode::FAILURE
}

fn play() {
    match choice() {
        Ok(Choice::List) => {
            if this_image() == 0 {
                print!("{}", list());
            }
        }
        Ok(Choice::Run(program)) if num_images() < program.images => refuse(format_args!(
            "{} needs at least {} images, and there are {}",
            program.name,
            program.images,
            num_images()
        )),
        Ok(Choice::Run(program)) => (program.body)(),
        Err(why) => refuse(why),
    }
}

fn programs() -> impl Iterator<Item = &'static Program> {
    [
        events::PROGRAMS,
        pairs::PROGRAMS,
        teams::PROGRAMS,
        phases::PROGRAMS,
        mutexes::PROGRAMS,
        collectives::PROGRAMS,
    ]
    .into_iter()
    .flatten()
}

fn choice() -> Result<Choice, Error> {
    let (mut name, mut is_list) = (None, false);
    let goes_on = read(std::env::args_os().skip(1), |option, _| {
        match option {
            Long("list") => is_list = true,
            Value(word) if name.is_none() => name = Some(word.to_string_lossy().into_owned()),
            Value(_) => return Err("one program at a time; --list names them all".into()),
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    let Some(name) = name.filter(|_| goes_on && !is_list) else {
        return Ok(Choice::List);
    };
    let program = programs().find(|program| program.name == name);
    let unknown = || format!("there is no program '{name}'; --list names them all");
    Ok(Choice::Run(program.ok_or_else(unknown)?))
}

fn list() -> String {
    let mut text = String::from(
        "Programs that deadlock, to see what they are told.\n\n\
         usage: deadlock_gallery [NAME | --list]\n\n",
    );
    for Program {
        name,
        images,
        mistake,
        ..
    } in programs()
    {
        let _ = writeln!(text, "  {name:<26} {mistake} (images: {images} or more)");
    }
    text
}
