//! Writes files for NumPy and VTK to read, or reads files that they have written, and checks every cell.
//!
//! `.ci/readers` runs it on several numbers of images, with `io/tests/readers.py` on the other side.

use std::fmt::Debug;
use std::path::Path;

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::ndarray::{Dim, Dimension};
use coarray_io::{Error, NpyHeader, Scalar, Vti, VtiHeader, read_npy, read_vti, write_npy};

const SHAPE: [usize; 3] = [5, 6, 7];
const ORIGIN: [f64; 3] = [3.0, -2.0, 0.5];
const SPACING: [f64; 3] = [0.25, 2.0, 1.5];

#[coarray::main]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder] => Ok(write(folder.as_ref())?),
        ["read", folder] => Ok(read(folder.as_ref())?),
        _ => Err("usage: files_for_readers write|read FOLDER".into()),
    }
}

/// The row-major number of a cell.
fn number<const D: usize>(shape: [usize; D], cell: [usize; D]) -> u32 {
    let number = cell.iter().zip(shape);
    number.fold(0, |number, (&at, extent)| number * extent + at) as u32
}

/// An array of the cells' numbers, in a balanced grid of all images.
fn numbers<T: Scalar, const D: usize>(shape: [usize; D], of: impl Fn(u32) -> T) -> HaloArray<T, D>
where
    Dim<[usize; D]>: Dimension,
{
    let grid = ImageGrid::balanced_for(shape).expect("each image has a cell");
    let blocks = Blocks::new(shape, grid).expect("each image has a cell");
    HaloArray::from_fn(&blocks, 1, |cell| of(number(shape, cell))).expect("there is memory")
}

fn write(folder: &Path) -> Result<(), Error> {
    let npy = |name: &str| folder.join(format!("{name}.npy"));
    write_npy(npy("bool"), &numbers(SHAPE, |n| n % 3 == 0))?;
    write_npy(npy("u8"), &numbers(SHAPE, |n| n as u8))?;
    write_npy(npy("i8"), &numbers(SHAPE, |n| (n % 128) as i8))?;
    write_npy(npy("u16"), &numbers(SHAPE, |n| 3 * n as u16))?;
    write_npy(npy("i16"), &numbers(SHAPE, |n| -(n as i16)))?;
    write_npy(npy("u32"), &numbers(SHAPE, |n| n << 20))?;
    write_npy(npy("i32"), &numbers(SHAPE, |n| -(n as i32) << 20))?;
    write_npy(npy("u64"), &numbers(SHAPE, |n| u64::from(n) << 40))?;
    write_npy(npy("i64"), &numbers(SHAPE, |n| -i64::from(n) << 40))?;
    write_npy(npy("f32"), &numbers(SHAPE, |n| n as f32 / 4.0))?;
    write_npy(npy("f64"), &numbers(SHAPE, |n| f64::from(n) / 3.0))?;
    write_npy(npy("one"), &numbers([40], f64::from))?;
    write_npy(npy("two"), &numbers([12, 5], f64::from))?;
    write_npy(npy("four"), &numbers([4, 3, 5, 2], f64::from))?;

    let grains = numbers(SHAPE, |n| n as i32);
    let heat = numbers(SHAPE, |n| f64::from(n) / 3.0);
    let solid = numbers(SHAPE, |n| n % 3 == 0);
    let [i, j, k] = grains.grid().extents();
    let grid = ImageGrid::new([i, j, k, 1]).expect("these are all images");
    let [z, y, x] = SHAPE;
    let blocks = Blocks::new([z, y, x, 3], grid).expect("each image has a cell");
    let flow = HaloArray::from_fn(&blocks, 0, |[i, j, k, component]| {
        (1000 * component) as f32 + number(SHAPE, [i, j, k]) as f32
    });
    let flow = flow.expect("there is memory");
    Vti::new()
        .origin(ORIGIN)
        .spacing(SPACING)
        .field("grains", &grains)
        .field("temperature < \"melting\" & more", &heat)
        .field("solid", &solid)
        .vectors("flow", &flow)
        .write(folder.join("three.vti"))?;
    Vti::new()
        .field("a", &numbers([12, 5], |n| n as u16))
        .write(folder.join("two.vti"))
}

fn read(folder: &Path) -> Result<(), Error> {
    for name in ["c_order", "fortran_order", "big_endian", "version_2"] {
        let path = folder.join(format!("{name}.npy"));
        let header = NpyHeader::of(&path)?;
        assert_eq!(header.shape(), SHAPE, "{name}");
        assert_eq!(header.is_column_major(), name == "fortran_order");
        check(name, |n| f64::from(n) / 3.0, |array| read_npy(&path, array))?;
    }
    let path = folder.join("truth.npy");
    check("truth", |n| n % 3 == 0, |array| read_npy(&path, array))?;
    for name in ["vtk_64.vti", "vtk_32.vti"] {
        let path = folder.join(name);
        let header = VtiHeader::of(&path)?;
        assert_eq!(
            (header.shape(), header.origin(), header.spacing()),
            (SHAPE, ORIGIN, SPACING)
        );
        check(name, |n| n as i32, |array| read_vti(&path, "grains", array))?;
        check(
            name,
            |n| f64::from(n) / 3.0,
            |array| read_vti(&path, "heat", array),
        )?;
    }
    Ok(())
}

/// Reads an array and compares all cells.
fn check<T: Scalar + PartialEq + Debug + Default>(
    name: &str,
    of: impl Fn(u32) -> T,
    read: impl FnOnce(&mut HaloArray<T, 3>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut array = numbers(SHAPE, |_| T::default());
    read(&mut array)?;
    assert_eq!(array.interior(), numbers(SHAPE, of).interior(), "{name}");
    Ok(())
}
