//! What the files contain.

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

fn axis(title: &str, unit: Unit, logarithmic: bool) -> Axis {
    Axis {
        title: title.into(),
        unit,
        logarithmic,
    }
}

fn series(name: &str, points: &[(f64, f64)]) -> Series {
    Series {
        name: name.into(),
        points: points.to_vec(),
    }
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plot.svg");
    (folder, file)
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

#[test]
fn a_plot_of_lines_has_every_point_and_every_name() {
    let (_folder, file) = folder();
    let both = [
        series("coarray", &[(8.0, 90.0), (64.0, 100.0), (65536.0, 4000.0)]),
        series("a < b & \"c\"", &[(8.0, 300.0), (64.0, 400.0)]),
    ];
    lines(
        &file,
        "Bulk put",
        "two cores",
        &axis("size", Unit::Bytes, true),
        &axis("time", Unit::Nanoseconds, true),
        &both,
    )
    .unwrap();
    let svg = std::fs::read_to_string(&file).unwrap();
    // Three points and one in the legend; two squares and one.
    assert_eq!(count(&svg, "circle"), 4);
    // The white ground and two squares with one in the legend.
    assert_eq!(count(&svg, "rect"), 1 + 3);
    let texts = texts(&svg);
    for expected in [
        "Bulk put",
        "two cores",
        "size",
        "time",
        "coarray",
        "a &lt; b &amp; &quot;c&quot;",
        "8 B",
        "32 KiB",
        "1 µs",
    ] {
        assert!(
            texts.iter().any(|text| text == expected),
            "{expected} in {texts:?}"
        );
    }
}

#[test]
fn the_legend_is_outside_of_the_data() {
    let (_folder, file) = folder();
    let all: Vec<Series> = (1..=11)
        .map(|number| {
            let name = format!("a name that is rather long {number}");
            series(&name, &[(1.0, f64::from(number)), (2.0, 3.0)])
        })
        .collect();
    let linear = |title| axis(title, Unit::Count, false);
    lines(&file, "t", "s", &linear("x"), &linear("y"), &all).unwrap();
    let svg = std::fs::read_to_string(&file).unwrap();
    let number = |part: &str, key: &str| -> f64 {
        let (_, rest) = part.split_once(&format!("{key}=\"")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    // The grid ends where the data end.
    let grid = svg
        .split("<polyline")
        .filter(|part| part.contains("#E2E2E2"));
    let ends = grid.flat_map(|part| {
        let (_, points) = part.split_once("points=\"").unwrap();
        let (points, _) = points.split_once('"').unwrap();
        let column = |point: &str| point.split(',').next().unwrap().parse::<f64>().unwrap();
        points.split_whitespace().map(column).collect::<Vec<_>>()
    });
    let end = ends.fold(0.0, f64::max);
    let names = svg
        .split("<text")
        .filter(|part| part.contains("rather long"));
    let starts: Vec<f64> = names.map(|part| number(part, "x")).collect();
    assert_eq!(starts.len(), 11);
    assert!(end > 500.0 && starts.iter().all(|&start| start > end + 20.0));
}

#[test]
fn a_plot_of_bars_has_every_bar() {
    let (_folder, file) = folder();
    let group = |name: &str, bars: &[(&str, f64)]| Group {
        name: name.into(),
        bars: bars
            .iter()
            .map(|&(name, height)| (name.to_owned(), height))
            .collect(),
    };
    let groups = [
        group("put", &[("coarray", 1.2), ("mpi", 15.0)]),
        group("get", &[("mpi", 16.0)]),
    ];
    let y = axis("time", Unit::Nanoseconds, false);
    bars(&file, "Words", "two cores", &y, &groups).unwrap();
    let svg = std::fs::read_to_string(&file).unwrap();
    // The white ground, three bars, two in the legend.
    assert_eq!(count(&svg, "rect"), 6);
    let texts = texts(&svg);
    for expected in ["put", "get", "coarray", "mpi", "1.2 ns", "15 ns", "16 ns"] {
        assert!(
            texts.iter().any(|text| text == expected),
            "{expected} in {texts:?}"
        );
    }
}

#[test]
fn what_cannot_be_shown_is_an_error() {
    let (folder, file) = folder();
    let x = axis("images", Unit::Count, true);
    let y = axis("time", Unit::Nanoseconds, true);
    let plot = |points: &[(f64, f64)]| lines(&file, "", "", &x, &y, &[series("a", points)]);
    assert!(matches!(plot(&[]), Err(PlotError::Empty(_))));
    for bad in [
        (0.0, 1.0),
        (1.0, -1.0),
        (1.0, f64::NAN),
        (f64::INFINITY, 1.0),
    ] {
        assert!(
            matches!(plot(&[bad]), Err(PlotError::NoPlace { .. })),
            "{bad:?}"
        );
    }
    assert!(!file.exists());
    let nowhere = folder.path().join("missing/plot.svg");
    let result = lines(&nowhere, "", "", &x, &y, &[series("a", &[(1.0, 1.0)])]);
    assert!(matches!(result, Err(PlotError::Write { .. })));
}
