//! The messages between images that share no memory: a kind, and words, and what else there is to say.

macro_rules! kinds {
    ($($(#[doc = $text:literal])* $kind:ident,)*) => {
        /// What a message is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u64)]
        pub(crate) enum MessageKind {
            $($(#[doc = $text])* $kind,)*
        }

        impl MessageKind {
            const ALL: &[Self] = &[$(Self::$kind,)*];
        }
    };
}

kinds! {
    /// A eventcount of the receiver has come to some count.
    Raise,
    /// Bits of a word of the receiver are set.
    SetBits,
    /// All members of a team on a node have entered a barrier, with these arrivals.
    Arrivals,
    /// The sender waits for a step of the receiver.
    AwaitStep,
    /// How far the sender has come, for whose step the receiver waits.
    Step,
    /// The sender has posted a record to a team.
    Posted,
    /// The sender needs records and payloads of a team no more.
    Watermark,
    /// The sender has come to this stage.
    Stage,
    /// The tuning table that all images use.
    TuningTable,
    /// The job has ended, for this reason.
    End,
    /// Is the receiver there?
    Hello,
    /// It is.
    Here,
    /// Can any image of the receiver's node go on by itself?
    Question,
    /// None can.
    Answer,
    /// An event of the receiver is posted.
    Post,
    /// What the receiver told the sender to do is done.
    Acknowledgement,
    /// The sender wants a lock of the receiver.
    Lock,
    /// It wants it no more.
    Withdraw,
    /// It gives it back.
    Unlock,
    /// It makes it usable again.
    ClearPoison,
    /// The receiver has a lock that it wanted, or has it not.
    LockAnswer,
}

/// A message that is being written.
#[derive(Debug)]
pub(crate) struct Outgoing(Vec<u8>);

impl Outgoing {
    pub(crate) fn new(kind: MessageKind) -> Self {
        Self(Vec::with_capacity(64)).word(kind as u64)
    }

    pub(crate) fn word(mut self, word: u64) -> Self {
        self.0.extend_from_slice(&word.to_le_bytes());
        self
    }

    pub(crate) fn words(self, words: &[u64]) -> Self {
        words.iter().fold(self, |message, &word| message.word(word))
    }

    /// The end of the message: the reader gets all bytes that are left.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Whether a message is about the end of the job.
///
/// # Panics
/// If no image of the same version wrote it.
#[must_use]
pub fn is_about_the_end(message: &[u8]) -> bool {
    Reader::open(message).0 == MessageKind::End
}

/// A message that is being read.
#[derive(Debug)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// What the message is about, and the rest of it.
    ///
    /// # Panics
    /// If no image of the same version wrote it.
    pub(crate) fn open(message: &'a [u8]) -> (MessageKind, Self) {
        let mut reader = Self(message);
        let word = reader.word();
        let kind = MessageKind::ALL.iter().find(|&&kind| kind as u64 == word);
        (*kind.expect("all images run the same program"), reader)
    }

    pub(crate) fn word(&mut self) -> u64 {
        let (word, rest) = self
            .0
            .split_first_chunk()
            .expect("the writer wrote as many words");
        self.0 = rest;
        u64::from_le_bytes(*word)
    }

    pub(crate) fn words<const N: usize>(&mut self) -> [u64; N] {
        std::array::from_fn(|_| self.word())
    }

    pub(crate) fn size(&mut self) -> usize {
        self.word() as usize
    }

    /// All that is left.
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let message = Outgoing::new(MessageKind::End)
            .words(&[7, u64::MAX])
            .bytes(b"why");
        let (kind, mut reader) = Reader::open(message.as_bytes());
        assert_eq!((kind, reader.words()), (MessageKind::End, [7, u64::MAX]));
        assert_eq!(reader.bytes(), b"why");
    }
}
