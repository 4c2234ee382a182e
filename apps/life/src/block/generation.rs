//! One generation of B3/S23, 64 cells at a time.

/// Computes `next` from the words north of it, those it replaces and those south of it. These three
/// begin one word before `next` and end one word after it, for the neighbours across word borders.
///
/// The rows of a block follow each other without a gap, so the whole block is one such line. Bits
/// of the rows before and after a row enter only its halo columns and the bits beyond: no other
/// bits have west or east neighbours in another row.
pub(super) fn compute(north: &[u64], here: &[u64], south: &[u64], next: &mut [u64]) {
    let lines = north.windows(3).zip(here.windows(3)).zip(south.windows(3));
    for (((north, here), south), next) in lines.zip(next) {
        *next = live(around(north), around(here), around(south));
    }
}

/// The cells west of, at and east of those of the middle word: in bit i, the neighbours of cell i.
fn around(words: &[u64]) -> [u64; 3] {
    let [west, word, east] = [words[0], words[1], words[2]];
    [(word << 1) | (west >> 63), word, (word >> 1) | (east << 63)]
}

/// The rule B3/S23 for 64 cells at once: in each bit position the eight neighbours are added in
/// binary, by carry-save adders whose wires are words.
fn live(north: [u64; 3], [west, cell, east]: [u64; 3], south: [u64; 3]) -> u64 {
    let (north_ones, north_twos) = full_adder(north);
    let (here_ones, here_twos) = (west ^ east, west & east);
    let (south_ones, south_twos) = full_adder(south);
    let (ones, carried) = full_adder([north_ones, here_ones, south_ones]);
    let (twos, fours) = full_adder([north_twos, here_twos, south_twos]);
    // Three neighbours, or two around a live cell. Where a two and a carried bit add up to another
    // four, `twos ^ carried` is 0.
    (twos ^ carried) & !fours & (ones | cell)
}

/// The sum, in each bit position, of three bits: its ones and its twos.
fn full_adder([a, b, c]: [u64; 3]) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}
