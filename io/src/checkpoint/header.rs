//! The start of a checkpoint.
//!
//! ```text
//! 0       MAGIC: 24 bytes of text
//! 24      length of the description, 4 bytes; its CRC-32, 4 bytes
//! 32      description: sizes, values, fields; then zeros up to a whole number of PAGEs
//! data    the fields, each a global array from a whole number of PAGEs on; zeros between them
//! table   the CRC-32 of each segment of the data, 4 bytes each; then the CRC-32 of the table
//! ```
//! Numbers are little endian.

use crate::checkpoint::checksums::segments;
use crate::checkpoint::value::Value;
use crate::error::{ErrorKind, Failed};
use crate::scalar::ElementType;

pub(crate) const MAGIC: &[u8; 24] = b"coarray checkpoint 1\r\n\x1a\n";

/// Fields begin at multiples of this.
const PAGE: u64 = 4096;

/// The bytes before the description.
pub(crate) const START: usize = MAGIC.len() + 8;

/// The longest description that is read.
const LONGEST: u32 = 1 << 26;

/// The content of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub(crate) values: Vec<(String, Value)>,
    pub(crate) fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) element: ElementType,
    pub(crate) shape: Vec<usize>,
}

/// Where the parts of a checkpoint are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) data: u64,
    pub(crate) data_bytes: u64,
    pub(crate) segment_bytes: u64,
    /// From the first byte of the data on.
    pub(crate) fields: Vec<u64>,
}

impl Field {
    fn bytes(&self) -> Option<u64> {
        let mut bytes = self.element.bytes() as u64;
        for &extent in &self.shape {
            bytes = bytes.checked_mul(extent as u64)?;
        }
        Some(bytes)
    }
}

impl Places {
    pub(crate) fn table(&self) -> u64 {
        self.data + self.data_bytes
    }

    pub(crate) fn table_bytes(&self) -> u64 {
        4 * (segments(self.data_bytes, self.segment_bytes) + 1)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.table() + self.table_bytes()
    }
}

/// Few segments make the table short; short segments locate an error better.
fn segment_bytes(data_bytes: u64) -> u64 {
    (data_bytes / 4096)
        .next_power_of_two()
        .clamp(PAGE, 16 << 20)
}

impl Header {
    /// All bytes of the file before its data.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer(Vec::new());
        writer.number(self.values.len() as u64);
        for (name, value) in &self.values {
            writer.text(name);
            match value {
                Value::Integer(number) => {
                    writer.0.push(0);
                    writer.0.extend(number.to_le_bytes());
                }
                Value::Real(number) => {
                    writer.0.push(1);
                    writer.0.extend(number.to_le_bytes());
                }
                Value::Truth(truth) => writer.0.extend([2, u8::from(*truth)]),
                Value::Text(text) => {
                    writer.0.push(3);
                    writer.text(text);
                }
            }
        }
        writer.number(self.fields.len() as u64);
        for field in &self.fields {
            writer.text(&field.name);
            writer.text(field.element.rust_name());
            writer.number(field.shape.len() as u64);
            for &extent in &field.shape {
                writer.number(extent as u64);
            }
        }
        let mut description = writer.0;
        let whole = (START + description.len()).next_multiple_of(PAGE as usize);
        description.resize(whole - START, 0);
        let mut bytes = MAGIC.to_vec();
        bytes.extend((description.len() as u32).to_le_bytes());
        bytes.extend(crc32fast::hash(&description).to_le_bytes());
        bytes.extend(description);
        bytes
    }

    /// Reads a header by `read`, which fills a slice from an offset of the file on.
    pub(crate) fn read(
        mut read: impl FnMut(&mut [u8], u64) -> Result<(), Failed>,
    ) -> Result<(Self, Places), Failed> {
        let mut start = [0; START];
        read(&mut start, 0)?;
        if !start.starts_with(MAGIC) {
            let cause = "it does not start as a checkpoint of this version does";
            return Err(Failed::new(ErrorKind::Format, cause));
        }
        let number = |at: usize| {
            let bytes = start[at..][..4]
                .try_into()
                .expect("four bytes are four bytes");
            u32::from_le_bytes(bytes)
        };
        let (length, checksum) = (number(MAGIC.len()), number(MAGIC.len() + 4));
        if length > LONGEST {
            return Err(corrupt("the length of its header is impossible"));
        }
        let mut description = vec![0; length as usize];
        read(&mut description, START as u64)?;
        if crc32fast::hash(&description) != checksum {
            return Err(corrupt("the checksum of its header is wrong"));
        }
        let header = Self::parse(&description)
            .ok_or_else(|| corrupt("its header describes nothing that can be in a checkpoint"))?;
        let places = header
            .places(START as u64 + u64::from(length))
            .ok_or_else(|| corrupt("its header describes arrays that fit no file"))?;
        Ok((header, places))
    }

    fn parse(description: &[u8]) -> Option<Self> {
        let mut reader = Reader(description);
        let mut values = Vec::new();
        for _ in 0..reader.number()? {
            let name = reader.text()?;
            let value = match reader.byte()? {
                0 => Value::Integer(i128::from_le_bytes(reader.array()?)),
                1 => Value::Real(f64::from_le_bytes(reader.array()?)),
                2 => Value::Truth(reader.byte()? == 1),
                3 => Value::Text(reader.text()?),
                _ => return None,
            };
            values.push((name, value));
        }
        let mut fields = Vec::new();
        for _ in 0..reader.number()? {
            let name = reader.text()?;
            let element = ElementType::from_rust_name(&reader.text()?)?;
            let mut shape = Vec::new();
            for _ in 0..reader.number()? {
                shape.push(reader.number()?.try_into().ok()?);
            }
            fields.push(Field {
                name,
                element,
                shape,
            });
        }
        Some(Self { values, fields })
    }

    /// The places of all parts if the data start at byte `data` of the file; none if no file can be that long.
    pub(crate) fn places(&self, data: u64) -> Option<Places> {
        let mut fields = Vec::new();
        let mut end = 0u64;
        for field in &self.fields {
            let start = end.checked_next_multiple_of(PAGE)?;
            fields.push(start);
            end = start.checked_add(field.bytes()?)?;
        }
        // Offsets of files are signed, and the table follows the data.
        (data.checked_add(end)? < 1 << 62).then(|| Places {
            data,
            data_bytes: end,
            segment_bytes: segment_bytes(end),
            fields,
        })
    }
}

pub(crate) fn corrupt(cause: &str) -> Failed {
    Failed::new(ErrorKind::Corrupt, cause)
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?.try_into().ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, Header};
    use crate::checkpoint::value::Value;
    use crate::error::Failed;
    use crate::scalar::ElementType;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<Header, Failed> {
        let read = |part: &mut [u8], at: u64| {
            let bytes = bytes.get(at as usize..at as usize + part.len());
            part.copy_from_slice(bytes.ok_or_else(|| super::corrupt("too short"))?);
            Ok(())
        };
        let (header, places) = Header::read(read)?;
        assert_eq!(places.data, bytes.len() as u64);
        Ok(header)
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ]
    }

    fn header() -> impl Strategy<Value = Header> {
        let element =
            prop::sample::select(vec![ElementType::U8, ElementType::I32, ElementType::F64]);
        let field = (
            any::<String>(),
            element,
            prop::collection::vec(1usize..1000, 0..4),
        );
        let field = field.prop_map(|(name, element, shape)| Field {
            name,
            element,
            shape,
        });
        (
            prop::collection::vec((any::<String>(), value()), 0..5),
            prop::collection::vec(field, 0..5),
        )
            .prop_map(|(values, fields)| Header { values, fields })
    }

    proptest! {
        #[test]
        fn headers_are_read_as_written(header in header()) {
            let bytes = header.to_bytes();
            prop_assert_eq!(bytes.len() % 4096, 0);
            prop_assert_eq!(read(&bytes).unwrap(), header);
        }

        #[test]
        fn headers_with_a_wrong_bit_are_refused(header in header(), at: prop::sample::Index, bit in 0u8..8) {
            let mut bytes = header.to_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            prop_assert!(read(&bytes).is_err());
        }
    }
}
