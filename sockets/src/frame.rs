//! What goes through a connection: a header of five words, and perhaps bytes behind it.

use std::io::{self, Read};

use coarray_fabric::{AtomicOperation, SignalOperation, Word};

/// What one image asks of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Write the bytes that follow.
    Put { offset: usize, length: usize },
    /// Answer with these bytes.
    Get { offset: usize, length: usize },
    /// Apply the operation, and answer with the former value, if asked to.
    Atomic {
        offset: usize,
        word: Word,
        operation: AtomicOperation,
        fetches: bool,
    },
    /// Write the bytes that follow, and then change the signal word.
    PutSignal {
        offset: usize,
        length: usize,
        signal: usize,
        operation: SignalOperation,
    },
    /// Keep the bytes that follow until the image receives them.
    Message { length: usize },
    /// Answer with one byte when everything before is done.
    Flush,
}

/// Words of a header.
const WORDS: usize = 5;

/// Bytes of a header.
pub(crate) const HEADER: usize = 8 * WORDS;

impl Order {
    pub(crate) fn to_bytes(self) -> [u8; HEADER] {
        let words: [u64; WORDS] = match self {
            Self::Put { offset, length } => [0, offset as u64, length as u64, 0, 0],
            Self::Get { offset, length } => [1, offset as u64, length as u64, 0, 0],
            Self::PutSignal {
                offset,
                length,
                signal,
                operation,
            } => {
                let (kind, operand) = match operation {
                    SignalOperation::Set(value) => (2, value),
                    SignalOperation::Add(amount) => (5, amount),
                };
                [kind, offset as u64, length as u64, signal as u64, operand]
            }
            Self::Message { length } => [3, 0, length as u64, 0, 0],
            Self::Flush => [4, 0, 0, 0, 0],
            Self::Atomic {
                offset,
                word,
                operation,
                fetches,
            } => {
                use AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap, Xor};
                let [kind, one, two] = match operation {
                    Load => [0, 0, 0],
                    Swap(value) => [1, value, 0],
                    CompareExchange { current, new } => [2, current, new],
                    Add(value) => [3, value, 0],
                    And(bits) => [4, bits, 0],
                    Or(bits) => [5, bits, 0],
                    Xor(bits) => [6, bits, 0],
                };
                let is_long = u64::from(word == Word::Bits64);
                [
                    8 + 2 * kind + is_long,
                    offset as u64,
                    one,
                    two,
                    fetches.into(),
                ]
            }
        };
        let mut bytes = [0; HEADER];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The next order of a connection; none at its end.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut bytes = [0; HEADER];
        match from.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let (words, _) = bytes.as_chunks::<8>();
        let word = |index: usize| u64::from_le_bytes(words[index]);
        let [offset, length] = [word(1), word(2)].map(|word| word as usize);
        Ok(Some(match word(0) {
            0 => Self::Put { offset, length },
            1 => Self::Get { offset, length },
            kind @ (2 | 5) => Self::PutSignal {
                offset,
                length,
                signal: word(3) as usize,
                operation: match kind {
                    2 => SignalOperation::Set(word(4)),
                    _ => SignalOperation::Add(word(4)),
                },
            },
            3 => Self::Message { length },
            4 => Self::Flush,
            kind => Self::Atomic {
                offset,
                word: if kind & 1 == 1 {
                    Word::Bits64
                } else {
                    Word::Bits32
                },
                operation: operation(kind, word(2), word(3))?,
                fetches: word(4) != 0,
            },
        }))
    }
}

fn operation(kind: u64, one: u64, two: u64) -> io::Result<AtomicOperation> {
    use AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap, Xor};
    Ok(match kind / 2 {
        4 => Load,
        5 => Swap(one),
        6 => CompareExchange {
            current: one,
            new: two,
        },
        7 => Add(one),
        8 => And(one),
        9 => Or(one),
        10 => Xor(one),
        _ => return Err(io::Error::other(format!("there is no order {kind}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        use AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap, Xor};
        let compare = CompareExchange {
            current: 1 << 40,
            new: u64::MAX,
        };
        let mut orders = vec![
            Order::Put {
                offset: 1 << 33,
                length: 5,
            },
            Order::Get {
                offset: 8,
                length: 1 << 34,
            },
            Order::Message { length: 99 },
            Order::Flush,
        ];
        for operation in [SignalOperation::Set(u64::MAX), SignalOperation::Add(7)] {
            orders.push(Order::PutSignal {
                offset: 3,
                length: 1 << 33,
                signal: 64,
                operation,
            });
        }
        for operation in [Load, Swap(1), compare, Add(2), And(3), Or(4), Xor(5)] {
            for (word, fetches) in [(Word::Bits32, true), (Word::Bits64, false)] {
                orders.push(Order::Atomic {
                    offset: 16,
                    word,
                    operation,
                    fetches,
                });
            }
        }
        let bytes: Vec<u8> = orders.iter().flat_map(|order| order.to_bytes()).collect();
        let mut stream = &bytes[..];
        for order in orders {
            assert_eq!(Order::read(&mut stream).unwrap(), Some(order));
        }
        assert_eq!(Order::read(&mut stream).unwrap(), None);
        let unknown = [0xFF; HEADER];
        assert!(Order::read(&mut &unknown[..]).is_err());
    }
}
