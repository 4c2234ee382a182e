//! Messages of protocol buffers, as far as a timeline needs them: numbers and bytes by the number of their field.
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/>.

/// A message.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// Adds a field with a number: `uint64` and all shorter ones, `bool`, an enumeration.
    pub(super) fn number(&mut self, field: u32, number: u64) -> &mut Self {
        self.tag(field, 0);
        self.varint(number);
        self
    }

    /// Adds a field with a number of eight bytes: `fixed64`.
    pub(super) fn fixed(&mut self, field: u32, number: u64) -> &mut Self {
        self.tag(field, 1);
        self.0.extend(number.to_le_bytes());
        self
    }

    /// Adds a field with a text, or bytes.
    pub(super) fn text(&mut self, field: u32, text: &str) -> &mut Self {
        self.bytes(field, text.as_bytes())
    }

    /// Adds a field that is another message.
    pub(super) fn message(&mut self, field: u32, message: &Self) -> &mut Self {
        self.bytes(field, &message.0)
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) -> &mut Self {
        self.tag(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn tag(&mut self, field: u32, kind: u64) {
        self.varint(u64::from(field) << 3 | kind);
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Removes all fields, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the source.
    #[test]
    fn bytes_are_those_of_the_specification() {
        let mut inner = Message::default();
        inner.number(1, 150);
        assert_eq!(inner.as_bytes(), [0x08, 0x96, 0x01]);
        let mut outer = Message::default();
        outer.text(2, "testing").message(3, &inner);
        let expected = b"\x12\x07testing\x1a\x03\x08\x96\x01";
        assert_eq!(outer.as_bytes(), expected);
        let mut numbers = Message::default();
        numbers.number(16, u64::MAX).fixed(47, 0x0102);
        let expected = [
            0x80, 0x01, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0xf9, 0x02, 2, 1, 0, 0, 0,
            0, 0, 0,
        ];
        assert_eq!(numbers.as_bytes(), expected);
    }
}
