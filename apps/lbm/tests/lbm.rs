//! The program `lbm` as its users start it, against a plain serial program, bit for bit, and against published
//! velocities.

use lbm::lattice::{LANES, Q, VELOCITIES, WEIGHTS, collide};
use program::checksum;
use testing::programs::*;

/// Options for a short run.
const SHORT: [&str; 4] = ["--size", "12x12x12", "--steps", "3"];

const LID: f64 = 0.1;

/// A cavity without halos, blocks or vectors: each cell looks where its populations come from.
struct SerialCavity {
    size: [usize; 3],
    periodic_span: bool,
    relaxation: f64,
    cells: Vec<[f64; Q]>,
}

impl SerialCavity {
    fn new(size: [usize; 3], periodic_span: bool, reynolds: f64) -> Self {
        let cells = vec![WEIGHTS; size.iter().product()];
        let relaxation = 1.0 / (0.5 + 3.0 * LID * size[0] as f64 / reynolds);
        Self {
            size,
            periodic_span,
            relaxation,
            cells,
        }
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.size[1] + y) * self.size[2] + z
    }

    fn step(&mut self) {
        let [columns, span, height] = self.size;
        let cells = 0..columns * span * height;
        let next = cells.map(|cell| {
            let place = [cell / height / span, cell / height % span, cell % height];
            let mut populations =
                std::array::from_fn(|population| [self.arriving(place, population); LANES]);
            collide(&mut populations, self.relaxation);
            populations.map(|lanes| lanes[0])
        });
        let next = next.collect();
        self.cells = next;
    }

    fn arriving(&self, place: [usize; 3], population: usize) -> f64 {
        let velocity = VELOCITIES[population];
        let mut source = [0; 3];
        let mut wall = None;
        for axis in 0..3 {
            let extent = self.size[axis] as isize;
            let from = place[axis] as isize - velocity[axis];
            if axis == 1 && self.periodic_span {
                source[axis] = from.rem_euclid(extent) as usize;
            } else if (0..extent).contains(&from) {
                source[axis] = from as usize;
            } else {
                wall = Some((axis, from));
            }
        }
        match wall {
            None => self.cells[self.number(source)][population],
            Some((axis, from)) => {
                let opposite = VELOCITIES
                    .iter()
                    .position(|other| *other == velocity.map(|part| -part));
                let reflected = self.cells[self.number(place)][opposite.unwrap()];
                match (axis, from) {
                    (2, 0..) => reflected + 6.0 * WEIGHTS[population] * LID * velocity[0] as f64,
                    _ => reflected,
                }
            }
        }
    }

    fn checksum(&self) -> String {
        let values = self.cells.as_flattened().iter().enumerate();
        let shares = values.map(|(number, value)| checksum::of_cell(number, *value));
        format!("{:016x}", shares.fold(0, u64::wrapping_add))
    }
}

#[test]
fn every_bit_is_that_of_a_serial_program_on_any_number_of_images() {
    for (size, periodic_span) in [([9, 7, 10], false), ([12, 2, 9], true), ([8, 9, 1], false)] {
        let mut serial = SerialCavity::new(size, periodic_span, 20.0);
        (0..40).for_each(|_| serial.step());
        let size = size.map(|side| side.to_string()).join("x");
        let mut arguments = vec!["--size", &size, "--steps", "40", "--reynolds", "20"];
        arguments.extend(periodic_span.then_some("--periodic-span"));
        for images in IMAGES {
            for fabric in ["processes", "threads"] {
                let printed = printed_on(fabric, images, "lbm", &arguments);
                assert_eq!(
                    line(&printed, "checksum"),
                    serial.checksum(),
                    "{size}, {images} images, {fabric}"
                );
            }
        }
    }
}

#[test]
fn mass_is_conserved_to_rounding() {
    let steps = 1000;
    for images in [1, 4, 7] {
        let text = steps.to_string();
        let arguments = [
            "--size",
            "14x12x13",
            "--steps",
            &text,
            "--reynolds",
            "50",
            "--lid",
            "0.15",
        ];
        let mass = number(&printed(images, "lbm", &arguments), "mass");
        let cells = 14.0 * 12.0 * 13.0;
        // Printed with nine decimals.
        assert!(
            (mass / cells - 1.0).abs() < 2e-16 * f64::from(steps) + 1e-12,
            "{mass}"
        );
    }
}

/// Places on the vertical line through the middle and the velocities along the lid, for a Reynolds number of 100: U.
/// Ghia, K. N. Ghia and C. T. Shin, *High-Re solutions for incompressible flow using the Navier-Stokes equations and a
/// multigrid method*, Journal of Computational Physics 48, 1982, table I.
const VERTICAL: [(f64, f64); 15] = [
    (0.0547, -0.03717),
    (0.0625, -0.04192),
    (0.0703, -0.04775),
    (0.1016, -0.06434),
    (0.1719, -0.10150),
    (0.2813, -0.15662),
    (0.4531, -0.21090),
    (0.5000, -0.20581),
    (0.6172, -0.13641),
    (0.7344, 0.00332),
    (0.8516, 0.23151),
    (0.9531, 0.68717),
    (0.9609, 0.73722),
    (0.9688, 0.78871),
    (0.9766, 0.84123),
];

/// Places on the horizontal line and the velocities upwards, from table II there.
const HORIZONTAL: [(f64, f64); 15] = [
    (0.0625, 0.09233),
    (0.0703, 0.10091),
    (0.0781, 0.10890),
    (0.0938, 0.12317),
    (0.1563, 0.16077),
    (0.2266, 0.17507),
    (0.2344, 0.17527),
    (0.5000, 0.05454),
    (0.8047, -0.24533),
    (0.8594, -0.22445),
    (0.9063, -0.16914),
    (0.9453, -0.10313),
    (0.9531, -0.08864),
    (0.9609, -0.07391),
    (0.9688, -0.05906),
];

#[test]
fn velocities_are_those_of_ghia_ghia_and_shin() {
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path().join("profile.csv");
    let arguments = [
        "--size",
        "31x1x31",
        "--periodic-span",
        "--steps",
        "6200",
        "--profile",
        profile.to_str().unwrap(),
    ];
    printed(1, "lbm", &arguments);
    let text = std::fs::read_to_string(profile).unwrap();
    let line = |name: &str, at_the_end: f64| {
        let mut points = vec![(0.0, 0.0)];
        for line in text
            .lines()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix(','))
        {
            let (place, velocity) = line.split_once(',').unwrap();
            points.push((place.parse().unwrap(), velocity.parse().unwrap()));
        }
        assert_eq!(points.len(), 32);
        points.push((1.0, at_the_end));
        points
    };
    let largest = |points: &[(f64, f64)], published: &[(f64, f64)]| {
        let error = |&(place, velocity): &(f64, f64)| {
            let after = points.iter().position(|point| point.0 >= place).unwrap();
            let [(left, below), (right, above)] = [points[after - 1], points[after]];
            let found = below + (above - below) * (place - left) / (right - left);
            (found - velocity).abs()
        };
        published.iter().map(error).fold(0.0, f64::max)
    };
    // In units of the lid's velocity, on a grid a quarter as fine as theirs.
    let (vertical, horizontal) = (
        largest(&line("vertical", 1.0), &VERTICAL),
        largest(&line("horizontal", 0.0), &HORIZONTAL),
    );
    assert!(
        vertical < 0.012 && horizontal < 0.012,
        "{vertical} {horizontal}"
    );
}

#[test]
fn pictures_are_the_same_on_any_number_of_images() {
    let folder = tempfile::tempdir().unwrap();
    let picture = written(
        folder.path(),
        "lbm",
        "--png",
        &["--size", "16x4x12", "--steps", "200"],
    );
    assert!(picture.starts_with(b"\x89PNG"));
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 9] = [
        (&["--size", "3x3"], "--size 3x3"),
        (&["--size", "0x5x5"], "--size 0x5x5"),
        (&["--steps", "0"], "--steps 0"),
        (&["--lid", "0.3"], "--lid 0.3"),
        (&["--reynolds", "-1"], "--reynolds -1"),
        (&["--reynolds", "100000"], "larger --size"),
        (&["flow.png"], "flow.png"),
        (&["--periodic-span=yes"], "--periodic-span"),
        (
            &["--profile", "/nowhere/at/all/lines.csv"],
            "/nowhere/at/all/lines.csv",
        ),
    ];
    assert_refuses("lbm", &cases);
    assert!(refusal(7, "lbm", &["--size", "5x5x5"]).contains("7 images"));
}

#[test]
fn a_flow_that_blows_up_is_told_of_at_once() {
    let arguments = [
        "--size",
        "16x16x16",
        "--lid",
        "0.2",
        "--reynolds",
        "1900",
        "--steps",
        "1000000",
    ];
    let told = refusal(3, "lbm", &arguments);
    assert!(told.contains("blown up"), "{told}");
}

#[test]
fn help_is_printed_once() {
    assert_prints_help_once("lbm");
}

#[test]
fn it_writes_what_it_is_told_to_write_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    assert_leaves_no_file(folder.path(), "lbm", &SHORT);
    assert_tells_of_a_full_disk("lbm", &SHORT, "--png");
    assert_tells_of_a_full_disk("lbm", &SHORT, "--profile");
}

#[test]
fn what_it_cannot_do_is_refused() {
    assert_refuses_what_is_no_unicode("lbm");
    assert_refuses_what_is_too_large("lbm", &["--size", "65536x65536x65536"]);
}
