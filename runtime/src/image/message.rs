//! Active messages between images of different nodes: a kind, which selects the handler, and arguments as words and
//! bytes.

use std::mem;

use coarray_fabric::transport::spare;

macro_rules! kinds {
    ($($(#[doc = $text:literal])* $kind:ident,)*) => {
        /// The kind of a message; its handler is in `lifecycle/dispatch.rs`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u64)]
        pub(crate) enum MessageKind {
            $($(#[doc = $text])* $kind,)*
        }

        impl MessageKind {
            /// By their numbers.
            const ALL: &[Self] = &[$(Self::$kind,)*];
        }
    };
}

kinds! {
    /// The sender has called `sync_images` with the receiver, so many times.
    SyncImages,
    /// Set bits of a word of the receiver.
    SetBits,
    /// The arrivals of all members of a team on the sender's node, in one barrier.
    Arrivals,
    /// The step that the sender has come to, with data for the receiver.
    Step,
    /// An eager descriptor that the sender has posted to a team.
    Posted,
    /// The sender's watermark in the logs of a team.
    Watermark,
    /// Asks the receiver to tell when it has come to the end of the program.
    AskEnd,
    /// The answer: the sender has come to the end of the program.
    Stopped,
    /// The job's tuning table.
    TuningTable,
    /// The job has ended; carries the failure.
    End,
    /// Asks the receiver for a sign of life.
    Ping,
    /// The answer to a ping.
    Pong,
    /// Deadlock detection: asks a leader whether its node is at a standstill.
    Probe,
    /// Answer to a probe: the node is at a standstill.
    ProbeAnswer,
}

/// A message to be sent: a byte for its kind, little-endian words, then bytes.
#[derive(Debug)]
pub(crate) struct Outgoing(Vec<u8>);

impl Outgoing {
    pub(crate) fn new(kind: MessageKind) -> Self {
        let mut bytes = spare::take();
        bytes.push(kind as u8);
        Self(bytes)
    }

    pub(crate) fn word(mut self, word: u64) -> Self {
        self.0.extend_from_slice(&word.to_le_bytes());
        self
    }

    pub(crate) fn half_word(mut self, word: u32) -> Self {
        self.0.extend_from_slice(&word.to_le_bytes());
        self
    }

    pub(crate) fn words(self, words: &[u64]) -> Self {
        words.iter().fold(self, |message, &word| message.word(word))
    }

    /// Ends the message with `bytes`, of which the reader gets the rest.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        spare::keep(mem::take(&mut self.0));
    }
}

/// Whether a message announces the end of the job.
///
/// # Panics
/// If the sender runs another version of this crate.
#[must_use]
pub fn is_about_the_end(message: &[u8]) -> bool {
    Reader::open(message).0 == MessageKind::End
}

/// A received message.
#[derive(Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Splits off the kind of the message.
    ///
    /// # Panics
    /// If the sender runs another version of this crate.
    pub(crate) fn open(message: &'a [u8]) -> (MessageKind, Self) {
        let (kind, rest) = message.split_first().expect("a message has a kind");
        let kind = MessageKind::ALL.get(usize::from(*kind));
        (*kind.expect("all images run the same program"), Self(rest))
    }

    pub(crate) fn word(&mut self) -> u64 {
        let (word, rest) = self
            .0
            .split_first_chunk()
            .expect("the writer wrote as many words");
        self.0 = rest;
        u64::from_le_bytes(*word)
    }

    pub(crate) fn half_word(&mut self) -> u32 {
        let (word, rest) = self
            .0
            .split_first_chunk()
            .expect("the writer wrote as many words");
        self.0 = rest;
        u32::from_le_bytes(*word)
    }

    pub(crate) fn words<const N: usize>(&mut self) -> [u64; N] {
        std::array::from_fn(|_| self.word())
    }

    pub(crate) fn size(&mut self) -> usize {
        self.word() as usize
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// The rest of the message.
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_their_numbers() {
        for (number, &kind) in MessageKind::ALL.iter().enumerate() {
            assert_eq!(kind as usize, number);
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let message = Outgoing::new(MessageKind::End)
            .half_word(5)
            .words(&[7, u64::MAX])
            .bytes(b"why");
        let (kind, mut reader) = Reader::open(message.as_bytes());
        assert_eq!((kind, reader.half_word()), (MessageKind::End, 5));
        assert_eq!(reader.words(), [7, u64::MAX]);
        assert_eq!(reader.bytes(), b"why");
    }
}
