//! The rule of the cyclic cellular automaton (D. Griffeath, 1988) and how it begins.
//!
//! A cell has one of [`STATES`] states, which follow each other in a circle. Where one of the four neighbours is
//! already in the successor of a cell's state, the cell follows it. From noise grow islands that eat each other, and
//! then spirals that never stop.
//!
//! ```
//! use coarray_book::cyclic::{STATES, next};
//!
//! assert_eq!(next(3, [0, 4, 9, 9]), 4);
//! assert_eq!(next(3, [0, 5, 9, 9]), 3);
//! assert_eq!(next(STATES - 1, [0; 4]), 0);
//! ```

/// The number of states of a cell: 0 to `STATES - 1`.
pub const STATES: u8 = 12;

/// The state of a cell in the next generation, from its own state and the states of its four neighbours.
pub fn next(cell: u8, around: [u8; 4]) -> u8 {
    let successor = (cell + 1) % STATES;
    if around.contains(&successor) {
        successor
    } else {
        cell
    }
}

/// The state of a cell in generation 0: noise that depends only on the place of the cell and `seed`, so not on the
/// number of images.
pub fn first(seed: u64, row: usize, column: usize) -> u8 {
    // The finalizer of SplitMix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014). Seeds begin at distant rows, so that
    // the noise of one is not a shift of the noise of another.
    let mut z = seed
        .wrapping_sub(1)
        .wrapping_mul(0xD134_2543_DE82_EF95)
        .wrapping_add(row as u64 + 1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(column as u64)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) % u64::from(STATES)) as u8
}
