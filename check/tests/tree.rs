//! All programs of the repository: examples, applications, the book with its listings, tests, benchmarks, examples in the documentation.
//! What is found there is wrong on purpose, and listed here.

mod command;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Programs that show what is said of mistakes, and how many each has that can be seen without running it.
const WRONG_ON_PURPOSE: [(&str, usize); 29] = [
    ("book/programs/mistakes/collectives.rs", 5),
    ("coarray/tests/asynchronous_memory.rs", 2),
    ("coarray/tests/deadlocks.rs", 2),
    ("coarray/tests/soundness/arrays.rs", 1),
    ("coarray/tests/soundness/identity.rs", 1),
    ("coarray/tests/soundness/wakers.rs", 1),
    ("coarray/tests/whole_programs/asynchronous.rs", 1),
    ("coarray/tests/whole_programs/disagreements.rs", 2),
    ("coarray/tests/whole_programs/failing.rs", 2),
    ("coarray/tests/whole_programs/limits.rs", 1),
    ("coarray/tests/whole_programs/programs.rs", 1),
    ("coarray/tests/whole_programs/readers.rs", 1),
    ("conformance/src/clauses/errors.rs", 3),
    ("examples/deadlock_gallery/collectives.rs", 1),
    ("examples/deadlock_gallery/events.rs", 1),
    ("io/tests/refusals.rs", 1),
    ("io/tests/reports.rs", 2),
    ("proptests/tests/asynchronous/apart.rs", 2),
    ("proptests/tests/asynchronous/failed.rs", 1),
    ("proptests/tests/asynchronous/reports.rs", 6),
    ("proptests/tests/collectives/serialised.rs", 2),
    ("proptests/tests/halos/errors.rs", 2),
    ("proptests/tests/irregular/waits.rs", 2),
    ("proptests/tests/mismatches/absent.rs", 2),
    ("proptests/tests/mismatches/alike.rs", 1),
    ("proptests/tests/mismatches/kinds.rs", 1),
    ("proptests/tests/mismatches/many_nodes.rs", 2),
    ("proptests/tests/mismatches/posts.rs", 6),
    ("collectives/tests/movement.rs", 2),
];

#[test]
fn only_what_is_wrong_on_purpose_is_found_in_all_packages() {
    let run = command::check(["--workspace"]);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for (file, _) in command::calls(&run.text) {
        *found.entry(file).or_default() += 1;
    }
    let expected: BTreeMap<String, usize> = WRONG_ON_PURPOSE
        .map(|(file, count)| (file.to_owned(), count))
        .into();
    assert_eq!(found, expected, "{}\n{}", run.text, run.errors);
    assert_eq!(run.code, Some(1));
}

/// Their reports are on the same pages.
const WRONG_LISTINGS: [&str; 2] = ["book+src+debugging.md", "book+src+local.md"];

#[test]
fn only_what_is_wrong_on_purpose_is_found_in_listings() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for source in sources(command::workspace()) {
        let text = fs::read_to_string(&source).unwrap();
        for (line, listing) in listings(
            &text,
            source
                .extension()
                .is_some_and(|extension| extension == "rs"),
        ) {
            let name = command::short(&source).replace('/', "+");
            let file = folder.path().join(format!("{name}+{line}.rs"));
            fs::write(&file, listing).unwrap();
            files.push(file);
        }
    }
    assert!(files.len() > 500, "{}", files.len());
    let run = command::check(&files);
    assert_eq!(run.code, Some(1), "{}", run.errors);
    let found = command::calls(&run.text);
    let names = found
        .iter()
        .map(|(file, _)| file.rsplit('/').next().unwrap().rsplit_once('+').unwrap().0);
    let mut found: Vec<&str> = names.collect();
    found.sort_unstable();
    assert_eq!(found, WRONG_LISTINGS, "{}", run.text);
}

/// The sources and chapters of the workspace.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "target" || name == "tests" {
            continue;
        }
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "rs" || extension == "md")
        {
            files.push(path);
        }
    }
    files
}

/// The blocks of Rust in a page, or in the comments of a source, by their first lines; as programs, if they are.
fn listings(text: &str, in_comments: bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, bool, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let line = match in_comments {
            true => match line
                .trim_start()
                .strip_prefix("///")
                .or(line.trim_start().strip_prefix("//!"))
            {
                Some(comment) => comment.strip_prefix(' ').unwrap_or(comment),
                None => {
                    open = None;
                    continue;
                }
            },
            false => line,
        };
        if let Some(language) = line.trim_start().strip_prefix("```") {
            open = match open.take() {
                Some((first, is_rust, listing)) => {
                    if is_rust && let Some(program) = program(&listing) {
                        found.push((first, program));
                    }
                    None
                }
                None => {
                    // What does not compile may be anything.
                    let known = ["rust", "should_panic", "no_run"];
                    let is_rust = match language.is_empty() {
                        true => in_comments,
                        false => language.split(',').all(|word| known.contains(&word)),
                    };
                    Some((index + 1, is_rust, String::new()))
                }
            };
        } else if let Some((_, _, listing)) = &mut open {
            // Hidden lines.
            let line = line
                .strip_prefix("# ")
                .unwrap_or(if line == "#" { "" } else { line });
            listing.push_str(line);
            listing.push('\n');
        }
    }
    found
}

fn program(listing: &str) -> Option<String> {
    let alone = listing.contains("fn main(").then(|| listing.to_owned());
    let program = alone.unwrap_or_else(|| format!("fn main() {{ {listing}\n}}"));
    syn::parse_file(&program).is_ok().then_some(program)
}
