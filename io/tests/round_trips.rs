//! Files that any number of images writes and any other number reads; the bytes do not depend on the number.

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::ndarray::{Dim, Dimension};
use coarray::prelude::*;
use coarray_io::{
    Checkpoint, ErrorKind, Scalar, Vti, VtiHeader, read_npy, read_raw, read_vti, write_npy,
    write_raw,
};
use std::fs;
use tempfile::tempdir;

const COUNTS: [usize; 5] = [1, 2, 3, 4, 8];

/// All grids of `images` images.
fn grids<const D: usize>(images: usize) -> Vec<[usize; D]> {
    let mut grids = vec![[1; D]];
    for axis in 0..D {
        let longer = |grid: [usize; D]| {
            (1..=images).map(move |extent| {
                let mut grid = grid;
                grid[axis] = extent;
                grid
            })
        };
        grids = grids.into_iter().flat_map(longer).collect();
    }
    grids.retain(|grid| grid.iter().product::<usize>() == images);
    grids
}

fn number<const D: usize>(shape: [usize; D], cell: [usize; D]) -> usize {
    cell.iter()
        .zip(shape)
        .fold(0, |number, (&at, extent)| number * extent + at)
}

/// Runs `body` on all counts of images and all their grids, with two different halos, and an array of the `number`s.
fn on_all_grids<T: Scalar, const D: usize>(
    shape: [usize; D],
    of: impl Fn(usize) -> T + Sync,
    body: impl Fn(&HaloArray<T, D>) + Sync,
) where
    Dim<[usize; D]>: Dimension,
{
    for images in COUNTS {
        for grid in grids(images) {
            // Then the last images have no cells, and there are no halos.
            let is_crowded = grid
                .iter()
                .zip(shape)
                .any(|(&images, cells)| images > cells);
            coarray::run(images, || {
                let blocks = Blocks::new(shape, ImageGrid::new(grid).unwrap()).unwrap();
                let halo = usize::from(grid[0] > 1 && !is_crowded);
                let array = HaloArray::from_fn(&blocks, halo, |cell| of(number(shape, cell)));
                body(&array.unwrap());
            });
        }
    }
}

/// An array with the same blocks, filled with `value`, which has halos if all images have cells.
fn other<T: Scalar, const D: usize>(like: &HaloArray<T, D>, value: T) -> HaloArray<T, D>
where
    Dim<[usize; D]>: Dimension,
{
    let last = like.blocks().block_shape(num_images() - 1);
    HaloArray::filled(like.blocks(), usize::from(!last.contains(&0)), value).unwrap()
}

/// Asserts that the interiors are equal and the halo is unchanged.
fn assert_read<T: Scalar + PartialEq + std::fmt::Debug, const D: usize>(
    read: &HaloArray<T, D>,
    written: &HaloArray<T, D>,
    halo: T,
) where
    Dim<[usize; D]>: Dimension,
{
    assert_eq!(read.interior(), written.interior(), "{:?}", read.grid());
    let own = read.interior().len();
    let in_halo = read.local().len() - own;
    let kept = read.local().iter().filter(|&&cell| cell == halo).count();
    assert!(kept >= in_halo, "the halo has been changed");
}

/// Writes an array on all grids, compares each file with the expected bytes, and reads it on the next grid.
fn round_trips<T: Scalar + PartialEq + std::fmt::Debug, const D: usize>(
    shape: [usize; D],
    of: impl Fn(usize) -> T + Sync,
    sentinel: T,
    bytes: impl Fn(T) -> Vec<u8> + Sync,
) where
    Dim<[usize; D]>: Dimension,
{
    let folder = tempdir().unwrap();
    let [npy, raw] = ["a.npy", "a.raw"].map(|name| folder.path().join(name));
    let cells = (0..shape.iter().product()).flat_map(|number| bytes(of(number)));
    let cells: Vec<u8> = cells.collect();
    on_all_grids(shape, &of, |written| {
        // Reads the files that the grid before has written.
        if num_images() > 1 {
            let mut array = other(written, sentinel);
            read_npy(&npy, &mut array).unwrap();
            assert_read(&array, written, sentinel);
            let mut array = other(written, sentinel);
            read_raw(&raw, &mut array).unwrap();
            assert_read(&array, written, sentinel);
        }
        write_npy(&npy, written).unwrap();
        write_raw(&raw, written).unwrap();
        assert!(fs::read(&raw).unwrap() == cells, "{:?}", written.grid());
        let file = fs::read(&npy).unwrap();
        assert_eq!(file.len(), 128 + cells.len());
        assert!(file[128..] == cells, "{:?}", written.grid());
        let header = String::from_utf8_lossy(&file[10..128]);
        assert!(header.contains("'fortran_order': False"), "{header}");
        // The next grid must not replace files that are still being compared.
        sync_all();
    });
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn one_dimension_of_bytes() {
    round_trips([29], |number| number as u8, 255, |cell| vec![cell]);
}

#[test]
fn two_dimensions_of_doubles() {
    round_trips(
        [13, 9],
        |number| number as f64 / 3.0,
        f64::MAX,
        |cell| cell.to_le_bytes().into(),
    );
}

#[test]
fn three_dimensions_of_integers() {
    round_trips(
        [8, 9, 10],
        |number| -(number as i32),
        7,
        |cell| cell.to_le_bytes().into(),
    );
}

#[test]
fn four_dimensions_of_short_numbers() {
    round_trips(
        [3, 8, 2, 4],
        |number| number as u16,
        65535,
        |cell| cell.to_le_bytes().into(),
    );
}

#[test]
fn truth_values() {
    let folder = tempdir().unwrap();
    let path = &folder.path().join("truth.npy");
    on_all_grids(
        [8, 8],
        |number| number % 3 == 0,
        |written| {
            write_npy(path, written).unwrap();
            let mut read = HaloArray::filled(written.blocks(), 0, false).unwrap();
            read_npy(path, &mut read).unwrap();
            assert_eq!(read.interior(), written.interior());
        },
    );
    let mut file = fs::read(path).unwrap();
    file[128 + 50] = 2;
    fs::write(path, file).unwrap();
    on_all_grids(
        [8, 8],
        |_| true,
        |array| {
            let mut read = HaloArray::filled(array.blocks(), 0, false).unwrap();
            let error = read_npy(path, &mut read).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert!(
                error.to_string().contains("a byte that is no bool"),
                "{error}"
            );
        },
    );
}

#[test]
fn images_of_vtk() {
    let folder = tempdir().unwrap();
    let path = &folder.path().join("a.vti");
    let first = &folder.path().join("1.vti");
    let shape = [9, 8, 10];
    on_all_grids(
        shape,
        |number| number as i16,
        |grains| {
            let heat =
                HaloArray::from_fn(grains.blocks(), 0, |cell| number(shape, cell) as f32 / 7.0);
            let heat = heat.unwrap();
            let [i, j, k] = grains.grid().extents();
            let blocks = Blocks::new([9, 8, 10, 3], ImageGrid::new([i, j, k, 1]).unwrap()).unwrap();
            let flow = HaloArray::from_fn(&blocks, 0, |[i, j, k, c]| {
                (1000 * c + number(shape, [i, j, k])) as f64
            });
            let flow = flow.unwrap();
            Vti::new()
                .spacing([0.5, 0.25, 0.125])
                .origin([1.0, 2.0, 3.0])
                .field("grains", grains)
                .field("<heat> & \"more\"", &heat)
                .vectors("flow", &flow)
                .write(path)
                .unwrap();
            if num_images() == 1 {
                fs::copy(path, first).unwrap();
            }
            assert!(
                fs::read(path).unwrap() == fs::read(first).unwrap(),
                "{:?}",
                grains.grid()
            );

            let header = VtiHeader::of(path).unwrap();
            assert_eq!(header.shape(), shape);
            assert_eq!(
                (header.origin(), header.spacing()),
                ([1.0, 2.0, 3.0], [0.5, 0.25, 0.125])
            );
            assert!(header.fields().eq(["grains", "<heat> & \"more\"", "flow"]));
            let mut read = other(grains, -1);
            read_vti(path, "grains", &mut read).unwrap();
            assert_read(&read, grains, -1);
            let mut read = other(&heat, -1.0);
            read_vti(path, "<heat> & \"more\"", &mut read).unwrap();
            assert_read(&read, &heat, -1.0);
            let mut read = HaloArray::filled(&blocks, 0, -1.0).unwrap();
            read_vti(path, "flow", &mut read).unwrap();
            assert_eq!(read.interior(), flow.interior());

            let error = read_vti(path, "rains", &mut other(grains, -1)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Name);
            assert!(
                error
                    .to_string()
                    .contains("no cell data \"rains\"; there are [\"grains\""),
                "{error}"
            );
            let error = read_vti(path, "grains", &mut other(&heat, -1.0)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ElementType);
            let error = read_vti(
                path,
                "flow",
                &mut HaloArray::filled(grains.blocks(), 0, 0.0).unwrap(),
            );
            assert_eq!(error.unwrap_err().kind(), ErrorKind::Shape);
            sync_all();
        },
    );
}

#[test]
fn images_of_vtk_with_fewer_dimensions() {
    let folder = tempdir().unwrap();
    let path = &folder.path().join("a.vti");
    on_all_grids(
        [8, 11],
        |number| number as u8,
        |array| {
            Vti::new().field("a", array).write(path).unwrap();
            assert_eq!(VtiHeader::of(path).unwrap().shape(), [1, 8, 11]);
            let mut read = other(array, 255);
            read_vti(path, "a", &mut read).unwrap();
            assert_read(&read, array, 255);
            sync_all();
        },
    );
}

#[test]
fn checkpoints() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let mut files = Vec::new();
    let generation = std::sync::atomic::AtomicU64::new(0);
    let shape = [8, 9, 40];
    on_all_grids(
        shape,
        |number| number as f64,
        |u| {
            let line = Blocks::new([1000], ImageGrid::balanced()).unwrap();
            let line = HaloArray::from_fn(&line, 2, |[i]| i % 7 == 0).unwrap();
            if let Ok(restart) = Checkpoint::open(folder) {
                let mut read = other(u, -1.0);
                restart.read("u", &mut read).unwrap();
                assert_read(&read, u, -1.0);
                let mut read = HaloArray::filled(line.blocks(), 1, false).unwrap();
                restart.read("line", &mut read).unwrap();
                assert_eq!(read.interior(), line.interior());
                assert_eq!(restart.value::<u64>("step"), Ok(u64::MAX));
                assert_eq!(restart.value::<f64>("time"), Ok(-0.1));
                assert_eq!(restart.value::<String>("name").as_deref(), Ok("heat"));
                assert!(restart.refused().is_empty());
            }
            let save = Checkpoint::new(folder).field("u", u).field("line", &line);
            let save = save
                .value("step", u64::MAX)
                .value("time", -0.1)
                .value("name", "heat");
            generation.store(save.save().unwrap(), std::sync::atomic::Ordering::Relaxed);
        },
    );
    for entry in fs::read_dir(folder).unwrap() {
        files.push(entry.unwrap().file_name().into_string().unwrap());
    }
    files.sort();
    let last = generation.into_inner();
    assert!(last > 10);
    assert_eq!(
        files,
        [last - 1, last].map(|number| format!("generation-{number:06}.checkpoint"))
    );
    // The bytes do not depend on images and grids.
    let [a, b] = [0, 1].map(|file: usize| fs::read(folder.join(&files[file])).unwrap());
    assert!(a == b);
}

#[test]
fn large_arrays_in_short_rows() {
    // Several staging windows, whose borders are in the middle of rows.
    let folder = tempdir().unwrap();
    let path = &folder.path().join("a.raw");
    let shape = [90, 51, 333];
    let of = |cell| (number(shape, cell) as f64).sqrt();
    let cells =
        (0..shape.iter().product()).flat_map(|number: usize| (number as f64).sqrt().to_le_bytes());
    let cells: Vec<u8> = cells.collect();
    for (images, grid) in [(2, [1, 1, 2]), (3, [1, 1, 3]), (4, [2, 1, 2])] {
        coarray::run(images, || {
            let blocks = Blocks::new(shape, ImageGrid::new(grid).unwrap()).unwrap();
            let array = HaloArray::from_fn(&blocks, [(1, 2), (0, 1), (3, 0)], of).unwrap();
            write_raw(path, &array).unwrap();
            assert!(fs::read(path).unwrap() == cells, "{grid:?}");
            Checkpoint::new(folder.path())
                .field("u", &array)
                .save()
                .unwrap();
            let restart = Checkpoint::open(folder.path()).unwrap();
            assert!(restart.refused().is_empty());
            let mut read = other(&array, -1.0);
            restart.read("u", &mut read).unwrap();
            assert_read(&read, &array, -1.0);
        });
    }
}
