//! Transfers between the memory of a block and its places in a file.
//!
//! Runs that follow one another in the file are joined, so that few system calls move large pieces. Only the block's
//! own bytes are ever written: two images that read, change and write back the same bytes would undo each other's work.

use std::fs::File;
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;

use crate::error::Failed;
use crate::layout::{Layout, Run};

/// The most that a system call writes or reads. A buffer of this length stays in the processor's cache; with shorter
/// buffers, images that write to the same file would often wait for each other.
const PIECE: usize = 1 << 20;

/// Shorter runs are packed into a buffer; longer runs go to the operating system as a list of slices, which saves a
/// copy. File systems let one image at a time write to a file, but all images pack at the same time, and packed bytes
/// are written faster.
const SHORT: usize = 64 << 10;

/// The most slices in such a list.
const MOST: usize = 1024;

/// The longest gap between two runs that is read and ignored, instead of skipped.
const GAP: u64 = 4 << 10;

/// The order of the bytes of a number in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    fn is_native(self) -> bool {
        (self == Self::Little) == cfg!(target_endian = "little")
    }
}

/// Writes a block, in little endian. The global array starts at byte `offset` of the file. `seen` gets the bytes that
/// are written, in the order of the file, each piece with its offset from the array's first byte.
pub(crate) fn write_block(
    file: &File,
    offset: u64,
    layout: &Layout,
    memory: &[u8],
    mut seen: impl FnMut(u64, &[u8]),
) -> Result<(), Failed> {
    let width = layout.width();
    let swap = width > 1 && !ByteOrder::Little.is_native();
    let mut packed: Vec<u8> = Vec::new();
    let mut joined: Vec<IoSlice> = Vec::new();
    let (mut start, mut end) = (0, 0);
    for run in layout.runs() {
        debug_assert_eq!(run.stride, width, "blocks are row-major");
        let pack = swap || run.cells * width < SHORT;
        let longest = if pack { PIECE / width * width } else { PIECE };
        let bytes = &memory[run.memory..][..run.cells * width];
        for (number, piece) in bytes.chunks(longest).enumerate() {
            let at = run.file + (number * longest) as u64;
            let full = (end - start) as usize + piece.len() > PIECE || joined.len() == MOST;
            if at != end || full {
                write_all(file, offset + start, &packed, &mut joined)?;
                packed.clear();
                start = at;
            }
            end = at + piece.len() as u64;
            if pack {
                packed.extend_from_slice(piece);
                swap_cells(swap, width, &mut packed, piece.len());
                let last = packed.len() - piece.len();
                seen(at, &packed[last..]);
            } else {
                joined.push(IoSlice::new(piece));
                seen(at, piece);
            }
        }
    }
    write_all(file, offset + start, &packed, &mut joined)
}

/// Writes `packed`, or writes and empties `joined`. All runs of a block have one length, so there are never both.
fn write_all(
    file: &File,
    mut at: u64,
    packed: &[u8],
    joined: &mut Vec<IoSlice>,
) -> Result<(), Failed> {
    if !packed.is_empty() {
        return write_at(file, packed, at);
    }
    let mut rest = &mut joined[..];
    while !rest.is_empty() {
        let bytes: usize = rest.iter().map(|slice| slice.len()).sum();
        match rustix::io::pwritev(file, rest, at) {
            Ok(0) => return Err(write_failed(bytes, at, &io::ErrorKind::WriteZero.into())),
            Ok(written) => {
                at += written as u64;
                IoSlice::advance_slices(&mut rest, written);
            }
            Err(rustix::io::Errno::INTR) => (),
            Err(error) => return Err(write_failed(bytes, at, &error.into())),
        }
    }
    joined.clear();
    Ok(())
}

/// Swaps the bytes of numbers of this size if files and memory differ in their order.
pub(crate) fn swap_for_file(width: usize, bytes: &mut [u8]) {
    swap_cells(
        width > 1 && !ByteOrder::Little.is_native(),
        width,
        bytes,
        bytes.len(),
    );
}

/// Reverses the bytes of each cell in the last `last` bytes of the buffer.
fn swap_cells(swap: bool, width: usize, buffer: &mut [u8], last: usize) {
    if swap {
        let start = buffer.len() - last;
        buffer[start..]
            .chunks_exact_mut(width)
            .for_each(<[u8]>::reverse);
    }
}

/// Reads a block. The global array starts at byte `offset` of the file, whose numbers have their bytes in this order.
pub(crate) fn read_block(
    file: &File,
    offset: u64,
    order: ByteOrder,
    layout: &Layout,
    memory: &mut [u8],
) -> Result<(), Failed> {
    let width = layout.width();
    let swap = width > 1 && !order.is_native();
    let mut buffer = vec![0; PIECE];
    let mut joined: Vec<Run> = Vec::new();
    let mut read_joined = |joined: &mut Vec<Run>, memory: &mut [u8]| {
        let (Some(first), Some(last)) = (joined.first(), joined.last()) else {
            return Ok(());
        };
        let start = first.file;
        let buffer = &mut buffer[..(last.file - start) as usize + last.cells * width];
        read_at(file, buffer, offset + start)?;
        for run in joined.drain(..) {
            let cells = &buffer[(run.file - start) as usize..][..run.cells * width];
            place(cells, &run, width, swap, memory);
        }
        Ok(())
    };
    for run in layout.runs() {
        let bytes = run.cells * width;
        let continues = match (joined.first(), joined.last()) {
            (Some(first), Some(last)) => {
                run.file - (last.file + (last.cells * width) as u64) <= GAP
                    && run.file + bytes as u64 - first.file <= PIECE as u64
            }
            _ => true,
        };
        if !continues {
            read_joined(&mut joined, memory)?;
        }
        if bytes <= PIECE {
            joined.push(run);
            continue;
        }
        read_joined(&mut joined, memory)?;
        let mut done = 0;
        while done < run.cells {
            let cells = (run.cells - done).min(PIECE / width);
            let mut part = vec![Run {
                file: run.file + (done * width) as u64,
                memory: run.memory + done * run.stride,
                cells,
                ..run
            }];
            read_joined(&mut part, memory)?;
            done += cells;
        }
    }
    read_joined(&mut joined, memory)
}

/// Copies the cells of a run to their places in memory.
fn place(cells: &[u8], run: &Run, width: usize, swap: bool, memory: &mut [u8]) {
    let memory = &mut memory[run.memory..];
    if run.stride == width {
        memory[..cells.len()].copy_from_slice(cells);
        swap_cells(swap, width, &mut memory[..cells.len()], cells.len());
        return;
    }
    for (number, cell) in cells.chunks_exact(width).enumerate() {
        let place = &mut memory[number * run.stride..][..width];
        place.copy_from_slice(cell);
        if swap {
            place.reverse();
        }
    }
}

/// Writes all of the bytes at byte `at` of the file.
pub(crate) fn write_at(file: &File, bytes: &[u8], at: u64) -> Result<(), Failed> {
    let written = file.write_all_at(bytes, at);
    written.map_err(|error| write_failed(bytes.len(), at, &error))
}

fn write_failed(bytes: usize, at: u64, error: &io::Error) -> Failed {
    Failed::os(&format!("write {bytes} bytes at byte {at}"), error)
}

/// Fills `bytes` from byte `at` of the file on.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> Result<(), Failed> {
    file.read_exact_at(bytes, at)
        .map_err(|error| Failed::os(&format!("read {} bytes at byte {at}", bytes.len()), &error))
}

#[cfg(test)]
mod tests {
    use super::{ByteOrder, PIECE, read_block, write_block};
    use crate::error::ErrorKind;
    use crate::layout::Layout;
    use std::io::Write;
    use std::ops::Range;

    /// A block of a global array of bytes, with a margin of `halo` cells around it.
    fn block(
        shape: &[usize],
        range: &[Range<usize>],
        halo: usize,
        width: usize,
    ) -> (Layout, usize) {
        let padded: Vec<_> = range.iter().map(|range| range.len() + 2 * halo).collect();
        let margin = vec![halo; shape.len()];
        let bytes = padded.iter().product::<usize>() * width;
        (Layout::new(shape, range, &padded, &margin, width), bytes)
    }

    fn numbers(bytes: usize) -> Vec<u8> {
        (0..bytes)
            .map(|byte| (byte * 7 + byte / 251) as u8)
            .collect()
    }

    #[test]
    fn what_is_written_is_read_whatever_the_lengths_of_runs() {
        let cases: [(&[usize], &[Range<usize>]); 5] = [
            (&[1, 3 * PIECE], &[0..1, 5..2 * PIECE + 17]),
            (&[4, PIECE], &[1..3, 0..PIECE]),
            (&[700, 900], &[30..650, 0..900]),
            (&[700, 900], &[0..700, 3..890]),
            (&[20, 30, 40], &[2..19, 0..7, 11..13]),
        ];
        for (shape, range) in cases {
            for halo in [0, 2] {
                let (layout, bytes) = block(shape, range, halo, 1);
                let memory = numbers(bytes);
                let file = tempfile::tempfile().unwrap();
                file.set_len(100 + layout.file_bytes()).unwrap();
                let (mut at, mut sum) = (0, 0);
                write_block(&file, 100, &layout, &memory, |place, bytes| {
                    assert!(place >= at, "pieces come in the order of the file");
                    at = place + bytes.len() as u64;
                    sum += bytes.len();
                })
                .unwrap();
                assert_eq!(
                    sum,
                    range.iter().map(|range| range.len()).product::<usize>()
                );

                let mut read = memory.clone();
                for run in layout.runs() {
                    read[run.memory..][..run.cells].fill(0);
                }
                assert_ne!(read, memory);
                read_block(&file, 100, ByteOrder::Little, &layout, &mut read).unwrap();
                assert!(read == memory, "{shape:?} {range:?} {halo}");
            }
        }
    }

    #[test]
    fn other_byte_orders_and_column_major_files_are_read() {
        let mut file = tempfile::tempfile().unwrap();
        // Element [i][j] of a 3 x 4 array is 10 i + j.
        for column in 0..4u16 {
            for row in 0..3u16 {
                file.write_all(&(10 * row + column).to_be_bytes()).unwrap();
            }
        }
        let (layout, bytes) = block(&[3, 4], &[1..3, 1..4], 1, 2);
        let mut memory = vec![0; bytes];
        read_block(
            &file,
            0,
            ByteOrder::Big,
            &layout.column_major(),
            &mut memory,
        )
        .unwrap();
        let numbers: Vec<u16> = memory
            .chunks_exact(2)
            .map(|bytes| u16::from_ne_bytes([bytes[0], bytes[1]]))
            .collect();
        let expected = [
            [0, 0, 0, 0, 0],
            [0, 11, 12, 13, 0],
            [0, 21, 22, 23, 0],
            [0, 0, 0, 0, 0],
        ];
        assert_eq!(numbers, expected.concat());
    }

    #[test]
    fn the_end_of_the_file_is_an_error() {
        let file = tempfile::tempfile().unwrap();
        let (layout, bytes) = block(&[4, 4], &[2..4, 0..4], 0, 1);
        file.set_len(15).unwrap();
        let mut memory = vec![0; bytes];
        let failed = read_block(&file, 0, ByteOrder::Little, &layout, &mut memory).unwrap_err();
        assert_eq!(failed.kind, ErrorKind::Truncated);
        assert!(
            failed.cause.contains("read 8 bytes at byte 8"),
            "{}",
            failed.cause
        );
    }
}
