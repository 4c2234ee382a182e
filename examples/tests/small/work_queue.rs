//! Pictures, and the images that compute their rows.

use crate::on_all_images;
use program::random;
use testing::programs::{
    assert_prints_help_once, assert_refuses, line, number, printed, printed_on,
};

const SIZE: [usize; 2] = [48, 31];
const LIMIT: u32 = 60;
const ARGUMENTS: [&str; 4] = ["--size", "48x31", "--limit", "60"];

/// The numbers of iterations in a row of the picture.
fn row(row: usize) -> [u32; SIZE[0]] {
    let pixel = 3.0 / SIZE[0] as f64;
    let middle = |pixels: usize| pixels as f64 / 2.0;
    std::array::from_fn(|column| {
        let real = -0.6 + (column as f64 + 0.5 - middle(SIZE[0])) * pixel;
        let imaginary = 0.35 - (row as f64 + 0.5 - middle(SIZE[1])) * pixel;
        let (mut x, mut y): (f64, f64) = (0.0, 0.0);
        let mut count = 0;
        while count < LIMIT && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + real, 2.0 * x * y + imaginary);
            count += 1;
        }
        count
    })
}

/// The work of the busiest image, in units of the average, if all have the same number of bands.
fn balance_of_equal_parts(images: usize, rows_of_band: usize) -> f64 {
    let work_of = |rows: std::ops::Range<usize>| {
        let rows = rows.flat_map(|number| row(number.min(SIZE[1] - 1)));
        rows.map(u64::from).sum::<u64>()
    };
    let bands = SIZE[1].div_ceil(rows_of_band);
    let first = |image: usize| (bands * image / images * rows_of_band).min(SIZE[1]);
    let works = (0..images).map(|image| work_of(first(image)..first(image + 1)));
    works.max().unwrap() as f64 * images as f64 / work_of(0..SIZE[1]) as f64
}

#[test]
fn pictures_are_those_of_one_image_whoever_computes_what() {
    let points = (0..SIZE[1]).flat_map(row).zip(0..);
    let values = points.map(|(count, point)| random::bits(point, count.into()));
    let checksum = format!(
        "{:016x}, the same for both",
        values.fold(0, u64::wrapping_add)
    );
    for queue in ["counter", "stealing"] {
        for band in [1, 4, 1000] {
            let text = band.to_string();
            let arguments = [&ARGUMENTS[..], &["--queue", queue, "--band", &text]].concat();
            on_all_images(|fabric, images| {
                let printed = printed_on(fabric, images, "work_queue", &arguments);
                assert_eq!(line(&printed, "checksum"), checksum);
                let expected = balance_of_equal_parts(images, band);
                let found = number(&printed, "equal parts");
                assert!(
                    (found - expected).abs() < 6e-4,
                    "{images}: {printed}, not {expected}"
                );
                let found = number(&printed, queue);
                assert!((1.0..=images as f64).contains(&found), "{printed}");
            });
        }
    }
}

#[test]
fn pictures_show_who_computed_what() {
    let directory = tempfile::tempdir().unwrap();
    for images in [1, 3, 8] {
        let path = directory.path().join(format!("{images}.png"));
        let png = ["--png", path.to_str().unwrap()];
        printed(images, "work_queue", &[&ARGUMENTS[..], &png].concat());
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(info.width as usize, SIZE[0] + 22 * 16);
        assert_eq!(info.height as usize, (images + 1) * 32);
        // In the list of images there is a square of each image's colour.
        let pixel = |x: usize, y: usize| &pixels[(y * info.width as usize + x) * 3..][..3];
        let mut colours: Vec<&[u8]> = (0..images.min(7))
            .map(|image| pixel(SIZE[0] + 24, 24 + 32 * image))
            .collect();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), images.min(7));
    }
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 6] = [
        (&["--size", "640"], "--size 640: expected WIDTHxHEIGHT"),
        (&["--limit", "0"], "--limit 0: expected a number from 1 to"),
        (&["--band", "0"], "--band 0: expected a positive number"),
        (
            &["--queue", "static"],
            "--queue static: expected counter or stealing",
        ),
        (
            &["--png", "/nowhere/at/all/who.png"],
            "/nowhere/at/all/who.png: cannot write",
        ),
        (&["who.png"], "unknown option 'who.png'"),
    ];
    assert_refuses("work_queue", &cases);
    assert_prints_help_once("work_queue");
}
