//! The messages in the chapters are the ones that programs print now.
//!
//! A block of text that begins with `$ COMMAND` shows what the command prints and, in the last line, its exit code. To
//! write these blocks anew, after a change of the library, and look at the differences:
//!
//! ```text
//! COARRAY_BOOK=overwrite cargo test -p coarray-book --test errors
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use coarray::prelude::*;

/// The chapters that show messages.
const CHAPTERS: [&str; 3] = ["errors", "debugging", "races"];

/// The number of images of a block that names no other.
const IMAGES: &str = "4";

/// In the first line of a block: any image may be the one that the message names.
const ANY_IMAGE: &str = "# any image may be the first to say so";

/// Which images it names, in which order and how often, is not the same in each run.
const ANY_NUMBERS: &str = "# numbers of images differ from run to run";

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn chapter_path(chapter: &str) -> PathBuf {
    book().join(format!("src/{chapter}.md"))
}

/// The folder in which `cargo test` has built the programs.
fn built() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.ancestors().nth(2).unwrap().to_owned()
}

/// The program that a command names, and how to build it.
fn program(name: &str) -> PathBuf {
    let (path, build) = match name {
        "mistakes" => ("examples/mistakes", "-p coarray-book --examples"),
        "races" => ("examples/races", "-p coarray-book --examples"),
        "deadlock_gallery" => (
            "examples/deadlock_gallery",
            "-p coarray-examples --examples",
        ),
        "coarun" => ("coarun", "-p coarray --bin coarun"),
        "cargo" => return std::env::current_exe().unwrap(),
        _ => panic!("no chapter shows what {name} prints"),
    };
    let program = built().join(path);
    assert!(program.exists(), "{name} is missing: cargo build {build}");
    program
}

/// Runs the command behind the `$`, in a folder of its own.
fn run(command: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let command = command.split(" #").next().unwrap();
    let mut words = command.split_whitespace().peekable();
    let mut variables = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        variables.push((name, value));
        words.next();
    }
    let name = words.next().unwrap();
    let arguments: Vec<String> = match name {
        "cargo" => ["--ignored", "--exact", "--nocapture"]
            .map(str::to_owned)
            .into_iter()
            .chain(words.last().map(str::to_owned))
            .collect(),
        _ => words
            .map(|word| match word {
                "mistakes" | "races" => program(word).display().to_string(),
                other => other.to_owned(),
            })
            .collect(),
    };
    let mut process = Command::new(program(name));
    for (variable, _) in std::env::vars_os() {
        let is_ours = variable.to_string_lossy().starts_with("COARRAY_");
        if is_ours || variable == "RUST_BACKTRACE" {
            process.env_remove(variable);
        }
    }
    if name == "mistakes" {
        process.env("COARRAY_IMAGES", IMAGES);
    }
    process
        .args(arguments)
        .envs(variables)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

/// The text of a block about this: stdout, stderr and the exit code.
fn shown(command: &str, output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut printed = text(&output.stdout) + &text(&output.stderr);
    if command.starts_with("cargo test") {
        // The part that does not come from the test runner.
        let start = printed.find("thread '").unwrap();
        let end = printed.find("note: run with").unwrap();
        printed = printed[start..end].to_owned();
        return normal(command, &printed);
    }
    let code = output.status.code().unwrap();
    let text = format!("{}\nexit code {code}", printed.trim_end());
    normal(command, text.trim_start_matches('\n'))
}

/// The text without the parts that differ from run to run.
fn normal(command: &str, text: &str) -> String {
    let mut text = numbered(text, "(process ", ")");
    if let Some((before, rest)) = text.split_once("' (") {
        let (_, rest) = rest.split_once(')').unwrap();
        text = format!("{before}' (1234){rest}");
    }
    // Folders of the machine.
    for folder in [built().join("examples"), built()] {
        text = text.replace(&format!("{}/", folder.display()), "");
    }
    if command.ends_with(ANY_IMAGE) {
        for start in ["coarray: image ", "(found by image "] {
            if let Some(at) = text.find(start) {
                let digits = text[at + start.len()..]
                    .find(|end: char| !end.is_ascii_digit())
                    .unwrap();
                text.replace_range(at + start.len()..at + start.len() + digits, "0");
            }
        }
    }
    text.trim_end().to_owned()
}

/// Puts 1234 for a number between `start` and `end`.
fn numbered(text: &str, start: &str, end: &str) -> String {
    let mut parts = text.split(start);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once(end).unwrap();
        text = text + start + "1234" + end + rest;
    }
    text
}

/// The lines of a text in the order of the alphabet, without numbers that stand alone, but with the exit code.
fn without_numbers(text: &str) -> Vec<String> {
    let has_letters = |word: &&str| word.contains(char::is_alphabetic);
    let lines = text
        .lines()
        .map(|line| match line.starts_with("exit code") {
            true => line.to_owned(),
            false => Vec::from_iter(line.split(' ').filter(has_letters)).join(" "),
        });
    let mut lines = Vec::from_iter(lines);
    lines.sort_unstable();
    lines
}

/// The commands that do not print what a chapter says; the chapter with what they print now.
fn compare(chapter: &str) -> (Vec<String>, String) {
    const FENCE: &str = "```text\n$ ";
    let text = fs::read_to_string(chapter_path(chapter)).unwrap();
    let mut parts = text.split(FENCE);
    let mut now = parts.next().unwrap().to_owned();
    let mut differences = Vec::new();
    for part in parts {
        let (block, rest) = part.split_once("```\n").unwrap();
        let (command, said) = block.split_once('\n').unwrap();
        let output = run(command);
        // Built with all features, the program has a fabric that the chapter's has not.
        let has_mpi = command.contains("=mpi") && !said.is_empty() && {
            let bytes = fs::read(program("mistakes")).unwrap();
            bytes.windows(8).any(|window| window == b"MPI_Init")
        };
        let printed = match has_mpi {
            true => said.trim_end().to_owned(),
            false => shown(command, &output),
        };
        let said = said.trim_end();
        let agree = match command.ends_with(ANY_NUMBERS) {
            true => without_numbers(said) == without_numbers(&printed),
            false => said == printed,
        };
        if !agree {
            differences.push(format!(
                "{chapter}: $ {command}\nsays:\n{said}\nprints:\n{printed}\n"
            ));
        }
        let right = if agree { said } else { &printed };
        now += &format!("{FENCE}{command}\n{right}\n```\n{rest}");
    }
    (differences, now)
}

#[test]
fn messages_are_as_the_chapters_say() {
    let overwrite = std::env::var_os("COARRAY_BOOK").is_some_and(|wish| wish == "overwrite");
    let mut all = Vec::new();
    for chapter in CHAPTERS {
        let (differences, now) = compare(chapter);
        if overwrite {
            fs::write(chapter_path(chapter), now).unwrap();
        } else {
            all.extend(differences);
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn every_mistake_and_every_race_is_in_a_chapter() {
    let read = |chapter| fs::read_to_string(chapter_path(chapter)).unwrap();
    let text = CHAPTERS.map(read).concat();
    for (shown, at_least) in [("mistakes", 31), ("races", 8)] {
        let output = Command::new(program(shown))
            .env("COARRAY_IMAGES", "1")
            .output()
            .unwrap();
        let list = String::from_utf8(output.stdout).unwrap();
        assert!(list.lines().count() >= at_least, "{list}");
        for name in list.lines() {
            assert!(
                text.contains(&format!("{shown} {name}")),
                "{name} is not shown"
            );
        }
    }
}

/// The listings that do not compile, and the text that follows each.
fn compile_errors(chapter: &str) -> Vec<(String, String)> {
    let parts = chapter.split("```rust,compile_fail\n").skip(1);
    parts
        .map(|part| {
            let (listing, rest) = part.split_once("```\n").unwrap();
            let text = rest.split_once("```text,aligned\n").unwrap().1;
            let (text, _) = text.split_once("```\n").unwrap();
            (listing.to_owned(), text.to_owned())
        })
        .collect()
}

/// The program of a test of the library that is this listing: its name, what precedes the listing, and the message.
fn recorded(listing: &str) -> (String, usize, String) {
    let folder = book().join("../coarray/tests/compile_fail");
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        if let Some(header) = source.strip_suffix(listing) {
            let only_comments = header
                .lines()
                .all(|line| line.is_empty() || line.starts_with("//!"));
            assert!(only_comments, "{}", path.display());
            let message = fs::read_to_string(path.with_extension("stderr")).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            return (name, header.lines().count(), message);
        }
    }
    panic!("no test of the library has this listing:\n{listing}")
}

/// A line of a message, with the program called `src/main.rs` and its line numbers lowered by `lines`.
fn moved(line: &str, name: &str, lines: usize) -> String {
    let line = line.replace(&format!("tests/compile_fail/{name}.rs"), "src/main.rs");
    let (before, number, after) = if let Some((before, rest)) = line.split_once("src/main.rs:") {
        let (number, after) = rest.split_once(':').unwrap();
        (format!("{before}src/main.rs:"), number, format!(":{after}"))
    } else {
        let digits = line.trim_start();
        let number = digits.split(' ').next().unwrap_or_default();
        let before = line.len() - digits.len();
        (
            line[..before].to_owned(),
            number,
            digits[number.len()..].to_owned(),
        )
    };
    match number.parse::<usize>() {
        Ok(was) => {
            let now = (was - lines).to_string();
            // Numbers in the margin keep their right edge.
            let fill = match after.starts_with(':') {
                true => 0,
                false => number.len() - now.len(),
            };
            format!("{before}{:fill$}{now}{after}", "")
        }
        Err(_) => line,
    }
}

#[test]
fn compile_errors_are_those_of_the_library_s_tests() {
    let chapter = fs::read_to_string(chapter_path("errors")).unwrap();
    let errors = compile_errors(&chapter);
    assert!(errors.len() >= 10, "{} compile errors", errors.len());
    for (listing, text) in errors {
        let (name, header, message) = recorded(&listing);
        let mut printed = message.lines().map(|line| moved(line, &name, header));
        for line in text.lines().filter(|line| *line != "...") {
            assert!(
                printed.any(|other| other == line),
                "{name}: the message has not, or not there:\n{line}\nbut\n{}",
                message
                    .lines()
                    .map(|line| moved(line, &name, header) + "\n")
                    .collect::<String>()
            );
        }
    }
}

#[coarray::test(images = [1, 2, 3])]
#[ignore = "fails: the chapter on debugging shows how"]
fn letters_come_from_the_left() {
    let right = (this_image() + 1) % num_images();
    let mut letter = Coarray::new(0);
    let open = letter.open();
    open.at(right).put(this_image());
    drop(open);
    if this_image() == 0 {
        assert_eq!(*letter, right, "the letter is from the neighbour");
    }
}
