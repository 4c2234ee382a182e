//! `cargo coarray check`: finds collective calls that only some images of a program make, without running it.
//!
//! Every image of a program must make the same collective calls in the same order. The library compares them at run time; this
//! program finds, from the sources alone, those that depend on a condition on `this_image()`. The README says what it sees and what not.

mod call;
mod collectives;
mod expression;
mod lowering;
mod matching;
mod mismatch;
mod node;
mod options;
mod package;
mod place;
mod program;
mod report;
mod scope;

use std::io::Write;
use std::process::ExitCode;

use options::{Options, Request};

fn main() -> ExitCode {
    let request = match options::read() {
        Ok(request) => request,
        Err(error) => return complain(&format!("{error}; see cargo coarray --help")),
    };
    match request {
        Request::Help => say(options::HELP),
        Request::Version => say(concat!("cargo-coarray ", env!("CARGO_PKG_VERSION"), "\n")),
        Request::Check(options) => {
            return match check(&options) {
                Ok((text, calls)) => {
                    say(&text);
                    ExitCode::from(u8::from(calls > 0))
                }
                Err(error) => complain(&error),
            };
        }
    }
    ExitCode::SUCCESS
}

fn say(text: &str) {
    // Who reads no further has seen enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn complain(error: &str) -> ExitCode {
    eprintln!("cargo coarray: {error}");
    ExitCode::from(2)
}

/// What is found in all packages, in words, and how many calls.
fn check(options: &Options) -> Result<(String, usize), String> {
    let mut text = String::new();
    let (mut files, mut functions, mut calls, mut lost) = (0, 0, 0, 0);
    let mut library = (None, program::Program::default());
    for one in package::crates_of(options)? {
        // The library of a package is read once.
        if one.library != library.0 {
            library = (one.library.clone(), program::Program::default());
            if let Some(root) = &one.library {
                library.1.add_crate(root)?;
            }
        }
        let mut program = library.1.clone();
        let of_library = (program.files.len(), program.functions.len());
        program.add_crate(&one.root)?;
        files += program.files.len() - of_library.0;
        functions += program.functions.len() - of_library.1;
        let report = report::Report::new(&program);
        // Those of the library are reported once, with it.
        for mismatch in mismatches(&program)
            .iter()
            .filter(|mismatch| mismatch.differs.place.file >= of_library.0)
        {
            match mismatch.what {
                mismatch::What::Lost => lost += 1,
                _ => calls += 1,
            }
            text.push_str(&report.text(mismatch));
            text.push('\n');
        }
    }
    let looked = format!("{} in {}", many(functions, "function"), many(files, "file"));
    let found = match calls {
        0 => "no collective call in which images differ, as far as can be seen".to_owned(),
        _ => format!("{} in which images differ", many(calls, "collective call")),
    };
    let lost = match lost {
        0 => String::new(),
        _ => format!(", and {} whose result is lost", many(lost, "call")),
    };
    text.push_str(&format!(
        "cargo coarray check: {looked}, and {found}{lost}\n"
    ));
    Ok((text, calls))
}

fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// By file and line, each call once.
fn mismatches(program: &program::Program) -> Vec<mismatch::Mismatch> {
    let lowered = lowering::lower(program);
    let bodies: Vec<&[node::Node]> = lowered.iter().map(|function| &*function.body).collect();
    let mut matching = matching::Matching::new(&bodies);
    (0..bodies.len()).for_each(|function| matching.check_function(function));
    lowered
        .iter()
        .flat_map(|function| &function.detached)
        .for_each(|nodes| matching.check(nodes));
    let mut found = matching.found;
    found.extend(
        lowered
            .iter()
            .flat_map(|function| function.arguments.iter().cloned()),
    );
    found.retain(|mismatch| {
        // Tests call operations for other things than their results.
        let is_in_test = mismatch.what == mismatch::What::Lost
            && program.files[mismatch.differs.place.file]
                .path
                .components()
                .any(|part| part.as_os_str() == "tests");
        !is_in_test && !report::is_allowed(program, mismatch)
    });
    found.sort_by_key(|mismatch| (mismatch.differs.place, mismatch.call.place));
    found.dedup_by_key(|mismatch| mismatch.differs.place);
    found
}
