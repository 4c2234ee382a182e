//! The header of `.npy` files: a Python dictionary as text.

use crate::error::{ErrorKind, Failed};
use crate::scalar::ElementType;
use crate::transfer::ByteOrder;

/// The header of a `.npy` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) element: ElementType,
    pub(crate) byte_order: ByteOrder,
    pub(crate) column_major: bool,
    pub(crate) shape: Vec<usize>,
}

/// The start of every file, before the two bytes of its version.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// A header of version 1 cannot be longer, and none that describes an array of numbers comes near.
const LONGEST: usize = 1 << 16;

/// Where headers end, so that the numbers are aligned.
const ALIGNMENT: usize = 64;

/// NumPy leaves room for the slowest extent to grow to this number of digits.
const DIGITS: usize = 21;

impl Header {
    /// All bytes of a file before its numbers, the same that `numpy.save` writes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let order = match self.byte_order {
            _ if self.element.bytes() == 1 => '|',
            ByteOrder::Little => '<',
            ByteOrder::Big => '>',
        };
        let column_major = if self.column_major { "True" } else { "False" };
        let extents: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let comma = if extents.len() == 1 { "," } else { "" };
        let mut text = format!(
            "{{'descr': '{order}{}', 'fortran_order': {column_major}, 'shape': ({}{comma}), }}",
            self.element.npy_name(),
            extents.join(", ")
        );
        let grows = if self.column_major {
            extents.last()
        } else {
            extents.first()
        };
        if let Some(extent) = grows {
            text.extend(std::iter::repeat_n(' ', DIGITS - extent.len()));
        }
        let fits = |prefix: usize| (prefix + text.len() + 1).next_multiple_of(ALIGNMENT) - prefix;
        let short = fits(10);
        let (mut bytes, length) = (MAGIC.to_vec(), u16::try_from(short));
        let length = match length {
            Ok(length) => {
                bytes.extend([1, 0]);
                bytes.extend(length.to_le_bytes());
                short
            }
            Err(_) => {
                bytes.extend([2, 0]);
                bytes.extend((fits(12) as u32).to_le_bytes());
                fits(12)
            }
        };
        bytes.extend(text.as_bytes());
        bytes.resize(bytes.len() + length - text.len() - 1, b' ');
        bytes.push(b'\n');
        bytes
    }

    /// Reads a header by `read`, which fills a slice from an offset of the file on. Also returns the numbers' offset.
    pub(crate) fn read(
        mut read: impl FnMut(&mut [u8], u64) -> Result<(), Failed>,
    ) -> Result<(Self, u64), Failed> {
        let mut start = [0; 10];
        read(&mut start, 0)?;
        if !start.starts_with(MAGIC) {
            return Err(wrong(
                "this is no .npy file: it does not start with \\x93NUMPY",
            ));
        }
        let (length, at) = match start[6] {
            1 => (usize::from(u16::from_le_bytes([start[8], start[9]])), 10),
            2 | 3 => {
                let mut length = [0; 4];
                read(&mut length, 8)?;
                (u32::from_le_bytes(length) as usize, 12)
            }
            version => {
                let cause = format!("version {version} of .npy files is not known; 1, 2 and 3 are");
                return Err(wrong(&cause));
            }
        };
        if length > LONGEST {
            return Err(wrong(&format!(
                "the header is {length} bytes long, which no array of numbers needs"
            )));
        }
        let mut text = vec![0; length];
        read(&mut text, at)?;
        let text = String::from_utf8_lossy(&text);
        Ok((Self::parse(&text)?, at + length as u64))
    }

    /// Reads the dictionary.
    fn parse(text: &str) -> Result<Self, Failed> {
        let mut parser = Parser { rest: text };
        let (mut element, mut column_major, mut shape) = (None, None, None);
        parser.expect("{")?;
        while !parser.takes("}") {
            let key = parser.string()?;
            parser.expect(":")?;
            match key {
                "descr" => element = Some(parser.element()?),
                "fortran_order" => column_major = Some(parser.truth()?),
                "shape" => shape = Some(parser.extents()?),
                _ => return Err(wrong(&format!("the header has an unknown entry '{key}'"))),
            }
            if !parser.takes(",") {
                parser.expect("}")?;
                break;
            }
        }
        if !parser.rest.trim().is_empty() {
            return Err(parser.unexpected("the end of the header"));
        }
        let missing = |entry| wrong(&format!("the header has no entry '{entry}'"));
        let (element, byte_order) = element.ok_or_else(|| missing("descr"))?;
        Ok(Self {
            element,
            byte_order,
            column_major: column_major.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }
}

fn wrong(cause: &str) -> Failed {
    Failed::new(ErrorKind::Format, cause)
}

/// Reads the few forms of Python literals that headers consist of.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn takes(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), Failed> {
        if self.takes(token) {
            return Ok(());
        }
        Err(self.unexpected(&format!("'{token}'")))
    }

    fn unexpected(&self, expected: &str) -> Failed {
        let found: String = self.rest.trim().chars().take(20).collect();
        wrong(&format!(
            "the header should have {expected} before {found:?}"
        ))
    }

    fn string(&mut self) -> Result<&'a str, Failed> {
        for quote in ["'", "\""] {
            if self.takes(quote) {
                let Some((string, rest)) = self.rest.split_once(quote) else {
                    return Err(self.unexpected("the end of a string"));
                };
                self.rest = rest;
                return Ok(string);
            }
        }
        Err(self.unexpected("a string"))
    }

    fn truth(&mut self) -> Result<bool, Failed> {
        if self.takes("True") {
            return Ok(true);
        }
        self.expect("False").map(|()| false)
    }

    fn element(&mut self) -> Result<(ElementType, ByteOrder), Failed> {
        if self.takes("[") {
            return Err(wrong(
                "its elements are records; arrays of numbers of one type can be read",
            ));
        }
        let name = self.string()?;
        let (order, number) = match name.split_at_checked(1) {
            Some(("<" | "|", number)) => (ByteOrder::Little, number),
            Some((">", number)) => (ByteOrder::Big, number),
            Some(("=", number)) if cfg!(target_endian = "big") => (ByteOrder::Big, number),
            Some(("=", number)) => (ByteOrder::Little, number),
            _ => (ByteOrder::Little, name),
        };
        let element = ElementType::from_npy_name(number).ok_or_else(|| {
            wrong(&format!(
                "its numbers are of the NumPy type '{name}', for which there is no type here"
            ))
        })?;
        Ok((element, order))
    }

    fn extents(&mut self) -> Result<Vec<usize>, Failed> {
        self.expect("(")?;
        let mut extents = Vec::new();
        while !self.takes(")") {
            self.rest = self.rest.trim_start();
            let digits = self.rest.chars().take_while(char::is_ascii_digit).count();
            let (extent, rest) = self.rest.split_at(digits);
            let extent = extent.parse().map_err(|_| self.unexpected("an extent"))?;
            extents.push(extent);
            self.rest = rest;
            // Python 2 wrote long integers like this.
            self.takes("L");
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(extents)
    }
}

#[cfg(test)]
mod tests {
    use super::Header;
    use crate::error::Failed;
    use crate::scalar::ElementType;
    use crate::transfer::ByteOrder;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<(Header, u64), Failed> {
        Header::read(|part, at| {
            let bytes = bytes.get(at as usize..at as usize + part.len());
            part.copy_from_slice(bytes.ok_or_else(|| super::wrong("too short"))?);
            Ok(())
        })
    }

    fn cause(text: &str) -> String {
        Header::parse(text).unwrap_err().cause
    }

    #[test]
    fn the_header_is_the_one_of_numpy() {
        let header = Header {
            element: ElementType::F64,
            byte_order: ByteOrder::Little,
            column_major: false,
            shape: vec![3, 4],
        };
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }";
        let expected = format!("{text:<117}\n");
        let bytes = header.to_bytes();
        assert_eq!(bytes[..10], *b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(String::from_utf8_lossy(&bytes[10..]), expected);
    }

    #[test]
    fn other_spellings_are_read() {
        let text = "{ \"shape\":(7L,),'fortran_order' : True, 'descr':'>i2'}  \n";
        let header = Header {
            element: ElementType::I16,
            byte_order: ByteOrder::Big,
            column_major: true,
            shape: vec![7],
        };
        assert_eq!(Header::parse(text), Ok(header));
        let scalar = Header::parse("{'descr': '|b1', 'fortran_order': False, 'shape': (), }");
        assert_eq!(scalar.unwrap().shape, []);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let cases = [
            (
                "{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }",
                "NumPy type '<c16'",
            ),
            (
                "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }",
                "records",
            ),
            (
                "{'descr': '<f8', 'shape': (3,), }",
                "no entry 'fortran_order'",
            ),
            (
                "{'descr': '<f8', 'order': False, }",
                "unknown entry 'order'",
            ),
            (
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3, x), }",
                "an extent before \"x), }\"",
            ),
            ("{'descr': '<f8", "the end of a string"),
            (
                "{'descr': '<f8'} again",
                "the end of the header before \"again\"",
            ),
        ];
        for (text, expected) in cases {
            assert!(cause(text).contains(expected), "{text}: {}", cause(text));
        }
        assert!(
            read(b"PK\x03\x04 and so on")
                .unwrap_err()
                .cause
                .contains("no .npy file")
        );
        assert!(
            read(b"\x93NUMPY\x09\x00 and so on")
                .unwrap_err()
                .cause
                .contains("version 9")
        );
    }

    #[test]
    fn versions_2_and_3_have_longer_lengths() {
        let text = b"{'descr': '<u4', 'fortran_order': False, 'shape': (3, 4), }\n";
        for version in [2, 3] {
            let mut bytes = [
                super::MAGIC.as_slice(),
                &[version, 0, text.len() as u8, 0, 0, 0],
            ]
            .concat();
            bytes.extend(text);
            let (header, start) = read(&bytes).unwrap();
            assert_eq!(
                (header.element, start),
                (ElementType::U32, bytes.len() as u64)
            );
        }
    }

    fn element() -> impl Strategy<Value = ElementType> {
        prop::sample::select(vec![
            ElementType::Bool,
            ElementType::U8,
            ElementType::I8,
            ElementType::U16,
            ElementType::I32,
            ElementType::U64,
            ElementType::F32,
            ElementType::F64,
        ])
    }

    proptest! {
        #[test]
        fn headers_are_read_as_written(element in element(), shape in prop::collection::vec(any::<usize>(), 0..6), big: bool, column_major: bool) {
            let byte_order = if big && element.bytes() > 1 { ByteOrder::Big } else { ByteOrder::Little };
            let header = Header { element, byte_order, column_major, shape };
            let bytes = header.to_bytes();
            prop_assert_eq!(bytes.len() % 64, 0);
            prop_assert_eq!(read(&bytes).unwrap(), (header, bytes.len() as u64));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text: String) {
            let _ = Header::parse(&text);
            let _ = Header::parse(&format!("{{'descr': '<f8', 'shape': {text}"));
        }

        #[test]
        fn changed_headers_are_refused_or_mean_something(at in 0usize..128, byte: u8) {
            let header = Header { element: ElementType::F64, byte_order: ByteOrder::Little, column_major: false, shape: vec![12, 34] };
            let mut bytes = header.to_bytes();
            bytes[at] = byte;
            let _ = read(&bytes);
        }
    }
}
