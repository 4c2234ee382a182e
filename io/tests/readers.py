"""Reads with NumPy and VTK what examples/files_for_readers.rs writes, and writes what it reads."""

import io
import itertools
import pathlib
import sys

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import reference
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLImageDataWriter

SHAPE = (5, 6, 7)
ORIGIN = (3.0, -2.0, 0.5)
SPACING = (0.25, 2.0, 1.5)
NUMBERS = np.arange(np.prod(SHAPE)).reshape(SHAPE)

ARRAYS = {
    "bool": NUMBERS % 3 == 0,
    "u8": NUMBERS.astype("u1"),
    "i8": (NUMBERS % 128).astype("i1"),
    "u16": (3 * NUMBERS).astype("u2"),
    "i16": (-NUMBERS).astype("i2"),
    "u32": (NUMBERS << 20).astype("u4"),
    "i32": (-NUMBERS << 20).astype("i4"),
    "u64": (NUMBERS << 40).astype("u8"),
    "i64": (-NUMBERS << 40).astype("i8"),
    "f32": (NUMBERS / 4).astype("f4"),
    "f64": NUMBERS / 3,
    "one": np.arange(40.0),
    "two": np.arange(60.0).reshape(12, 5),
    "four": np.arange(120.0).reshape(4, 3, 5, 2),
}


def check_npy(folder):
    for name, expected in ARRAYS.items():
        path = folder / f"{name}.npy"
        found = np.load(path)
        assert found.dtype == expected.dtype and found.flags.c_contiguous, (path, found.dtype)
        np.testing.assert_array_equal(found, expected, err_msg=str(path), strict=True)
        saved = io.BytesIO()
        np.save(saved, expected)
        assert path.read_bytes() == saved.getvalue(), f"{path} differs from what numpy.save writes"
    return len(ARRAYS)


def image(path):
    reader = vtkXMLImageDataReader()
    assert reader.CanReadFile(str(path)), path
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0, path
    return reader.GetOutput()


def check_vti(folder):
    found = image(folder / "three.vti")
    # VTK counts points, which are one more than cells, and in the order x, y, z.
    assert found.GetDimensions() == (8, 7, 6), found.GetDimensions()
    assert found.GetOrigin() == ORIGIN[::-1] and found.GetSpacing() == SPACING[::-1]
    data = found.GetCellData()
    names = [data.GetArrayName(array) for array in range(data.GetNumberOfArrays())]
    heat = 'temperature < "melting" & more'
    assert names == ["grains", heat, "solid", "flow"], names
    assert data.GetScalars().GetName() == "grains" and data.GetVectors().GetName() == "flow"
    types = [data.GetArray(name).GetDataTypeAsString() for name in names]
    assert types == ["int", "double", "unsigned char", "float"], types
    cells = 0
    for z, y, x in itertools.product(*map(range, SHAPE)):
        number = int(NUMBERS[z, y, x])
        # By the place in space, so that the order of axes is VTK's affair.
        index = zip((z, y, x), ORIGIN, SPACING)
        centre = [origin + (at + 0.5) * spacing for at, origin, spacing in index][::-1]
        cell = found.FindCell(centre, None, -1, 0.0, reference(0), [0.0] * 3, [0.0] * 8)
        assert cell == found.ComputeCellId((x, y, z)), (cell, x, y, z)
        assert data.GetArray("grains").GetValue(cell) == number
        assert data.GetArray(heat).GetValue(cell) == number / 3
        assert data.GetArray("solid").GetValue(cell) == int(number % 3 == 0)
        assert data.GetArray("flow").GetTuple(cell) == (number, 1000 + number, 2000 + number)
        cells += 1
    plane = image(folder / "two.vti")
    assert plane.GetDimensions() == (6, 13, 1) and plane.GetDataDimension() == 2
    array = plane.GetCellData().GetArray("a")
    for y, x in itertools.product(range(12), range(5)):
        assert array.GetValue(plane.ComputeCellId((x, y, 0))) == 5 * y + x
    return cells + 60


def make(folder):
    """What the library has to read."""
    numbers = NUMBERS / 3
    np.save(folder / "c_order.npy", numbers)
    np.save(folder / "fortran_order.npy", np.asfortranarray(numbers))
    np.save(folder / "big_endian.npy", numbers.astype(">f8"))
    np.save(folder / "truth.npy", NUMBERS % 3 == 0)
    with open(folder / "version_2.npy", "wb") as file:
        np.lib.format.write_array(file, numbers, version=(2, 0))
    data = vtkImageData()
    data.SetDimensions(*(extent + 1 for extent in SHAPE[::-1]))
    data.SetOrigin(*ORIGIN[::-1])
    data.SetSpacing(*SPACING[::-1])
    for name, values in (("grains", NUMBERS.astype("i4")), ("heat", numbers)):
        array = numpy_to_vtk(values.ravel(), deep=True)
        array.SetName(name)
        data.GetCellData().AddArray(array)
    for bits in (32, 64):
        writer = vtkXMLImageDataWriter()
        writer.SetFileName(str(folder / f"vtk_{bits}.vti"))
        writer.SetInputData(data)
        writer.SetDataModeToAppended()
        writer.EncodeAppendedDataOff()
        writer.SetCompressorTypeToNone()
        getattr(writer, f"SetHeaderTypeToUInt{bits}")()
        assert writer.Write() == 1


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "make":
        make(folder)
    else:
        arrays, cells = check_npy(folder), check_vti(folder)
        print(f"{folder.name}: {arrays} .npy files and {cells} cells of .vti files are right")
