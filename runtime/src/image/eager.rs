//! The messages between nodes about the asynchronous collectives of a team: eager descriptors and watermarks.

use crate::image::descriptor::Descriptor;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::lockfree::arrival::Signature;

/// Payloads up to this size travel with the descriptor.
const EAGER_BYTES: usize = 256;

/// A descriptor that this image has posted.
pub(crate) struct Posted<'a> {
    pub(crate) number: u64,
    pub(crate) signature: &'a Signature,
    /// Its offset in this image's part.
    pub(crate) descriptor: usize,
    /// The offset of its payload.
    pub(crate) payload: usize,
    pub(crate) pieces: &'a [&'a [u8]],
    /// The length of all pieces.
    pub(crate) length: usize,
}

impl Posted<'_> {
    /// The message about it, from the image with index `index`.
    pub(crate) fn message(&self, team: u64, index: usize) -> Outgoing {
        let message = Outgoing::new(MessageKind::Posted)
            .words(&[team, index as u64, self.number])
            .words(self.signature)
            .words(&[self.descriptor, self.payload, self.length].map(|number| number as u64));
        if self.length > EAGER_BYTES {
            return message;
        }
        let pieces = self.pieces.iter();
        pieces.fold(message, |message, piece| message.bytes(piece))
    }
}

/// A descriptor as it arrives from another node.
#[derive(Debug)]
pub(crate) struct EagerDescriptor {
    pub(crate) signature: Signature,
    /// The offset of the full descriptor in the owner's part.
    pub(crate) descriptor: usize,
    pub(crate) payload: Payload,
}

/// The payload of an eager descriptor.
#[derive(Debug)]
pub(crate) enum Payload {
    /// The bytes.
    Inline(Box<[u8]>),
    /// Offset in the owner's part, and length: to be fetched.
    Remote(usize, usize),
}

impl EagerDescriptor {
    fn read(mut reader: Reader<'_>) -> Self {
        let signature = reader.words();
        let [descriptor, payload, length] = reader.words().map(|word: u64| word as usize);
        let payload = if length <= EAGER_BYTES {
            Payload::Inline(reader.bytes().into())
        } else {
            Payload::Remote(payload, length)
        };
        Self {
            signature,
            descriptor,
            payload,
        }
    }

    /// The length of the payload in bytes.
    pub(crate) fn length(&self) -> usize {
        match self.payload {
            Payload::Inline(ref bytes) => bytes.len(),
            Payload::Remote(_, length) => length,
        }
    }

    /// Bytes of a separate payload, which the owner retains until all images have finished with it.
    pub(crate) fn retained_bytes(&self) -> usize {
        match self.payload {
            Payload::Remote(place, length) if place != self.descriptor + Descriptor::INSIDE => {
                length
            }
            _ => 0,
        }
    }
}

/// Up to which numbers an image needs no descriptors, all of which it has found, and no payloads of any image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watermark {
    pub(crate) descriptors: u64,
    pub(crate) payloads: u64,
}

impl Watermark {
    pub(crate) const NONE: Self = Self {
        descriptors: 0,
        payloads: 0,
    };

    pub(crate) const ALL: Self = Self {
        descriptors: u64::MAX,
        payloads: u64::MAX,
    };

    /// The message about it, from the image with index `index`.
    pub(crate) fn message(self, team: u64, index: usize) -> Outgoing {
        Outgoing::new(MessageKind::Watermark).words(&[
            team,
            index as u64,
            self.descriptors,
            self.payloads,
        ])
    }
}

/// A message about a team's log.
#[derive(Debug)]
pub(crate) enum LogMessage {
    /// The sender has posted the descriptor with this number.
    Posted(u64, EagerDescriptor),
    Watermark(Watermark),
}

impl LogMessage {
    /// Decodes a message: the team, the index of the sender, and the content.
    pub(crate) fn read(kind: MessageKind, mut reader: Reader<'_>) -> (u64, usize, Self) {
        let (team, index) = (reader.word(), reader.size());
        let log_message = if kind == MessageKind::Posted {
            Self::Posted(reader.word(), EagerDescriptor::read(reader))
        } else {
            let [descriptors, payloads] = reader.words();
            Self::Watermark(Watermark {
                descriptors,
                payloads,
            })
        };
        (team, index, log_message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(message: &Outgoing) -> (u64, usize, LogMessage) {
        let (kind, reader) = Reader::open(message.as_bytes());
        LogMessage::read(kind, reader)
    }

    #[test]
    fn short_payloads_travel_and_long_ones_stay() {
        let signature = [1, 2, 3, 4];
        for length in [0, 1, EAGER_BYTES - 1, EAGER_BYTES, EAGER_BYTES + 1] {
            let bytes: Vec<u8> = (0..length).map(|index| index as u8).collect();
            let (head, rest) = bytes.split_at(length / 3);
            let posted = Posted {
                number: 7,
                signature: &signature,
                descriptor: 640,
                payload: 6400,
                pieces: &[head, rest],
                length,
            };
            let (team, index, log_message) = read_back(&posted.message(99, 5));
            let LogMessage::Posted(7, eager) = log_message else {
                panic!("{log_message:?}")
            };
            assert_eq!(
                (team, index, eager.signature, eager.descriptor),
                (99, 5, signature, 640)
            );
            assert_eq!(eager.length(), length);
            match &eager.payload {
                Payload::Inline(found) => {
                    assert_eq!((&**found, eager.retained_bytes()), (&bytes[..], 0))
                }
                place => {
                    assert!(length > EAGER_BYTES && matches!(place, &Payload::Remote(6400, _)));
                    assert_eq!(eager.retained_bytes(), length);
                }
            }
        }
    }

    #[test]
    fn a_watermark_is_read_as_it_was_written() {
        let (team, index, log_message) = read_back(&Watermark::ALL.message(3, 2));
        assert!(
            matches!(log_message, LogMessage::Watermark(Watermark::ALL)),
            "{log_message:?}"
        );
        assert_eq!((team, index), (3, 2));
    }
}
