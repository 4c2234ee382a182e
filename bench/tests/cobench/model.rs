//! `cobench model` as its users start it.

use std::collections::BTreeSet;

use crate::run::{assert_refused, printed, run};
use coarray_collectives::{Algorithm, Kind};
use coarray_runtime::Barrier;
use serde_json::Value;

/// The JSON objects that a successful run prints.
fn objects(line: &str) -> Vec<Value> {
    let object =
        |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    printed(line).lines().map(object).collect()
}

fn number(object: &Value, key: &str) -> f64 {
    object[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} of {object}"))
}

#[test]
fn every_algorithm_is_predicted() {
    let objects = objects("model --quick --json");
    let mut expected = BTreeSet::new();
    let all = |kind: &Kind| !matches!(kind, Kind::SumReproducible | Kind::TotalReproducible);
    for images in [32, 1024] {
        for barrier in Barrier::ALL {
            expected.insert(("sync_all".to_owned(), barrier.name().to_owned(), images));
        }
        for kind in Kind::ALL.into_iter().filter(all) {
            let algorithms = kind.algorithms().iter();
            // Values are posted on one machine only, and the library of a network is not modelled.
            let is_modelled = |one: &&Algorithm| {
                ![Algorithm::Eager, Algorithm::Fabric, Algorithm::InPlace].contains(*one)
            };
            for algorithm in algorithms.filter(is_modelled) {
                expected.insert((kind.name().to_owned(), algorithm.name().to_owned(), images));
            }
        }
    }
    let text = |object: &Value, key: &str| object[key].as_str().unwrap().to_owned();
    let rows: BTreeSet<_> = objects
        .iter()
        .map(|object| {
            let images = object["images"].as_u64().unwrap();
            (text(object, "op"), text(object, "algorithm"), images)
        })
        .collect();
    assert_eq!(rows, expected);
    assert_eq!(objects.len(), expected.len());
    for object in &objects {
        assert!(number(object, "ns") > 0.0 && number(object, "ns").is_finite());
        let sent = number(object, "messages") + number(object, "signals");
        assert!(sent >= number(object, "images") - 1.0, "{object}");
        let rivals = || {
            objects
                .iter()
                .filter(|other| other["op"] == object["op"] && other["images"] == object["images"])
        };
        let best = rivals()
            .map(|other| number(other, "ns"))
            .fold(f64::INFINITY, f64::min);
        assert_eq!(object["fastest"], number(object, "ns") <= best, "{object}");
    }
}

#[test]
fn the_network_is_the_one_that_was_asked_for() {
    let options = "--only sync_all --latency 6us --overhead 2us --gap 4us --gap-per-byte 0.1ns";
    let objects = objects(&format!("model --json --images 2,3 {options}"));
    let dissemination: Vec<f64> = objects
        .iter()
        .filter(|object| object["algorithm"] == "dissemination")
        .map(|object| number(object, "ns"))
        .collect();
    assert_eq!(dissemination, [10_000.0, 20_000.0]);
}

#[test]
fn the_table_names_the_fastest() {
    let output = run("model --only co_sum --images 64 --bytes 8000000");
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("8000000 bytes"), "{table}");
    let fastest: Vec<&str> = table
        .lines()
        .filter(|line| line.ends_with("fastest"))
        .collect();
    assert_eq!(fastest.len(), 1, "{table}");
    assert!(fastest[0].trim_start().starts_with("64"), "{table}");
}

#[test]
fn plots_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let plots = folder.path().join("plots");
    let output = run(&format!(
        "model --only co_scan --quick --plot {}",
        plots.display()
    ));
    assert!(output.status.success(), "{output:?}");
    for name in ["model_co_scan.svg", "model_co_scan_messages.svg"] {
        let svg = std::fs::read_to_string(plots.join(name)).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for algorithm in ["flat", "recursive_doubling", "chain"] {
            assert!(svg.contains(algorithm), "{name}: {algorithm}");
        }
    }
}

#[test]
fn predictions_stand_beside_measurements() {
    let objects =
        objects("model --measured --quick --json --images 2 --only sync_all,co_broadcast");
    let (machine, rows) = objects.split_first().unwrap();
    assert!(number(machine, "overhead_ns") > 0.0);
    assert!(number(machine, "latency_ns").is_finite());
    assert_eq!(rows[0]["op"], "sync_all");
    let broadcasts = rows
        .iter()
        .filter(|row| row["op"] == "co_broadcast")
        .count();
    assert!(broadcasts > 5 && rows.len() == broadcasts + 1);
    for row in rows {
        for key in ["ns", "predicted_ns", "ratio"] {
            assert!(
                number(row, key) > 0.0 && number(row, key).is_finite(),
                "{row}"
            );
        }
        assert_eq!(row["images"], 2);
    }
}

#[test]
fn what_cannot_be_followed_is_refused_in_one_line() {
    for (line, word) in [
        ("model --latency 5", "a time such as"),
        ("model --gap -1us", "a time such as"),
        ("model --images 0", "from 1 to"),
        ("model --only co_some", "co_broadcast"),
        ("model --measured --images 100000", "from 1 to"),
        ("model --measured --plot x", "--plot"),
    ] {
        assert_refused(line, word);
    }
}
