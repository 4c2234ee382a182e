//! The program `microstructure`: the same grains on any number of images, on every fabric, and as in a model without
//! images.

mod place;
mod serial;

use std::collections::BTreeMap;
use std::path::Path;

use place::{places, value};
use serial::solidify;
use testing::programs::{self, *};

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

/// All files in a directory, by name.
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
    // They are uniform from 0 to 1 if theory and model agree: the mean of 12 is 0.5, with a standard deviation of
    // 0.083.
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

fn refusal(images: usize, arguments: &[&str]) -> String {
    programs::refusal(images, "microstructure", arguments)
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
    assert_prints_help_once("microstructure");
}

#[test]
fn it_writes_what_it_is_told_to_write_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let short = ["--size", "9x9x9"];
    assert_leaves_no_file(folder.path(), "microstructure", &short);
    for option in ["--png", "--sizes", "--misorientations"] {
        assert_tells_of_a_full_disk("microstructure", &short, option);
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let trillion = "1000000000000";
    let size = ["--size", "1048576x1048576x1048576"];
    let large = [&size[..], &["--cells-per-grain", trillion]].concat();
    assert_refuses_what_is_no_unicode("microstructure");
    assert_refuses_what_is_too_large("microstructure", &large);
}
