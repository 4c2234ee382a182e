//! The book and this crate agree: every chapter is tested, and no listing hides from the tests.

use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the chapters, in order.
fn chapters() -> Vec<String> {
    let summary = read("src/SUMMARY.md");
    let links = summary.lines().filter_map(|line| line.split_once("]("));
    links
        .map(|(_, rest)| {
            rest.trim_end_matches(')')
                .trim_end_matches(".md")
                .to_owned()
        })
        .collect()
}

/// The fenced blocks of a chapter: what follows the fence, and the lines.
fn blocks(chapter: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let text = read(&format!("src/{chapter}.md"));
    let mut lines = text.lines().map(str::trim_start);
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines
                .by_ref()
                .take_while(|line| !line.starts_with("```"))
                .collect();
            blocks.push((language.to_owned(), body.join("\n")));
        }
    }
    blocks
}

#[test]
fn every_chapter_is_a_module_whose_listings_are_run() {
    let library = read("lib.rs");
    let list = library.split_once("chapters! {").unwrap().1;
    let (list, _) = list.split_once('}').unwrap();
    let modules = Vec::from_iter(list.split_whitespace());
    assert_eq!(chapters(), modules);
}

#[test]
fn listings_that_are_not_run_where_they_stand_are_programs_that_are_tested() {
    let tests = read("tests/programs.rs") + &read("tests/errors.rs");
    for chapter in chapters() {
        for (language, body) in blocks(&chapter) {
            if !language.starts_with("rust,ignore") && !language.starts_with("rust,no_run") {
                continue;
            }
            if body.trim().starts_with("{{#include ../tests/") {
                continue;
            }
            let included = body.trim().strip_prefix("{{#include ../programs/");
            let name = included.and_then(|rest| rest.split_once(".rs"));
            let (file, _) =
                name.unwrap_or_else(|| panic!("{chapter}: a listing is not run:\n{body}"));
            // A program may be a folder of files.
            let name = file.split('/').next().unwrap();
            assert!(
                tests.contains(&format!("\"{name}\"")),
                "{chapter}: no test starts {name}"
            );
        }
    }
}

#[test]
fn at_least_sixty_listings_run() {
    let all = chapters();
    let listings = all.iter().flat_map(|chapter| blocks(chapter));
    let run =
        listings.filter(|(language, _)| language == "rust" || language == "rust,should_panic");
    let count = run.count();
    assert!(count >= 60, "{count} listings");
    assert!(all.len() >= 16, "{} chapters", all.len());
}

#[test]
fn every_chapter_has_two_exercises_with_solutions() {
    for chapter in chapters() {
        // Reference, without a lesson.
        if ["glossary", "internals", "errors"].contains(&chapter.as_str()) {
            continue;
        }
        let text = read(&format!("src/{chapter}.md"));
        let solutions = text.matches("<summary>Solution").count();
        assert!(
            text.contains("\n## Exercises\n") && solutions >= 2,
            "{chapter}: {solutions} solutions"
        );
    }
}

/// Markdown takes a line that begins with a plus sign for the item of a list, also in the middle of a sentence.
#[test]
fn no_formula_is_broken_before_a_plus_sign() {
    for chapter in chapters() {
        let text = read(&format!("src/{chapter}.md"));
        let mut is_listing = false;
        for line in text.lines() {
            is_listing ^= line.trim_start().starts_with("```");
            assert!(is_listing || !line.starts_with("+ "), "{chapter}: {line}");
        }
    }
}

#[test]
fn links_and_pictures_are_there() {
    for chapter in chapters() {
        let text = read(&format!("src/{chapter}.md"));
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") || file.contains(char::is_whitespace) {
                continue;
            }
            let path = folder().join("src").join(file);
            assert!(path.exists(), "{chapter}: {target} is not there");
        }
    }
}

/// The places that a report quotes, `PROGRAM:LINE:COLUMN` below `programs`.
fn places(text: &str) -> Vec<(String, usize, usize)> {
    let after = text.split("book/programs/").skip(1);
    after
        .filter_map(|rest| {
            let mut parts = rest.split([':', ' ', '\n', ',', '`', ')']);
            let file = parts.next()?.to_owned();
            let line = parts.next()?.parse().ok()?;
            Some((file, line, parts.next()?.parse().ok()?))
        })
        .collect()
}

#[test]
fn reports_name_the_beginning_of_something_in_a_program() {
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = 0;
    for chapter in chapters() {
        for (file, line, column) in places(&read(&format!("src/{chapter}.md"))) {
            let place = format!("{chapter}: {file}:{line}:{column}");
            let program = read(&format!("programs/{file}"));
            let text = program.lines().nth(line - 1).unwrap_or_default();
            let (before, there) = text.split_at_checked(column - 1).unwrap_or((text, ""));
            assert!(
                there.starts_with(is_of_name) || there.starts_with('['),
                "{place} is not there"
            );
            assert!(!before.ends_with(is_of_name), "{place} is within a name");
            found += 1;
        }
    }
    assert!(found > 30, "{found} places");
}
