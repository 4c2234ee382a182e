//! The files that the tour of the library names exist.

use std::fs;
use std::path::Path;

/// The files in the line below a heading.
fn files(line: &str) -> Vec<String> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| name.ends_with(".rs") || name.ends_with('/'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_room_is_where_it_is_said_to_be() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(repository.join("book/src/internals.md")).unwrap();
    let mut rooms = 0;
    for room in text.split("\n## ").skip(1) {
        let (heading, rest) = room.split_once("\n\n").unwrap();
        let named = files(rest.lines().next().unwrap());
        assert!(!named.is_empty(), "{heading}: where is it?");
        let mut folder = repository.clone();
        for file in named {
            let from_the_top = repository.join(&file);
            if from_the_top.exists() {
                // Names without a folder lie beside the file before them.
                folder = from_the_top.parent().unwrap().to_owned();
                continue;
            }
            let path = folder.join(&file);
            assert!(path.exists(), "{heading}: {} is not there", path.display());
        }
        rooms += 1;
    }
    assert!(rooms >= 15, "{rooms} rooms");
}
