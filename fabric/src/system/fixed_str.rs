//! Short texts in memory that several images may read and write at once.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// A text of at most `N` bytes; longer ones are cut at a character's border.
///
/// Racing writers can garble it, but reading it is always defined.
#[derive(Debug)]
#[repr(C)]
pub struct FixedStr<const N: usize> {
    length: AtomicU32,
    bytes: [AtomicU8; N],
}

impl<const N: usize> FixedStr<N> {
    /// Replaces the text.
    pub fn set(&self, text: &str) {
        let length = (0..=N.min(text.len()))
            .rev()
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(0);
        for (cell, byte) in self.bytes.iter().zip(text[..length].bytes()) {
            cell.store(byte, Ordering::Relaxed);
        }
        self.length.store(length as u32, Ordering::Relaxed);
    }

    /// Replaces the text; of one that is too long, the end is kept.
    pub fn set_end(&self, text: &str) {
        let start = text.len().saturating_sub(N);
        let start = (start..=text.len())
            .find(|&start| text.is_char_boundary(start))
            .unwrap_or(0);
        self.set(&text[start..]);
    }

    /// A copy of the text.
    pub fn get(&self) -> String {
        let length = (self.length.load(Ordering::Relaxed) as usize).min(N);
        let bytes: Vec<u8> = self.bytes[..length]
            .iter()
            .map(|cell| cell.load(Ordering::Relaxed))
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
