//! The cells and their neighbours.
//!
//! Arrays are indexed `[z, y, x]`, so that x is the fastest axis, in memory and in files.

/// Neighbours of a cell: the others of a cube of 27.
pub const NEIGHBOURS: u32 = 26;

/// No grain.
pub const LIQUID: u32 = 0;

/// Steps to the neighbours, by number.
pub const STEPS: [[isize; 3]; NEIGHBOURS as usize] = steps();

const fn steps() -> [[isize; 3]; NEIGHBOURS as usize] {
    let mut steps = [[0; 3]; NEIGHBOURS as usize];
    let mut number = 0;
    let mut place = 0;
    while place < 27 {
        if place != 13 {
            steps[number] = [place / 9 - 1, place / 3 % 3 - 1, place % 3 - 1];
            number += 1;
        }
        place += 1;
    }
    steps
}

/// The number of a cell among all of a model of this shape.
#[inline]
pub fn number([z, y, x]: [usize; 3], [_, rows, columns]: [usize; 3]) -> u64 {
    (z as u64 * rows as u64 + y as u64) * columns as u64 + x as u64
}

/// The cell of a number.
pub fn place(number: u64, [_, rows, columns]: [usize; 3]) -> [usize; 3] {
    let (columns, rows) = (columns as u64, rows as u64);
    let (row, x) = (number / columns, number % columns);
    [(row / rows) as usize, (row % rows) as usize, x as usize]
}

/// A cell beside an index, for places where it is known to exist.
#[inline]
pub fn beside([z, y, x]: [usize; 3], step: [isize; 3]) -> [usize; 3] {
    // In full: closures over arrays are not always inlined, and this is called for every draw.
    [
        z.wrapping_add_signed(step[0]),
        y.wrapping_add_signed(step[1]),
        x.wrapping_add_signed(step[2]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_26_neighbours_are_there_once() {
        let mut steps = STEPS.to_vec();
        steps.sort_unstable();
        steps.dedup();
        assert_eq!(steps.len(), 26);
        assert!(!steps.contains(&[0, 0, 0]));
        assert!(steps.iter().flatten().all(|step| (-1..=1).contains(step)));
    }

    #[test]
    fn numbers_and_places_are_inverse() {
        let shape = [3, 4, 5];
        for cell in 0..60 {
            assert_eq!(number(place(cell, shape), shape), cell);
        }
        assert_eq!(place(59, shape), [2, 3, 4]);
    }
}
