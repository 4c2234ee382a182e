//! The part of a `.vti` file before its numbers.

use std::fmt::Write;

use crate::error::{ErrorKind, Failed};
use crate::transfer::ByteOrder;
use crate::vti::tags::{Tag, escape, tags};

/// An image of VTK. Everything is in the order x, y, z.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    /// Cells along each axis; 0 along an axis that the image does not have.
    pub(crate) cells: [usize; 3],
    pub(crate) origin: [f64; 3],
    pub(crate) spacing: [f64; 3],
    pub(crate) arrays: Vec<Array>,
    pub(crate) byte_order: ByteOrder,
    /// The bytes of the number before each array that says how long it is.
    pub(crate) length_bytes: usize,
}

/// An array of cell data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) name: String,
    /// VTK's name for the type of its numbers.
    pub(crate) vtk_type: String,
    /// Numbers for each cell.
    pub(crate) components: usize,
    /// Where it starts among the appended data: before its length.
    pub(crate) offset: u64,
}

/// The mark in front of appended data.
const MARK: char = '_';

/// The part of the file behind all numbers.
pub(crate) const END: &[u8] = b"\n  </AppendedData>\n</VTKFile>\n";

impl Header {
    /// All bytes of a file before its appended data.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let [x, y, z] = self.cells;
        let triple = |numbers: [f64; 3]| numbers.map(|number| number.to_string()).join(" ");
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  \
             <ImageData WholeExtent=\"0 {x} 0 {y} 0 {z}\" Origin=\"{}\" Spacing=\"{}\">\n    \
             <Piece Extent=\"0 {x} 0 {y} 0 {z}\">\n      <CellData",
            triple(self.origin),
            triple(self.spacing),
        );
        let first = |vectors: bool| {
            let found = self
                .arrays
                .iter()
                .find(|array| (array.components > 1) == vectors);
            found.map(|array| escape(&array.name))
        };
        // ParaView shows these arrays at first.
        for (role, name) in [("Scalars", first(false)), ("Vectors", first(true))] {
            if let Some(name) = name {
                write!(text, " {role}=\"{name}\"").expect("text takes text");
            }
        }
        text.push_str(">\n");
        for array in &self.arrays {
            writeln!(
                text,
                "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>",
                array.vtk_type,
                escape(&array.name),
                array.components,
                array.offset,
            )
            .expect("text takes text");
        }
        text.push_str("      </CellData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n   ");
        text.push(MARK);
        text.into_bytes()
    }

    /// Reads a header from the start of a file. Also returns where the appended data begin; none if they begin later
    /// than `start` ends.
    pub(crate) fn parse(start: &[u8]) -> Result<Option<(Self, u64)>, Failed> {
        let text_end = find(start, b"<AppendedData").and_then(|at| {
            let inside = find(&start[at..], b">")? + at + 1;
            let mark = find(&start[inside..], &[MARK as u8])? + inside;
            Some((inside, mark as u64 + 1))
        });
        let Some((end, data)) = text_end else {
            if find(start, b"</VTKFile>").is_some() {
                return Err(wrong(
                    "it has no appended data; save it as raw appended data",
                ));
            }
            return Ok(None);
        };
        let text = std::str::from_utf8(&start[..end])
            .map_err(|_| wrong("this is no .vti file: its start is no text"))?;
        Ok(Some((Self::of_tags(&tags(text)?)?, data)))
    }

    fn of_tags(tags: &[Tag]) -> Result<Self, Failed> {
        let one = |name: &str| {
            let mut found = tags.iter().filter(|tag| tag.name == name);
            match (found.next(), found.next()) {
                (Some(tag), None) => Ok(tag),
                (None, _) => Err(wrong(&format!("it has no {name}"))),
                _ => Err(wrong(&format!("it has several {name}s; one can be read"))),
            }
        };
        let file = one("VTKFile")?;
        if file.attribute("type") != Some("ImageData") {
            return Err(wrong("it is not of type ImageData"));
        }
        if let Some(compressor) = file.attribute("compressor") {
            let cause = format!("its data are compressed by {compressor}; save it without");
            return Err(wrong(&cause));
        }
        if one("AppendedData")?.attribute("encoding") != Some("raw") {
            return Err(wrong(
                "its appended data are not raw; save it with raw encoding",
            ));
        }
        let image = one("ImageData")?;
        let extent = |tag: &Tag, name| -> Option<[i64; 6]> { numbers(tag.attribute(name)?) };
        let whole = extent(image, "WholeExtent");
        if extent(one("Piece")?, "Extent") != whole {
            return Err(wrong("its piece is not the whole image"));
        }
        let extent = whole.ok_or_else(|| wrong("its WholeExtent is not six numbers"))?;
        let mut cells = [0; 3];
        for (axis, cells) in cells.iter_mut().enumerate() {
            let extent = extent[2 * axis + 1].checked_sub(extent[2 * axis]);
            *cells = extent
                .and_then(|extent| extent.try_into().ok())
                .ok_or_else(|| wrong("its WholeExtent ends before it begins"))?;
        }
        let triple = |name: &str, default: f64| match image.attribute(name) {
            None => Ok([default; 3]),
            Some(text) => {
                numbers(text).ok_or_else(|| wrong(&format!("its {name} is not three numbers")))
            }
        };
        let arrays = tags
            .iter()
            .filter(|tag| tag.name == "DataArray" && tag.within.last() == Some(&"CellData"));
        Ok(Self {
            cells,
            origin: triple("Origin", 0.0)?,
            spacing: triple("Spacing", 1.0)?,
            arrays: arrays.map(Array::of_tag).collect::<Result<_, _>>()?,
            byte_order: match file.attribute("byte_order") {
                Some("BigEndian") => ByteOrder::Big,
                _ => ByteOrder::Little,
            },
            length_bytes: match file.attribute("header_type") {
                Some("UInt64") => 8,
                _ => 4,
            },
        })
    }

    /// The array of this name.
    pub(crate) fn array(&self, name: &str) -> Result<&Array, Failed> {
        self.arrays
            .iter()
            .find(|array| array.name == name)
            .ok_or_else(|| {
                let names: Vec<&str> = self
                    .arrays
                    .iter()
                    .map(|array| array.name.as_str())
                    .collect();
                let cause = format!("it has no cell data {name:?}; there are {names:?}");
                Failed::new(ErrorKind::Name, cause)
            })
    }
}

impl Array {
    fn of_tag(tag: &Tag) -> Result<Self, Failed> {
        let name = tag.attribute("Name").unwrap_or_default().to_owned();
        let offset = tag
            .attribute("offset")
            .and_then(|offset| offset.parse().ok());
        let (Some("appended"), Some(offset)) = (tag.attribute("format"), offset) else {
            let cause = format!("its array {name:?} is not among the appended data");
            return Err(wrong(&cause));
        };
        let components = tag.attribute("NumberOfComponents").unwrap_or("1").parse();
        Ok(Self {
            vtk_type: tag.attribute("type").unwrap_or_default().to_owned(),
            components: components
                .map_err(|_| wrong(&format!("its array {name:?} has no number of components")))?,
            offset,
            name,
        })
    }
}

fn wrong(cause: &str) -> Failed {
    Failed::new(
        ErrorKind::Format,
        format!("this .vti file cannot be read: {cause}"),
    )
}

/// Exactly `N` numbers.
fn numbers<T: std::str::FromStr, const N: usize>(text: &str) -> Option<[T; N]> {
    let numbers = text.split_whitespace().map(|number| number.parse().ok());
    numbers.collect::<Option<Vec<T>>>()?.try_into().ok()
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes
        .windows(pattern.len())
        .position(|window| window == pattern)
}

#[cfg(test)]
mod tests {
    use super::{Array, Header};
    use crate::transfer::ByteOrder;
    use proptest::prelude::*;

    fn header() -> impl Strategy<Value = Header> {
        let array = (
            ".{0,12}",
            prop::sample::select(vec!["Int8", "Float64"]),
            1usize..4,
            any::<u64>(),
        );
        let array = array.prop_map(|(name, vtk_type, components, offset)| Array {
            name,
            vtk_type: vtk_type.to_owned(),
            components,
            offset,
        });
        let place = -1e300..1e300;
        let triple = || [place.clone(), place.clone(), place.clone()];
        (
            [0usize..1 << 40, 0usize..99, 0usize..99],
            triple(),
            triple(),
            prop::collection::vec(array, 0..4),
        )
            .prop_map(|(cells, origin, spacing, arrays)| Header {
                cells,
                origin,
                spacing,
                arrays,
                byte_order: ByteOrder::Little,
                length_bytes: 8,
            })
    }

    proptest! {
        #[test]
        fn headers_are_read_as_written(header in header(), behind in prop::collection::vec(any::<u8>(), 0..40), cut: prop::sample::Index) {
            let bytes = header.to_bytes();
            let file = [bytes.as_slice(), &behind].concat();
            prop_assert_eq!(Header::parse(&file).unwrap(), Some((header, bytes.len() as u64)));
            prop_assert_eq!(Header::parse(&bytes[..cut.index(bytes.len())]).unwrap(), None);
        }

        #[test]
        fn changed_headers_are_refused_or_mean_something(header in header(), at: prop::sample::Index, byte: u8) {
            let mut bytes = header.to_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = Header::parse(&bytes);
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let cases = [
            (
                "<VTKFile type='ImageData'><ImageData/></VTKFile>",
                "no appended data",
            ),
            (
                "<VTKFile type='PolyData'><AppendedData encoding='raw'>_",
                "not of type ImageData",
            ),
            (
                "<VTKFile type='ImageData' compressor='vtkZLibDataCompressor'><AppendedData encoding='raw'>_",
                "compressed by vtkZLibDataCompressor",
            ),
            (
                "<VTKFile type='ImageData'><AppendedData encoding='base64'>_",
                "not raw",
            ),
            (
                "<VTKFile type='ImageData'><AppendedData encoding='raw'>_",
                "no ImageData",
            ),
            (
                "<VTKFile type='ImageData'><ImageData WholeExtent='0 1 0 1 0 1'><Piece Extent='0 1 0 1 0 0'/><AppendedData encoding='raw'>_",
                "not the whole",
            ),
        ];
        for (text, expected) in cases {
            let cause = Header::parse(text.as_bytes()).unwrap_err().cause;
            assert!(cause.contains(expected), "{text}: {cause}");
        }
    }
}
