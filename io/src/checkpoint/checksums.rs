//! Checksums of a file that many images write, each its own scattered bytes.
//!
//! The file is divided into segments of one length, which do not depend on the images. A CRC is linear: the CRC of a
//! segment is the sum (XOR) of what each image's bytes contribute at their places. So images add up contributions
//! instead of reading anything back, and the result does not depend on the number of images.
//!
//! Contributions are moved to their places by multiplying polynomials over GF(2), as `crc32_combine` of zlib does (Mark
//! Adler).

use std::ops::Range;

/// The polynomial of CRC-32, the highest power in the lowest bit, without the power 32.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// The polynomial 1.
const ONE: u32 = 1 << 31;

/// One image's contributions to the checksums of all segments.
pub(crate) struct Contributions {
    segment_bytes: u64,
    bytes: u64,
    /// The sum of each segment: shifted to `at` in the current segment, and to the segment's end in earlier ones.
    sums: Vec<u32>,
    /// Where the last bytes ended.
    at: u64,
    /// The last shift in bytes, and its power: runs come at equal distances.
    last: (u64, u32),
}

impl Contributions {
    /// No contributions yet, to a file of `bytes` bytes in segments of `segment_bytes`.
    pub(crate) fn new(bytes: u64, segment_bytes: u64) -> Self {
        Self {
            segment_bytes,
            bytes,
            sums: vec![0; segments(bytes, segment_bytes) as usize],
            at: 0,
            last: (0, ONE),
        }
    }

    /// Adds bytes of this image, which lie at this place of the file, behind all earlier ones.
    pub(crate) fn add(&mut self, mut place: u64, mut bytes: &[u8]) {
        assert!(place >= self.at, "bytes come in the order of the file");
        while !bytes.is_empty() {
            let segment = place / self.segment_bytes;
            let rest = (segment + 1) * self.segment_bytes - place;
            let here = bytes.len().min(usize::try_from(rest).unwrap_or(usize::MAX));
            let (now, later) = bytes.split_at(here);
            let end = place + here as u64;
            if segment != self.at / self.segment_bytes {
                self.close();
                self.at = segment * self.segment_bytes;
            }
            let moved = self.power(end - self.at);
            let sum = &mut self.sums[segment as usize];
            *sum = product(*sum, moved) ^ linear(now);
            self.at = end;
            place = end;
            bytes = later;
        }
    }

    /// Moves the sum of the last segment to the segment's end.
    fn close(&mut self) {
        let segment = self.at / self.segment_bytes;
        if let Some(range) = range(self.bytes, self.segment_bytes, segment) {
            let moved = self.power(range.end - self.at);
            let sum = &mut self.sums[segment as usize];
            *sum = product(*sum, moved);
        }
    }

    fn power(&mut self, bytes: u64) -> u32 {
        if self.last.0 != bytes {
            self.last = (bytes, power(bytes));
        }
        self.last.1
    }

    /// One number for each segment.
    pub(crate) fn finish(mut self) -> Vec<u32> {
        // The sum of a full segment is at the segment's end already.
        if !self.at.is_multiple_of(self.segment_bytes) {
            self.close();
        }
        self.sums
    }
}

/// The checksums of segments, from the sums of all images' contributions.
pub(crate) fn checksums(mut sums: Vec<u32>, bytes: u64, segment_bytes: u64) -> Vec<u32> {
    for (segment, sum) in sums.iter_mut().enumerate() {
        let range =
            range(bytes, segment_bytes, segment as u64).expect("there is a sum for each segment");
        // The initial value of a CRC, and its final XOR.
        *sum ^= product(u32::MAX, power(range.end - range.start)) ^ u32::MAX;
    }
    sums
}

/// The number of segments of a file of `bytes` bytes.
pub(crate) fn segments(bytes: u64, segment_bytes: u64) -> u64 {
    bytes.div_ceil(segment_bytes)
}

/// The bytes of a segment, if there is such a segment.
pub(crate) fn range(bytes: u64, segment_bytes: u64, segment: u64) -> Option<Range<u64>> {
    let start = segment.checked_mul(segment_bytes)?;
    (start < bytes).then(|| start..bytes.min(start.saturating_add(segment_bytes)))
}

/// The remainder of the bytes, without a CRC's initial value and final XOR.
fn linear(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(u32::MAX);
    hasher.update(bytes);
    !hasher.finalize()
}

/// The product of two polynomials modulo the polynomial of CRC-32.
fn product(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for power in 0..32 {
        // Masks instead of branches, which would be mispredicted half of the time.
        product ^= b & 0u32.wrapping_sub((a >> (31 - power)) & 1);
        b = (b >> 1) ^ (POLYNOMIAL & 0u32.wrapping_sub(b & 1));
    }
    product
}

/// The polynomial that shifts a checksum by `bytes` bytes: x to the power of 8 `bytes`.
fn power(mut bytes: u64) -> u32 {
    let mut power = ONE;
    // x to the power of 8.
    let mut square = ONE >> 8;
    while bytes != 0 {
        if bytes & 1 == 1 {
            power = product(power, square);
        }
        square = product(square, square);
        bytes >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::{Contributions, checksums, range};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn contributions_of_images_add_up_to_the_checksums_of_the_file(
            bytes in prop::collection::vec(any::<u8>(), 1..2000),
            cuts in prop::collection::vec((0usize..2000, 0usize..4), 0..40),
            segment_bytes in 1u64..700,
        ) {
            let length = bytes.len() as u64;
            let mut images: Vec<_> = (0..4).map(|_| Contributions::new(length, segment_bytes)).collect();
            let mut cuts: Vec<_> = cuts.into_iter().map(|(at, image)| (at % bytes.len(), image)).collect();
            cuts.sort();
            let mut start = 0;
            for (end, image) in cuts.into_iter().chain([(bytes.len(), 0)]) {
                images[image].add(start as u64, &bytes[start..end]);
                start = end;
            }
            let mut sums = vec![0; length.div_ceil(segment_bytes) as usize];
            for image in images {
                for (sum, contribution) in sums.iter_mut().zip(image.finish()) {
                    *sum ^= contribution;
                }
            }
            for (segment, sum) in checksums(sums, length, segment_bytes).into_iter().enumerate() {
                let range = range(length, segment_bytes, segment as u64).unwrap();
                let part = &bytes[range.start as usize..range.end as usize];
                prop_assert_eq!(sum, crc32fast::hash(part), "segment {}", segment);
            }
        }
    }
}
