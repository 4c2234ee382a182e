//! The program `microstructure`: the same grains on any number of images and on every fabric, and those of a model
//! without images.

// The modules of the program: their own tests run here, for an example is built without. Not all of what they have is
// tested directly.
#![allow(dead_code)]

#[path = "../../microstructure/clock.rs"]
mod clock;
#[path = "../../shared/command_line.rs"]
mod command_line;
#[path = "../../microstructure/contacts.rs"]
mod contacts;
#[path = "../../microstructure/crack.rs"]
mod crack;
#[path = "../../microstructure/cubic.rs"]
mod cubic;
#[path = "../../microstructure/files.rs"]
mod files;
#[path = "../../microstructure/front.rs"]
mod front;
#[path = "../../microstructure/goodness.rs"]
mod goodness;
#[path = "../../shared/histogram.rs"]
mod histogram;
#[path = "../../microstructure/lattice.rs"]
mod lattice;
#[path = "../../microstructure/mackenzie.rs"]
mod mackenzie;
#[path = "../../microstructure/nuclei.rs"]
mod nuclei;
#[path = "../../microstructure/options.rs"]
mod options;
#[path = "../../shared/plots.rs"]
mod plots;
#[path = "../../microstructure/random.rs"]
mod random;
#[path = "../../microstructure/reduction.rs"]
mod reduction;
#[path = "../../microstructure/report.rs"]
mod report;
#[path = "../../microstructure/rotation.rs"]
mod rotation;
#[path = "../../microstructure/slice.rs"]
mod slice;
#[path = "../../microstructure/solidify.rs"]
mod solidify;
#[path = "../../microstructure/texture.rs"]
mod texture;

mod program;
mod serial;

use std::collections::BTreeMap;
use std::path::Path;

use program::{places, value};
use serial::solidify;

/// Uneven, so that blocks differ, and with an axis longer than a word of bits.
const SIZE: [i64; 3] = [71, 18, 15];
const COUNTS: [usize; 5] = [1, 2, 3, 4, 8];

/// The cells of a file for NumPy.
fn cells(file: &Path) -> Vec<u32> {
    let bytes = std::fs::read(file).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY"));
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[10..header]).into_owned();
    assert!(
        text.contains("'<u4'") && text.contains("(15, 18, 71)"),
        "{text}"
    );
    let words = bytes[header..].chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// All files in a directory, but for the time they took.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                std::fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

#[test]
fn grains_are_those_of_the_serial_model_on_any_number_of_images_and_every_fabric() {
    for (boundary, seed) in [("fixed", 5), ("periodic", 6)] {
        let (expected, iterations) = solidify(SIZE, 300, seed, boundary == "periodic");
        let mut first = None;
        for place in places() {
            for images in COUNTS {
                let directory = tempfile::tempdir().unwrap();
                let seed = seed.to_string();
                let arguments = [
                    "--size=71x18x15",
                    "--cells-per-grain=300",
                    "--seed",
                    &seed,
                    "--boundary",
                    boundary,
                    "--npy=grains.npy",
                    "--vti=model.vti",
                    "--png=plane.png",
                    "--sizes=sizes.svg",
                    "--misorientations=angles.svg",
                    "--quiet",
                ];
                let lines = place.lines(images, directory.path(), &arguments);
                let context = format!("{boundary}, {place:?}, {images} images");
                let found = cells(&directory.path().join("grains.npy"));
                assert!(found == expected, "{context}");
                assert!(!found.contains(&0));
                assert_eq!(
                    value(&lines, "iterations"),
                    iterations.to_string(),
                    "{context}"
                );
                assert_eq!(value(&lines, "sum of grain volumes"), "19170 cells");
                assert_eq!(value(&lines, "grains"), "63");
                let files = files(directory.path());
                let names: Vec<&str> = files.keys().map(String::as_str).collect();
                let all = [
                    "angles.svg",
                    "grains.npy",
                    "model.vti",
                    "plane.png",
                    "sizes.svg",
                ];
                assert_eq!(names, all, "{context}");
                // The crack, the boundaries and the pictures are the same as well.
                let first = first.get_or_insert_with(|| files.clone());
                for name in all {
                    assert!(files[name] == first[name], "{name}: {context}");
                }
            }
        }
    }
}

#[test]
fn what_is_printed_but_for_times_is_the_same_on_any_number_of_images() {
    let directory = tempfile::tempdir().unwrap();
    let mut first = None;
    for place in places() {
        for images in COUNTS {
            let arguments = ["--size=24x24x24", "--cells-per-grain=100", "--quiet"];
            let mut lines = place.lines(images, directory.path(), &arguments);
            let [rate, time] = [lines.len() - 2, lines.len() - 1].map(|line| lines[line].clone());
            assert!(
                rate.starts_with("rate: ") && rate.ends_with(" Mcell/s with co-sum"),
                "{rate}"
            );
            assert!(
                time.starts_with("time: ") && time.contains("exchanging"),
                "{time}"
            );
            lines.truncate(lines.len() - 2);
            assert_eq!(
                first.get_or_insert_with(|| lines.clone()),
                &lines,
                "{place:?}, {images} images"
            );
        }
    }
    assert!(files(directory.path()).is_empty());
}

#[test]
fn all_reductions_give_the_same_grains() {
    let directory = tempfile::tempdir().unwrap();
    let (expected, _) = solidify(SIZE, 300, 7, false);
    for place in places() {
        for images in [1, 3, 4] {
            for reduction in ["read-all", "serial", "divide", "co-sum"] {
                let arguments = [
                    "--size=71x18x15",
                    "--cells-per-grain=300",
                    "--seed=7",
                    "--npy=grains.npy",
                    "--reduction",
                    reduction,
                ];
                place.lines(images, directory.path(), &arguments);
                let found = cells(&directory.path().join("grains.npy"));
                assert!(found == expected, "{reduction}, {place:?}, {images} images");
            }
        }
    }
}

#[test]
fn reductions_are_compared_in_a_table() {
    let directory = tempfile::tempdir().unwrap();
    for place in places() {
        let arguments = ["--size=16x16x16", "--compare-reductions", "--quiet"];
        let lines = place.lines(3, directory.path(), &arguments);
        assert!(
            lines[0].starts_with("reductions on 3 images, "),
            "{lines:#?}"
        );
        for (line, name) in lines[2..]
            .iter()
            .zip(["read-all", "serial", "divide", "co-sum"])
        {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!((words[0], words.len()), (name, 4));
            let numbers = words[1..].iter().map(|word| word.parse::<f64>().unwrap());
            assert!(numbers.into_iter().all(|number| number >= 0.0));
        }
    }
}

#[test]
fn misorientations_follow_the_theory() {
    let directory = tempfile::tempdir().unwrap();
    let mut probabilities = Vec::new();
    for seed in 1..=12 {
        let seed = seed.to_string();
        let arguments = [
            "--size=48x48x48",
            "--cells-per-grain=50",
            "--quiet",
            "--seed",
            &seed,
        ];
        let lines = places()[0].lines(2, directory.path(), &arguments);
        let text = value(&lines, "misorientations");
        let pairs: f64 = text.split_whitespace().next().unwrap().parse().unwrap();
        assert!(pairs > 10_000.0, "{text}");
        let probability: f64 = text.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(probability >= 0.001, "seed {seed}: {text}");
        probabilities.push(probability);
    }
    // They are spread evenly from 0 to 1 if theory and model agree: the mean of 12 is 0.5 and strays by 0.083.
    let mean = probabilities.iter().sum::<f64>() / probabilities.len() as f64;
    assert!((0.2..0.8).contains(&mean), "{probabilities:?}");
}

#[test]
fn a_single_grain_fills_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["--size=9x8x7", "--cells-per-grain=1000", "--quiet"];
    let lines = places()[0].lines(2, directory.path(), &arguments);
    assert_eq!(value(&lines, "grains"), "1");
    assert_eq!(value(&lines, "boundary cells"), "0");
    assert_eq!(value(&lines, "contacts"), "0 pairs of grains, 0 faces");
    assert!(value(&lines, "crack").contains(" cells in 1 grains"));
}

#[test]
fn a_model_of_nuclei_alone_is_solid_from_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["--size=5x4x3", "--cells-per-grain=1", "--quiet"];
    for images in [1, 3] {
        let lines = places()[0].lines(images, directory.path(), &arguments);
        assert_eq!(value(&lines, "grains"), "60");
        assert_eq!(value(&lines, "iterations"), "0");
        assert_eq!(value(&lines, "boundary cells"), "60");
    }
}

/// The exit code is 2 and stderr is one line, which is returned.
fn refusal(images: usize, arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let output = places()[0].run(images, directory.path(), arguments);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert_eq!(message.lines().count(), 1, "{arguments:?}: {message}");
    assert!(output.stdout.is_empty());
    message
}

#[test]
fn bad_input_is_refused_in_one_line_before_anything_is_computed() {
    for images in [1, 4] {
        assert!(refusal(images, &["--sise"]).contains("--sise"));
        assert!(refusal(images, &["--size", "10x10"]).contains("10x10"));
        assert!(refusal(images, &["--stress=0,0,0"]).contains("0,0,0"));
        for option in ["--png", "--vti", "--npy", "--sizes", "--misorientations"] {
            let file = "no/such/directory/file";
            assert!(
                refusal(images, &["--size=9x9x9", option, file]).contains(file),
                "{option}"
            );
        }
        let too_many = ["--size=4096x4096x4096", "--cells-per-grain=1"];
        assert!(refusal(images, &too_many).contains("--cells-per-grain"));
    }
    assert!(refusal(8, &["--size=2x1x3"]).contains("8 images"));
}

#[test]
fn help_is_printed_once() {
    let directory = tempfile::tempdir().unwrap();
    let lines = places()[0].lines(3, directory.path(), &["--help"]);
    let usages = lines
        .iter()
        .filter(|line| line.starts_with("usage: microstructure"));
    assert_eq!(usages.count(), 1);
}
