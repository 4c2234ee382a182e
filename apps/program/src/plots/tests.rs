//! What the files contain.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plot.svg");
    (folder, file)
}

fn plot<'a>(scale: Scale, series: Vec<Series<'a>>) -> Plot<'a> {
    Plot {
        title: "a title",
        subtitle: "two cores",
        x: Axis::plain("size", scale),
        y: Axis::plain("time", scale),
        series,
    }
}

fn marked<'a>(name: &'a str, number: usize, points: &[(f64, f64)]) -> Series<'a> {
    Series {
        name,
        number,
        shape: Shape::Marked(points.to_vec()),
    }
}

/// The names of all elements of an SVG file, which is well formed.
fn elements(svg: &str) -> Vec<String> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "a bracket in a text");
        for (at, _) in rest[..start].match_indices('&') {
            let end = rest[at..].find(';').expect("an entity that ends");
            assert!(["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"].contains(&&rest[at..=at + end]));
        }
        let end = start + rest[start..].find('>').expect("a tag that ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        assert!(
            !tag.contains('<') && tag.matches('"').count().is_multiple_of(2),
            "{tag}"
        );
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let name = tag.split_whitespace().next().unwrap().to_owned();
        if !tag.ends_with('/') && !tag.starts_with('?') {
            open.push(name.clone());
        }
        all.push(name);
    }
    assert!(open.is_empty() && all[0] == "svg", "{open:?}");
    all
}

/// The texts of an SVG file.
fn texts(svg: &str) -> Vec<String> {
    let parts = svg.split("<text").skip(1);
    let text = |part: &str| {
        let (_, text) = part.split_once('>').unwrap();
        text.split_once("</text>").unwrap().0.trim().to_owned()
    };
    parts.map(text).collect()
}

fn count(svg: &str, name: &str) -> usize {
    elements(svg)
        .iter()
        .filter(|element| *element == name)
        .count()
}

fn assert_says(svg: &str, expected: &[&str]) {
    let texts = texts(svg);
    for &expected in expected {
        let is_said = texts.iter().any(|text| text == expected);
        assert!(is_said, "{expected} in {texts:?}");
    }
}

#[test]
fn a_plot_of_lines_has_every_point_and_every_name() {
    let (_folder, file) = folder();
    let both = vec![
        marked(
            "coarray",
            0,
            &[(8.0, 90.0), (64.0, 100.0), (65536.0, 4000.0)],
        ),
        marked("a < b & \"c\"", 3, &[(8.0, 300.0), (64.0, 400.0)]),
    ];
    plot(Scale::Powers(2.0), both).write(&file).unwrap();
    let svg = std::fs::read_to_string(&file).unwrap();
    // Each point, and one for each line in the legend.
    assert_eq!(count(&svg, "circle"), 4 + 3);
    let names = ["coarray", "a &lt; b &amp; &quot;c&quot;"];
    assert_says(&svg, &names);
    assert_says(
        &svg,
        &["a title", "two cores", "size", "time", "32", "4096"],
    );
}

#[test]
fn the_legend_is_outside_of_the_data() {
    let (_folder, file) = folder();
    let names: Vec<String> = (1..=11)
        .map(|number| format!("a name that is rather long {number}"))
        .collect();
    let all = names.iter().zip(0..);
    let all = all.map(|(name, number)| marked(name, number, &[(1.0, number as f64), (2.0, 3.0)]));
    let all = all.collect();
    plot(Scale::Linear, all).write(&file).unwrap();
    let svg = std::fs::read_to_string(&file).unwrap();
    let number = |part: &str, key: &str| -> f64 {
        let (_, rest) = part.split_once(&format!("{key}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    // The grid ends where the data end.
    let grid = svg.split("<line").filter(|part| part.contains("#E2E2E2"));
    let end = grid.map(|part| number(part, "x2")).fold(0.0, f64::max);
    let names = svg
        .split("<text")
        .filter(|part| part.contains("rather long"));
    let starts: Vec<f64> = names.map(|part| number(part, "x")).collect();
    assert_eq!(starts.len(), 11);
    assert!(
        end > 500.0 && starts.iter().all(|&start| start > end + 20.0),
        "{end} {starts:?}"
    );
    assert!(
        starts
            .iter()
            .all(|&start| start < f64::from(SIZE.0) - 200.0)
    );
}

#[test]
fn a_plot_of_bars_has_every_bar() {
    let (_folder, file) = folder();
    let bar = |place: Range<f64>, height: f64| Bar {
        place,
        height,
        label: format!("{height} ns"),
    };
    let series = |name, number, bars| Series {
        name,
        number,
        shape: Shape::Bars(bars),
    };
    let both = vec![
        series("coarray", 0, vec![bar(0.0..0.5, 1.2)]),
        series("mpi", 1, vec![bar(0.5..1.0, 15.0), bar(1.5..2.0, 16.0)]),
    ];
    plot(Scale::FromZero, both).write(&file).unwrap();
    let svg = std::fs::read_to_string(&file).unwrap();
    // The white ground, three bars, two in the legend.
    assert_eq!(count(&svg, "rect"), 6);
    assert_says(&svg, &["coarray", "mpi", "1.2 ns", "15 ns", "16 ns"]);
}

#[test]
fn what_cannot_be_shown_is_an_error() {
    let (folder, file) = folder();
    let written = |file: &Path, points: &[(f64, f64)]| {
        let plot = plot(Scale::Powers(10.0), vec![marked("a", 0, points)]);
        plot.write(file).map_err(|error| error.to_string())
    };
    assert!(written(&file, &[]).unwrap_err().contains("nothing to plot"));
    for bad in [
        (0.0, 1.0),
        (1.0, -1.0),
        (1.0, f64::NAN),
        (f64::INFINITY, 1.0),
    ] {
        let error = written(&file, &[bad]).unwrap_err();
        assert!(error.contains("has no place on the axis"), "{error}");
    }
    assert!(!file.exists());
    let nowhere = folder.path().join("missing/plot.svg");
    let error = written(&nowhere, &[(1.0, 1.0)]).unwrap_err();
    assert!(error.contains("missing/plot.svg: cannot write"), "{error}");
}
