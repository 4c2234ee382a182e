//! Whether a checkpoint holds what was written.

use std::fs::File;

use coarray::{num_images, this_image};

use crate::checkpoint::checksums::{range, segments};
use crate::checkpoint::generations::part_at;
use crate::checkpoint::header::{Header, Places, corrupt};
use crate::error::Failed;
use crate::transfer::read_at;

/// What is read at once.
const PIECE: u64 = 1 << 20;

/// Compares this image's share of the segments with the table of checksums: each image has another share, and together
/// they have all.
pub(crate) fn verify(file: &File, header: &Header, places: &Places) -> Result<(), Failed> {
    let mut table = vec![0; places.table_bytes() as usize];
    read_at(file, &mut table, places.table())?;
    let numbers = table
        .chunks_exact(4)
        .map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes are four bytes")));
    let mut checksums: Vec<u32> = numbers.collect();
    let own = checksums.pop();
    if own != Some(crc32fast::hash(&table[..table.len() - 4])) {
        return Err(corrupt("the checksum of its table of checksums is wrong"));
    }
    let count = segments(places.data_bytes, places.segment_bytes);
    let share = |image: usize| (u128::from(count) * image as u128 / num_images() as u128) as u64;
    let mut buffer = vec![0; PIECE.min(places.segment_bytes) as usize];
    for segment in share(this_image())..share(this_image() + 1) {
        let range = range(places.data_bytes, places.segment_bytes, segment);
        let range = range.expect("there is a checksum for each segment");
        let mut hasher = crc32fast::Hasher::new();
        for start in range.clone().step_by(PIECE as usize) {
            let piece = &mut buffer[..(range.end - start).min(PIECE) as usize];
            read_at(file, piece, places.data + start)?;
            hasher.update(piece);
        }
        let (found, expected) = (hasher.finalize(), checksums[segment as usize]);
        if found != expected {
            let (start, end) = (places.data + range.start, places.data + range.end);
            return Err(corrupt(&format!(
                "block {segment} of {count}, bytes {start} to {end} in {}, is not what was written: its checksum is {found:08x} \
                 instead of {expected:08x}",
                part_at(header, places, start)
            )));
        }
    }
    Ok(())
}
