//! Checks that the checksums of a checkpoint are right.

use std::fs::File;
use std::ops::Range;

use coarray::{num_images, this_image};

use crate::checkpoint::checksums::{range, segments};
use crate::checkpoint::generations::part_at;
use crate::checkpoint::header::{Header, Places, corrupt};
use crate::error::Failed;
use crate::transfer::read_at;

/// The most that is read at once.
const PIECE: u64 = 1 << 20;

/// Longer tables are not read when the data are wrong: a header can claim a length that nobody has written and that
/// would take hours to read.
const LONG: u64 = 64 * PIECE;

/// Compares this image's share of the segments with the table of checksums, and the table with its own checksum. The
/// images' shares together are all segments.
pub(crate) fn verify(file: &File, header: &Header, places: &Places) -> Result<(), Failed> {
    let data = verify_data(file, header, places);
    if data.is_ok() || places.table_bytes() <= LONG {
        // If the table itself is wrong, that error is reported instead of wrong data.
        verify_table(file, places)?;
    }
    data
}

fn verify_data(file: &File, header: &Header, places: &Places) -> Result<(), Failed> {
    let count = segments(places.data_bytes, places.segment_bytes);
    let share = |image: usize| (u128::from(count) * image as u128 / num_images() as u128) as u64;
    let (mut segment, end) = (share(this_image()), share(this_image() + 1));
    let mut buffer = vec![0; PIECE.min(places.segment_bytes) as usize];
    let mut table = vec![0; PIECE.min(4 * (end - segment)) as usize];
    while segment < end {
        let numbers = (end - segment).min(PIECE / 4) as usize;
        let part = &mut table[..4 * numbers];
        read_at(file, part, places.table() + 4 * segment)?;
        for expected in part.chunks_exact(4) {
            let range = range(places.data_bytes, places.segment_bytes, segment);
            let range = range.expect("there is a checksum for each segment");
            let found = checksum(file, places.data, range.clone(), &mut buffer)?;
            let expected = number(expected);
            if found != expected {
                let (start, end) = (places.data + range.start, places.data + range.end);
                return Err(corrupt(&format!(
                    "block {segment} of {count}, bytes {start} to {end} in {}, is not what was written: its checksum is \
                     {found:08x} instead of {expected:08x}",
                    part_at(header, places, start)
                )));
            }
            segment += 1;
        }
    }
    Ok(())
}

fn verify_table(file: &File, places: &Places) -> Result<(), Failed> {
    let own = places.table_bytes() - 4;
    let mut buffer = vec![0; PIECE.min(places.table_bytes()) as usize];
    let found = checksum(file, places.table(), 0..own, &mut buffer)?;
    let mut expected = [0; 4];
    read_at(file, &mut expected, places.table() + own)?;
    if found != number(&expected) {
        return Err(corrupt("the checksum of its table of checksums is wrong"));
    }
    Ok(())
}

/// The checksum of these bytes from `place` on, which are read to the buffer piece by piece.
fn checksum(file: &File, place: u64, range: Range<u64>, buffer: &mut [u8]) -> Result<u32, Failed> {
    let mut hasher = crc32fast::Hasher::new();
    for start in range.clone().step_by(buffer.len()) {
        let rest = range.end - start;
        let piece = buffer
            .len()
            .min(usize::try_from(rest).unwrap_or(usize::MAX));
        read_at(file, &mut buffer[..piece], place + start)?;
        hasher.update(&buffer[..piece]);
    }
    Ok(hasher.finalize())
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("four bytes are four bytes"))
}
