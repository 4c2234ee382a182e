//! Programs in which what is wrong is marked. Nothing else is found, and all of it.

mod command;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn what_is_marked_is_found_and_nothing_else() {
    for name in [
        "conditions",
        "loops",
        "exits",
        "functions",
        "teams",
        "arguments",
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
        let file = folder.join(name).with_extension("rs");
        let run = command::check([&file]);
        let found: BTreeSet<(String, usize)> = command::calls(&run.text).into_iter().collect();
        let mut expected = BTreeSet::new();
        for path in [&file, &folder.join("modules/steps.rs")] {
            let text = fs::read_to_string(path).unwrap();
            let wrong = text
                .lines()
                .enumerate()
                .filter(|(_, line)| line.ends_with("// wrong"));
            if path == &file || name == "functions" {
                expected.extend(wrong.map(|(index, _)| (command::short(path), index + 1)));
            }
        }
        assert!(!expected.is_empty());
        assert_eq!(found, expected, "{name}: {}", run.text);
        assert_eq!(run.code, Some(1));
    }
}
