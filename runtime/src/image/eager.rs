//! What images on different nodes tell each other about the asynchronous collectives of a team, in messages.

use crate::image::descriptor::Descriptor;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::lockfree::arrival::Signature;

/// Payloads of at most this size travel in the notice.
const SHORT: usize = 256;

/// A record that this image has posted.
pub(crate) struct Posted<'a> {
    pub(crate) number: u64,
    pub(crate) signature: &'a Signature,
    /// Where it is in this image's part.
    pub(crate) record: usize,
    /// Where its payload is.
    pub(crate) payload: usize,
    pub(crate) pieces: &'a [&'a [u8]],
    /// How long the pieces are together.
    pub(crate) length: usize,
}

impl Posted<'_> {
    /// The message of the image with that index.
    pub(crate) fn message(&self, team: u64, index: usize) -> Outgoing {
        let message = Outgoing::new(MessageKind::Posted)
            .words(&[team, index as u64, self.number])
            .words(self.signature)
            .words(&[self.record, self.payload, self.length].map(|number| number as u64));
        if self.length > SHORT {
            return message;
        }
        let pieces = self.pieces.iter();
        pieces.fold(message, |message, piece| message.bytes(piece))
    }
}

/// That an image has posted a record.
#[derive(Debug)]
pub(crate) struct EagerDescriptor {
    pub(crate) signature: Signature,
    /// Where the record is in the owner's part.
    pub(crate) record: usize,
    pub(crate) payload: Payload,
}

/// What an image contributes.
#[derive(Debug)]
pub(crate) enum Payload {
    /// The bytes themselves.
    Here(Box<[u8]>),
    /// Where they are in the owner's part, and how many.
    There(usize, usize),
}

impl EagerDescriptor {
    fn read(mut reader: Reader<'_>) -> Self {
        let signature = reader.words();
        let [record, payload, length] = reader.words().map(|word: u64| word as usize);
        let payload = if length <= SHORT {
            Payload::Here(reader.bytes().into())
        } else {
            Payload::There(payload, length)
        };
        Self {
            signature,
            record,
            payload,
        }
    }

    /// How many bytes the owner contributes.
    pub(crate) fn length(&self) -> usize {
        match self.payload {
            Payload::Here(ref bytes) => bytes.len(),
            Payload::There(_, length) => length,
        }
    }

    /// How many bytes beside the record the owner keeps until all have finished with them.
    pub(crate) fn kept(&self) -> usize {
        match self.payload {
            Payload::There(place, length) if place != self.record + Descriptor::INSIDE => length,
            _ => 0,
        }
    }
}

/// Up to where an image needs no records, all of which it has found, and no payloads of any image any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watermark {
    pub(crate) records: u64,
    pub(crate) payloads: u64,
}

impl Watermark {
    pub(crate) const NOTHING: Self = Self {
        records: 0,
        payloads: 0,
    };

    pub(crate) const EVERYTHING: Self = Self {
        records: u64::MAX,
        payloads: u64::MAX,
    };

    /// The message of the image with that index.
    pub(crate) fn message(self, team: u64, index: usize) -> Outgoing {
        Outgoing::new(MessageKind::Watermark).words(&[
            team,
            index as u64,
            self.records,
            self.payloads,
        ])
    }
}

/// What a message says.
#[derive(Debug)]
pub(crate) enum LogMessage {
    /// The record with that number.
    Posted(u64, EagerDescriptor),
    Watermark(Watermark),
}

impl LogMessage {
    /// The team, the index of the sender, and what it says.
    pub(crate) fn read(kind: MessageKind, mut reader: Reader<'_>) -> (u64, usize, Self) {
        let (team, index) = (reader.word(), reader.size());
        let log_message = if kind == MessageKind::Posted {
            Self::Posted(reader.word(), EagerDescriptor::read(reader))
        } else {
            let [records, payloads] = reader.words();
            Self::Watermark(Watermark { records, payloads })
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
        for length in [0, 1, SHORT - 1, SHORT, SHORT + 1] {
            let bytes: Vec<u8> = (0..length).map(|index| index as u8).collect();
            let (head, rest) = bytes.split_at(length / 3);
            let posted = Posted {
                number: 7,
                signature: &signature,
                record: 640,
                payload: 6400,
                pieces: &[head, rest],
                length,
            };
            let (team, index, log_message) = read_back(&posted.message(99, 5));
            let LogMessage::Posted(7, eager) = log_message else {
                panic!("{log_message:?}")
            };
            assert_eq!(
                (team, index, eager.signature, eager.record),
                (99, 5, signature, 640)
            );
            assert_eq!(eager.length(), length);
            match &eager.payload {
                Payload::Here(found) => assert_eq!((&**found, eager.kept()), (&bytes[..], 0)),
                place => {
                    assert!(length > SHORT && matches!(place, &Payload::There(6400, _)));
                    assert_eq!(eager.kept(), length);
                }
            }
        }
    }

    #[test]
    fn what_is_over_is_read_as_it_was_written() {
        let (team, index, log_message) = read_back(&Watermark::EVERYTHING.message(3, 2));
        assert!(
            matches!(log_message, LogMessage::Watermark(Watermark::EVERYTHING)),
            "{log_message:?}"
        );
        assert_eq!((team, index), (3, 2));
    }
}
