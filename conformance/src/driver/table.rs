//! The table: a row for each clause, a column for each fabric.

use std::io::{IsTerminal, Write};

use coarray::machine::terminal_size;

use crate::clause::Clause;
use crate::clauses;
use crate::driver::fabric::Fabric;
use crate::driver::options::Options;
use crate::driver::suite::{Outcome, Suite};

/// Width of the table where the terminal's width is unknown.
const WIDTH: usize = 140;

/// Room for the id of a clause.
const ID: usize = 7;

/// A column: the outcomes of the clauses on a fabric.
enum Column {
    /// It is not there, and this is why.
    Missing(String),
    /// With each number of images.
    Tried(Vec<(usize, Vec<Outcome>)>),
}

/// Tries the clauses on all fabrics and prints the table; returns whether all is well.
#[must_use]
pub fn try_fabrics(options: &Options) -> bool {
    let columns: Vec<(Fabric, Column)> = options
        .fabrics
        .iter()
        .map(|&fabric| (fabric, column(options, fabric)))
        .collect();
    show_progress("");
    print!("{}", rows(options, &columns));
    println!();
    let failures = print_failures(options, &columns);
    let mut lacks = 0;
    for (fabric, column) in &columns {
        if let Column::Missing(why) = column {
            println!("- {fabric}: {why}");
        }
    }
    for fabric in &options.required {
        if let Err(why) = fabric.is_there() {
            println!("{fabric} is required, but: {why}");
            lacks += 1;
        }
    }
    let is_missing = |(_, column): &&(_, _)| matches!(column, Column::Missing(_));
    let missing = columns.iter().filter(is_missing).count();
    println!(
        "{} clauses on {} fabrics with {} images: {}",
        options.clauses.len(),
        columns.len() - missing,
        words(&options.images),
        match failures {
            0 => "all is as promised".into(),
            _ => format!("{failures} times something is not as promised"),
        }
    );
    failures == 0 && lacks == 0 && missing < columns.len()
}

fn words(counts: &[usize]) -> String {
    let counts: Vec<_> = counts.iter().map(usize::to_string).collect();
    counts.join(", ")
}

fn column(options: &Options, fabric: Fabric) -> Column {
    if let Err(why) = fabric.is_there() {
        return Column::Missing(why);
    }
    let tried = options.images.iter().map(|&images| {
        show_progress(&format!("{fabric}, {images} images"));
        let suite = Suite {
            fabric,
            images,
            program: &options.program,
            limit: options.limit,
            environment: vec![],
            isolated: false,
        };
        (images, suite.try_all(&options.clauses))
    });
    Column::Tried(tried.collect())
}

/// Shows progress, if standard error is a terminal.
pub(crate) fn show_progress(what: &str) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        // It does no harm if nobody sees it.
        let _ = write!(stderr, "\r\x1b[K{what}").and_then(|()| stderr.flush());
    }
}

fn cell(column: &Column, row: usize) -> &'static str {
    let Column::Tried(tried) = column else {
        return "-";
    };
    let outcomes = || tried.iter().map(|(_, outcomes)| &outcomes[row]);
    if outcomes().any(|outcome| matches!(outcome, Outcome::Failed(_))) {
        "FAIL"
    } else if outcomes().any(|outcome| *outcome == Outcome::Passed) {
        "ok"
    } else {
        "-"
    }
}

fn rows(options: &Options, columns: &[(Fabric, Column)]) -> String {
    let names: Vec<String> = columns
        .iter()
        .map(|(fabric, _)| fabric.to_string())
        .collect();
    let width = terminal_size().map_or(WIDTH, |(columns, _)| usize::from(columns));
    let taken: usize = names.iter().map(|name| name.len() + 2).sum();
    let room = width.saturating_sub(taken).max(ID + 30);

    let mut text = format!("{:<room$}", "clause");
    for name in &names {
        text += &format!("  {name}");
    }
    text.push('\n');
    for section in clauses::SECTIONS {
        let in_section = |(_, clause): &(usize, &&'static Clause)| {
            section.clauses.iter().any(|other| other.id == clause.id)
        };
        let mut of_section = options
            .clauses
            .iter()
            .enumerate()
            .filter(in_section)
            .peekable();
        if of_section.peek().is_some() {
            text += &format!("{} {}\n", section.number, section.title);
        }
        for (row, clause) in of_section {
            let promise = shortened(clause.promise, room - ID - 1);
            let dots = room - ID - 1 - promise.chars().count();
            text += &format!(" {:<ID$}{promise}{}", clause.id, leader(dots));
            for (name, (_, column)) in names.iter().zip(columns) {
                text += &format!("  {:<1$}", cell(column, row), name.len());
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
    }
    text
}

/// Dots that lead the eye to the cells.
fn leader(room: usize) -> String {
    match room {
        0..=2 => " ".repeat(room),
        _ => format!(" {}", ".".repeat(room - 1)),
    }
}

fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.into();
    }
    let kept: String = text.chars().take(room - 1).collect();
    format!("{}…", kept.trim_end())
}

/// Prints all failures; returns their number.
fn print_failures(options: &Options, columns: &[(Fabric, Column)]) -> usize {
    let mut failures = 0;
    for (row, clause) in options.clauses.iter().enumerate() {
        for (fabric, column) in columns {
            let Column::Tried(tried) = column else {
                continue;
            };
            for (images, outcomes) in tried {
                if let Outcome::Failed(why) = &outcomes[row] {
                    println!("{} on {fabric} with {images} images: {why}", clause.id);
                    failures += 1;
                }
            }
        }
    }
    if failures > 0 {
        println!();
    }
    failures
}
