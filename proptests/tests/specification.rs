//! The tables of `README.md` name tests that exist, and all operations of the library.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of this crate.
fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The texts and targets of links whose text is code, as ``[`text`](target)``.
fn links(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("[`").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once("`](")?;
        Some((name, rest.split_once(')')?.0))
    })
}

/// What stands between single backticks.
fn code(text: &str) -> BTreeSet<&str> {
    let spans = text
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2));
    // `Coarray::new` names the last of its parts, `field!` the macro.
    let names = spans.flat_map(|span| span.split("::"));
    names.map(|name| name.trim_end_matches('!')).collect()
}

/// Whether the source defines a test of that name: a function, or what a macro or a list makes one of.
fn defines(source: &str, name: &str) -> bool {
    let code = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let ways = [
        format!("fn {name}("),
        format!("\"{name}\""),
        format!(" {name}:"),
        format!(" {name},"),
    ];
    code.map(|line| format!(" {}", line.trim_start()))
        .any(|line| ways.iter().any(|way| line.contains(way)))
}

#[test]
fn every_test_that_is_named_exists() {
    let readme = read(&here().join("README.md"));
    let mut named = 0;
    for (name, target) in links(&readme) {
        let path = here().join(target);
        assert!(
            path.is_file(),
            "there is no {target}, where {name} should be"
        );
        // Links to files as such have their names.
        if path.file_name().is_some_and(|file| file == name)
            || path.file_stem().is_none_or(|stem| stem == name)
        {
            continue;
        }
        if target.ends_with(".rs") {
            assert!(
                defines(&read(&path), name),
                "there is no test {name} in {target}"
            );
            named += 1;
        }
    }
    assert!(named > 150, "only {named} tests were found in the tables");
}

/// All sources of a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The names of the public functions and methods in a source, but for those that are hidden from the reference.
fn public_functions(source: &str) -> Vec<String> {
    let (mut names, mut is_hidden) = (Vec::new(), false);
    for line in source.lines().map(str::trim_start) {
        if line.starts_with("#[cfg(test)]") {
            break;
        }
        if let Some((before, after)) = line.split_once("fn ")
            && before.starts_with("pub ")
            && !is_hidden
        {
            let name = after.split(['<', '(']).next().unwrap_or_default();
            names.push(name.to_owned());
        }
        is_hidden = line.contains("doc(hidden)") || (is_hidden && line.starts_with("#["));
    }
    names
}

/// What the lists of `pub use` hand on, but for what only macros use.
fn exported(source: &str) -> BTreeSet<String> {
    let source = source.split("mod __private").next().unwrap_or_default();
    let mut names = BTreeSet::new();
    for item in source.split("pub use ").skip(1) {
        let list = item.split(';').next().unwrap_or_default();
        // In `crate::{a, b}` the list counts, and in `crate::a` the last part.
        let list = list
            .split_once('{')
            .or(list.rsplit_once("::"))
            .map_or(list, |(_, list)| list);
        let words = list.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }
    names
}

#[test]
fn every_operation_is_named() {
    let readme = read(&here().join("README.md"));
    let named = code(&readme);
    let root = here().parent().expect("it is in the workspace");
    let mut operations = BTreeSet::new();
    for folder in ["coarray/src", "coref/src", "sync/src", "io/src"] {
        for path in sources(&root.join(folder)) {
            operations.extend(public_functions(&read(&path)));
        }
    }
    operations.extend(exported(&read(&root.join("coarray/src/lib.rs"))));
    let collectives = exported(&read(&root.join("coarray/src/collectives.rs")));
    operations.extend(
        collectives
            .into_iter()
            .filter(|name| name.contains("co_") || name.starts_with(char::is_uppercase)),
    );
    // Another crate, which is handed on.
    operations.remove("ndarray");
    let missing: Vec<&String> = operations
        .iter()
        .filter(|name| !named.contains(name.as_str()))
        .collect();
    assert!(
        operations.len() > 250,
        "only {} operations were found",
        operations.len()
    );
    assert!(missing.is_empty(), "the tables say nothing of {missing:?}");
}
