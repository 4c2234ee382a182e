//! Colours and markers: the same for a name in every plot, and told apart by those who do not see all colours.
//!
//! The colours are those of M. Okabe and K. Ito, *Color universal design*, 2008, without yellow, which is hard to see on
//! white. Where names outnumber colours, markers and dashes tell them apart.

use plotters::style::RGBColor;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Of line, marker and bar.
    pub colour: RGBColor,
    /// At each point.
    pub marker: Marker,
    /// The line is broken.
    pub dashed: bool,
}

/// What marks a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    Disc,
    Square,
    Diamond,
    Triangle,
    Wedge,
    Cross,
    Plus,
}

const BLUE: RGBColor = RGBColor(0, 114, 178);
const VERMILION: RGBColor = RGBColor(213, 94, 0);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const PURPLE: RGBColor = RGBColor(204, 121, 167);
const ORANGE: RGBColor = RGBColor(230, 159, 0);
const SKY: RGBColor = RGBColor(86, 180, 233);
const GREY: RGBColor = RGBColor(110, 110, 110);

const COLOURS: [RGBColor; 7] = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, GREY];

const MARKERS: [Marker; 7] = [
    Marker::Disc,
    Marker::Square,
    Marker::Diamond,
    Marker::Triangle,
    Marker::Wedge,
    Marker::Cross,
    Marker::Plus,
];

/// Names that are never in one plot with those of another family, each with the style of its place.
const FAMILIES: [&[&str]; 3] = [
    &[
        "coarray",
        "mpi",
        "mpi-rma",
        "shmem",
        "caf",
        "lamellar",
        "raw",
        "mpi-packed",
    ],
    &[
        "flat",
        "dissemination",
        "tree",
        "central",
        "binomial",
        "four_ary",
        "square_root",
        "two_level",
        "scatter_allgather",
        "recursive_doubling",
        "ring",
        "shares",
        "pairwise",
        "chain",
    ],
    &[
        "life",
        "stencil",
        "p2p",
        "transpose",
        "nstream",
        "random",
        "randomaccess",
    ],
];

/// The style of place `place`. They repeat after 98.
fn numbered(place: usize) -> Style {
    let (turn, colour) = (place / COLOURS.len(), place % COLOURS.len());
    Style {
        colour: COLOURS[colour],
        marker: MARKERS[(colour + 3 * turn) % MARKERS.len()],
        dashed: turn % 2 == 1,
    }
}

fn known(name: &str) -> Option<Style> {
    // What the user knows as `own` is the library.
    let name = if name == "own" { "coarray" } else { name };
    FAMILIES
        .iter()
        .find_map(|family| family.iter().position(|known| *known == name))
        .map(numbered)
}

/// The styles of names that are in one plot, all different: for a name that has none of its own, the first that no
/// other has.
pub fn styles(names: &[&str]) -> Vec<Style> {
    let mut styles: Vec<Option<Style>> = Vec::new();
    for name in names {
        let style = known(name).filter(|style| !styles.contains(&Some(*style)));
        styles.push(style);
    }
    for place in 0..styles.len() {
        if styles[place].is_none() {
            let is_free = |style: &Style| !styles.contains(&Some(*style));
            styles[place] = (0..names.len()).map(numbered).find(is_free);
        }
    }
    styles.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_style_and_no_other_name_of_the_plot_has_it() {
        let algorithms = FAMILIES[1];
        let all = styles(algorithms);
        for (index, style) in all.iter().enumerate() {
            assert!(!all[..index].contains(style), "{}", algorithms[index]);
            assert_eq!(styles(&["ours", algorithms[index]])[1], *style);
        }
        let mixed = styles(&["ours", "coarray", "theirs", "mpi"]);
        for (index, style) in mixed.iter().enumerate() {
            assert!(!mixed[..index].contains(style));
        }
        assert_eq!(mixed[1], styles(&["own"])[0]);
    }
}
