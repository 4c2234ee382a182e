//! `cobench busy` as its users start it. Nothing is said about how fast anything is.

use crate::run::{assert_refused, printed};
use serde_json::Value;

#[test]
fn every_operation_is_measured_on_all_numbers_of_images_beside_all_numbers_of_loops() {
    let lines = printed("busy --quick --json --images 2,3 --loops 0,1");
    let rows: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let mut cases = Vec::new();
    for operation in ["sync_all", "event_exchange", "notify_ring", "co_sum"] {
        for images in [2, 3] {
            for loops in [0, 1] {
                cases.push((operation, images, loops));
            }
        }
    }
    assert_eq!(rows.len(), cases.len(), "{lines}");
    for (row, (operation, images, loops)) in rows.iter().zip(cases) {
        assert_eq!(row["op"], operation, "{row}");
        assert_eq!(row["images"], images, "{row}");
        assert_eq!(row["loops"], loops, "{row}");
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"));
        assert!(
            number("median") > 0.0 && number("p999") >= number("median"),
            "{row}"
        );
        assert!(number("mean") > 0.0, "{row}");
        if loops == 0 {
            assert!(row["limit"].is_null() && row["met"].is_null(), "{row}");
        } else {
            assert!(number("limit") >= 100_000.0, "{row}");
            assert_eq!(row["met"], number("mean") <= number("limit"), "{row}");
        }
        assert_eq!(row["mpi"].is_null(), row["no_slower"].is_null(), "{row}");
    }
}

#[test]
fn the_table_counts_what_is_met() {
    let table = printed("busy --rounds 1 --quick --images 2 --loops 0,2");
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].ends_with("1 round"), "{table}");
    let heading = lines.iter().find(|line| line.starts_with("operation"));
    assert!(
        heading.is_some_and(|line| line.contains("p99.9")),
        "{table}"
    );
    assert!(lines.last().unwrap().ends_with("targets met"), "{table}");
}

#[test]
fn what_cannot_be_followed_is_refused_in_one_line() {
    for (line, word) in [
        ("busy --loops many", "many"),
        ("busy --images 0", "0"),
        ("busy --only sync_all", "--only"),
        ("busy --rounds none", "none"),
    ] {
        assert_refused(line, word);
    }
}
