//! The random numbers of RandomAccess: powers of 2 modulo a polynomial over the integers modulo 2.

/// x^64 + x^2 + x + 1 without its highest power.
const POLYNOMIAL: u64 = 7;

/// After so many numbers the sequence repeats itself.
const PERIOD: u64 = 1_317_624_576_693_539_401;

/// The number after `number`.
#[inline]
#[must_use]
pub fn next(number: u64) -> u64 {
    // All ones where the highest bit is shifted out.
    let overflow = (number as i64 >> 63) as u64;
    (number << 1) ^ (overflow & POLYNOMIAL)
}

/// The numbers after `number`.
#[inline]
pub fn after(number: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(next(number)), |&number| Some(next(number)))
}

/// The number with that index in the sequence, of which 1 has index 0, without going through those before it.
#[must_use]
pub fn at(index: u64) -> u64 {
    let mut index = index % PERIOD;
    let (mut number, mut factor) = (1, 2);
    while index > 0 {
        if index & 1 != 0 {
            number = product(number, factor);
        }
        factor = product(factor, factor);
        index >>= 1;
    }
    number
}

fn product(left: u64, right: u64) -> u64 {
    let (mut sum, mut shifted) = (0, left);
    for bit in 0..64 {
        if right >> bit & 1 != 0 {
            sum ^= shifted;
        }
        shifted = next(shifted);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_arrive_where_steps_do() {
        let mut number = 1;
        for index in 0..1000 {
            assert_eq!(at(index), number);
            number = next(number);
        }
        let far = 834_568_137_686_317_453;
        assert_eq!(
            (0..100).fold(at(far), |number, _| next(number)),
            at(far + 100)
        );
        assert_eq!(next(at(PERIOD - 1)), 1);
    }

    #[test]
    fn the_first_overflow_is_folded_back() {
        assert_eq!((at(63), at(64), at(65)), (1 << 63, 7, 14));
    }
}
