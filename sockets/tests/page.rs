//! The page "Write a fabric" shows code of this crate, and no other.

use std::fs;
use std::path::Path;

/// Lines without their indentation, which the page changes as it likes.
fn plain(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

fn sources(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let files = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    files.map(|text| plain(&text)).collect()
}

#[test]
fn each_piece_of_code_on_the_page_is_in_a_file() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("../fabric/src/write_a_fabric.md")).unwrap();
    let files = [sources(&here.join("src")), sources(&here.join("examples"))].concat();
    let pieces = page.split("```rust,ignore\n").skip(1);
    let pieces: Vec<_> = pieces
        .map(|rest| plain(rest.split("\n```").next().unwrap()))
        .collect();
    assert!(pieces.len() > 10);
    for piece in pieces {
        assert!(
            files.iter().any(|file| file.contains(&piece)),
            "no file of this crate has:\n{piece}"
        );
    }
}
