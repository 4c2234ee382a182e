//! `cobench scale` as its users start it. Nothing is said about how fast anything is.

#[path = "cobench/run.rs"]
mod run;

use run::{assert_refused, printed};
use serde_json::Value;

const PROGRAMS: [&str; 7] = [
    "life",
    "stencil",
    "p2p",
    "transpose",
    "nstream",
    "random",
    "randomaccess",
];

#[test]
fn every_program_is_scaled_in_both_ways() {
    let lines = printed("scale --quick --json --images 3");
    let mut lines = lines.lines();
    for program in PROGRAMS {
        for scaling in ["strong", "weak"] {
            let mut parameters = Vec::new();
            for images in [1, 2, 3] {
                let line = lines.next().unwrap();
                let row: Value = serde_json::from_str(line).unwrap();
                assert_eq!(row["op"], program, "{line}");
                assert_eq!(row["scaling"], scaling, "{line}");
                assert_eq!(row["images"], images, "{line}");
                for key in ["rate", "ns", "speedup", "efficiency"] {
                    let number = row[key].as_f64().unwrap();
                    assert!(number.is_finite() && number > 0.0, "{key} of {line}");
                }
                assert!(row["unit"].as_str().unwrap().ends_with("/s"), "{line}");
                if images == 1 {
                    assert_eq!(row["speedup"], 1.0, "{line}");
                }
                parameters.push(row["parameters"].clone());
            }
            let grows = parameters[0] != parameters[1];
            assert_eq!(grows, scaling == "weak", "{program}: {parameters:?}");
            assert_eq!(parameters[0] != parameters[2], grows);
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn the_table_has_both_ways_of_scaling() {
    let table = printed("scale --quick --images 2 --only life --fabric threads");
    assert!(table.contains("2 images as threads"), "{table}");
    for heading in ["strong scaling", "weak scaling"] {
        assert!(table.contains(heading), "{table}");
    }
    let rows = table.lines().filter(|line| line.starts_with("life"));
    assert_eq!(rows.count(), 4, "{table}");
}

#[test]
fn plots_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let plots = folder.path().join("plots");
    printed(&format!(
        "scale --quick --images 2 --only life,nstream --plot {}",
        plots.display()
    ));
    assert!(plots.join("scale_nstream_rate.svg").exists());
    for scaling in ["strong", "weak"] {
        for what in ["speedup", "efficiency"] {
            let name = format!("scale_{scaling}_{what}.svg");
            let svg = std::fs::read_to_string(plots.join(&name)).unwrap();
            assert!(svg.trim_end().ends_with("</svg>"), "{name}");
            assert!(svg.contains("life") && svg.contains("nstream"), "{name}");
        }
    }
}

#[test]
fn what_cannot_be_followed_is_refused_in_one_line() {
    for (line, word) in [
        ("scale --images 0", "--images 0"),
        ("scale --only dirac", "stencil"),
        ("scale --bytes 3", "--bytes"),
    ] {
        assert_refused(line, word);
    }
}
