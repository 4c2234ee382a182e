//! The random numbers of RandomAccess (HPC Challenge, and the Parallel Research Kernels after it): the powers of x modulo
//! the polynomial x⁶³ + x² + x + 1 over the field of two elements, as bits of words.

const POLYNOMIAL: u64 = 7;
const PERIOD: u64 = 1_317_624_576_693_539_401;

/// x times a power of x.
pub fn following(word: u64) -> u64 {
    word << 1 ^ if word >> 63 == 1 { POLYNOMIAL } else { 0 }
}

/// The power of x with this exponent, by squaring.
pub fn power(exponent: u64) -> u64 {
    let mut word = 1;
    let squares: [u64; 64] = std::array::from_fn(|_| {
        let square = word;
        word = following(following(word));
        square
    });
    let exponent = exponent % PERIOD;
    let Some(highest) = exponent.checked_ilog2() else {
        return 1;
    };
    (0..highest).rev().fold(2, |power, bit| {
        let squared = (0..64)
            .filter(|i| power >> i & 1 == 1)
            .fold(0, |sum, i: usize| sum ^ squares[i]);
        if exponent >> bit & 1 == 1 {
            following(squared)
        } else {
            squared
        }
    })
}
