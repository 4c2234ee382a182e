//! 1. Images, and how they are started.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::ExitCode;

use coarray::failure::{ImageStatus, failed_images, image_status, stopped_images};
use coarray::prelude::*;
use coarray::{images_from_me, images_shuffled, other_images};

use crate::check::Check;
use crate::clause::{Clause, OwnJob, Section};
use crate::end::End;
use crate::request::expected_images;

/// The section.
pub const SECTION: Section = Section {
    number: 1,
    title: "images and launch",
    clauses: &[
        Clause::new(
            "1.1",
            "every image has a number of its own, from 0 on",
            numbers,
        ),
        Clause::new("1.2", "there are as many images as were asked for", count),
        Clause::new("1.3", "all images are active, and none has failed", status),
        Clause::new(
            "1.4",
            "every image has the arguments of the program",
            arguments,
        ),
        Clause::about_end(
            "1.5",
            "all that images print comes out, once",
            OwnJob {
                images: 1,
                body: print_lines,
                judge: all_lines_came,
            },
        ),
        Clause::new(
            "1.6",
            "in each order of the images every image comes once",
            orders,
        ),
    ],
};

fn numbers(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let seen = Coarray::<[Coatomic<u32>]>::from_fn(images, |_| Coatomic::new(0));
    check.that(me < images, || format!("image {me} of {images}"));
    for image in 0..images {
        seen.at(image)[me].add(1);
    }
    sync_all();
    for image in 0..images {
        let times = seen[image].load();
        check.same(format_args!("images with number {image}"), times, 1);
    }
}

fn count(check: &mut Check) {
    let expected = expected_images().unwrap_or(num_images());
    check.same("number of images", num_images(), expected);
    let mut counts = Coarray::new(num_images());
    let counts = counts.publish();
    for image in 0..num_images() {
        let theirs = counts.at(image).get();
        check.same(format_args!("what image {image} counts"), theirs, expected);
    }
}

fn orders(check: &mut Check) {
    let seen = Coarray::<[Coatomic<usize>; 2]>::new([Coatomic::new(0), Coatomic::new(0)]);
    for image in images_from_me().chain(other_images()) {
        seen.at(image)[0].add(1);
    }
    for image in images_shuffled(1) {
        seen.at(image)[1].add(1);
    }
    sync_all();
    let counts = [seen[0].load(), seen[1].load()];
    check.same("by how many", counts, [2 * num_images() - 1, num_images()]);
}

fn status(check: &mut Check) {
    for image in 0..num_images() {
        let status = image_status(image);
        check.same(format_args!("image {image}"), status, ImageStatus::Active);
    }
    check.same("failed images", failed_images(), Vec::new());
    check.same("stopped images", stopped_images(), Vec::new());
}

fn arguments(check: &mut Check) {
    let mut hasher = DefaultHasher::new();
    std::env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .hash(&mut hasher);
    let mut mine = Coarray::new(hasher.finish());
    let all = mine.publish();
    for image in 0..num_images() {
        let theirs = all.at(image).get();
        check.same(format_args!("arguments of image {image}"), theirs, *all);
    }
}

const LINES: usize = 50;

/// Lines of different lengths.
fn line(image: usize, number: usize) -> String {
    format!("image {image} line {number} {}.", "x".repeat(7 * number))
}

fn print_lines() -> ExitCode {
    for number in 0..LINES {
        println!("{}", line(this_image(), number));
    }
    ExitCode::SUCCESS
}

/// Some launchers mix lines of several images, but no byte may be missing.
fn all_lines_came(end: &End, images: usize) -> Result<(), String> {
    end.with_code(0)?;
    let lines = (0..images).flat_map(|image| (0..LINES).map(move |number| line(image, number)));
    let expected = counts(lines.flat_map(|line| (line + "\n").into_bytes()));
    let seen = counts(end.stdout.bytes());
    for (byte, (seen, expected)) in seen.into_iter().zip(expected).enumerate() {
        if seen != expected {
            let byte = char::from(byte as u8);
            return Err(format!(
                "{byte:?} came {seen} times and not {expected} times"
            ));
        }
    }
    Ok(())
}

/// How often each byte is there.
fn counts(bytes: impl Iterator<Item = u8>) -> [usize; 256] {
    let mut counts = [0; 256];
    bytes.for_each(|byte| counts[usize::from(byte)] += 1);
    counts
}
