//! Trying clauses on the images of this job.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use coarray::collectives::{co_any, co_gatherv};
use coarray::error_stop_with;
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Trial};
use crate::request::{HELP, Request, list};

/// Runs the program `conformance` on every image with these arguments.
#[must_use]
pub fn serve(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match Request::parse(arguments) {
        Ok(Request::Try { clauses, .. }) => try_all(&clauses),
        Ok(Request::Program(clause)) => match clause.trial {
            Trial::OwnJob(job) => return (job.body)(),
            Trial::InJob(_) => unreachable!("it has no job of its own"),
        },
        Ok(Request::List) => print_once(&list()),
        Ok(Request::Help) => print_once(HELP),
        Err(why) => error_stop_with(2, format_args!("conformance: {why}; --help tells more")),
    }
    ExitCode::SUCCESS
}

fn print_once(text: &str) {
    if this_image() == 0 {
        tell(text);
    }
}

/// Prints at once, so that nothing is lost if the next clause ends the job.
fn tell(text: &str) {
    let mut stdout = std::io::stdout().lock();
    // There is nobody to report an error to.
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
}

fn try_all(clauses: &[&Clause]) {
    let (mut tried, mut failed) = (0, 0);
    for clause in clauses {
        let Trial::InJob(test) = clause.trial else {
            continue;
        };
        tried += 1;
        let mut check = Check::default();
        test(&mut check);
        sync_all();
        let findings = check.findings();
        let line = match co_any(findings.is_some()) {
            true => {
                failed += 1;
                format!("{} FAILED {}\n", clause.id, told_by_all(findings))
            }
            false => {
                // `co_any` is under test itself.
                if let Some(found) = findings {
                    let told = format!("{}: {found}; and co_any says that all is well", clause.id);
                    error_stop_with(1, format_args!("conformance: {told}"));
                }
                format!("{} ok\n", clause.id)
            }
        };
        print_once(&line);
    }
    if failed > 0 && this_image() == 0 {
        error_stop_with(
            1,
            format_args!("conformance: {failed} of {tried} clauses failed"),
        );
    }
}

/// How many different findings are reported; images often find the same.
const TOLD: usize = 3;

/// On image 0, the findings of all images.
fn told_by_all(findings: Option<String>) -> String {
    let texts = co_gatherv(&findings.unwrap_or_default().into_bytes(), 0);
    let mut images_by_text: Vec<(String, Vec<String>)> = Vec::new();
    for (image, text) in texts
        .iter()
        .enumerate()
        .filter(|(_, text)| !text.is_empty())
    {
        let text = String::from_utf8_lossy(text);
        match images_by_text.iter_mut().find(|(other, _)| *other == text) {
            Some((_, images)) => images.push(image.to_string()),
            None => images_by_text.push((text.into(), vec![image.to_string()])),
        }
    }
    let found = images_by_text.len();
    let mut told = Vec::new();
    for (text, images) in images_by_text.into_iter().take(TOLD) {
        let noun = if images.len() == 1 { "image" } else { "images" };
        told.push(format!("{noun} {}: {text}", images.join(", ")));
    }
    if found > TOLD {
        told.push("and other images otherwise".into());
    }
    told.join("; ")
}
