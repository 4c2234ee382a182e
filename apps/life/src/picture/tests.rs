use std::fs::File;
use std::io::BufReader;

use super::raster::{DEAD, GLOW, GROUND, LIVE, Raster};
use super::{palette, write_png};

fn level(raster: &Raster, x: usize, y: usize) -> u8 {
    raster.levels[y * raster.width + x]
}

/// The perceived brightness of a palette level, from 0 to 255.
fn luminance(level: u8) -> f32 {
    let [red, green, blue] =
        [0, 1, 2].map(|part| f32::from(palette()[3 * usize::from(level) + part]));
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[test]
fn sizes_are_those_promised() {
    let size = |rows, columns| {
        let raster = Raster::new(rows, columns, |_, _| false);
        assert_eq!(raster.levels.len(), raster.width * raster.height);
        (raster.height, raster.width)
    };
    assert_eq!(size(1, 1), (641, 641));
    assert_eq!(size(80, 120), (641, 961));
    assert_eq!(size(512, 512), (1024, 1024));
    assert_eq!(size(1000, 2048), (1000, 2048));
    assert_eq!(size(2049, 2049), (1025, 1025));
    assert_eq!(size(4096, 16384), (512, 2048));
    for side in 1..700 {
        let (height, width) = size(side, side);
        assert!(
            height == width && (512..=2048).contains(&width),
            "{side}: {width}"
        );
    }
    for long in [100, 2000, 3000] {
        let (height, width) = size(1, long);
        assert!(height >= 1 && width <= 2049, "{long}: {width}");
    }
}

#[test]
fn large_cells_are_squares_with_gaps_around_them() {
    let side = 8;
    let raster = Raster::new(80, 80, |row, column| (row, column) == (1, 2));
    for y in 0..raster.height {
        for x in 0..raster.width {
            let level = level(&raster, x, y);
            let (row, column) = (y / side, x / side);
            if x % side == 0 || y % side == 0 {
                assert_eq!(level, GROUND, "({x}, {y})");
            } else if (row, column) == (1, 2) {
                assert_eq!(level, LIVE, "({x}, {y})");
            } else if row > 10 || column > 10 {
                assert_eq!(level, DEAD, "({x}, {y})");
            } else {
                assert!((DEAD..=LIVE / GLOW).contains(&level), "({x}, {y})");
            }
        }
    }
}

#[test]
fn small_cells_are_squares_without_gaps() {
    let alive = |row, column| column < 390 && (row * 7 + column * 3) % 5 == 0;
    let raster = Raster::new(300, 400, alive);
    for y in 0..raster.height {
        for x in 0..raster.width {
            let level = level(&raster, x, y);
            if alive(y / 3, x / 3) {
                assert_eq!(level, LIVE, "({x}, {y})");
            } else {
                assert!(level <= LIVE / GLOW, "({x}, {y})");
            }
        }
        assert_eq!(level(&raster, raster.width - 1, y), GROUND);
    }
}

#[test]
fn a_live_cell_glows_alike_in_all_directions() {
    let raster = Raster::new(21, 21, |row, column| (row, column) == (10, 10));
    let side = raster.width / 21;
    let at = |row: usize, column: usize| level(&raster, column * side + 2, row * side + 2);
    for away in 1..=10 {
        let light = at(10, 10 + away);
        assert_eq!(
            [at(10, 10 - away), at(10 + away, 10), at(10 - away, 10)],
            [light; 3]
        );
        assert!(light < at(10, 9 + away) || light == DEAD, "{away}");
    }
    assert_eq!(at(10, 11), LIVE / GLOW / 5 * 3);
    assert!(at(11, 11) > DEAD);
    assert_eq!(at(10, 20), DEAD);
}

#[test]
fn a_reduced_pixel_is_the_brighter_the_more_of_its_cells_live() {
    // Squares of 8 x 8 cells: the square in column x has x live cells; the last row of
    // squares is cut to one row of cells.
    let alive = |row: usize, column: usize| 8 * (row % 8) + column % 8 < column / 8;
    let raster = Raster::new(9, 16384, alive);
    assert_eq!((raster.width, raster.height), (2048, 2));
    for x in 1..=64 {
        assert!(level(&raster, x, 0) > level(&raster, x - 1, 0), "{x}");
    }
    assert_eq!(level(&raster, 64, 0), LIVE);
    assert_eq!(
        level(&raster, 4, 1),
        level(&raster, 32, 0),
        "half of a cut square lives"
    );
}

#[test]
fn a_lone_cell_among_64_is_seen() {
    let raster = Raster::new(16384, 16384, |row, column| (row, column) == (9, 17));
    let lone = level(&raster, 2, 1);
    assert!(luminance(lone) > luminance(GROUND) + 15.0, "level {lone}");
    assert!(level(&raster, 3, 1) < lone);
    assert_eq!(level(&raster, 2000, 1000), GROUND);
}

#[test]
fn the_palette_brightens_steadily() {
    assert_eq!(palette().len(), 3 * 256);
    assert!((1..=255).all(|level| luminance(level) > luminance(level - 1)));
}

#[test]
fn the_file_holds_the_colours_of_the_cells() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("life.png");
    write_png(&path, 300, 300, |row, column| row == column).unwrap();

    let decoder = png::Decoder::new(BufReader::new(File::open(&path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut levels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut levels).unwrap();
    assert_eq!((frame.width, frame.height), (900, 900));
    assert_eq!(reader.info().palette.as_deref(), Some(&palette()[..]));
    assert_eq!(
        levels,
        Raster::new(300, 300, |row, column| row == column).levels
    );
}
