//! Sorting of long lists by a number: digit by digit, the lowest first (H. H. Seward, MIT 1954).
//!
//! A list of indices is in random order, where comparisons would be mispredicted. It takes two or three passes.

const BITS: u32 = 11;

/// Up to this length comparisons are faster.
const SHORT: usize = 256;

/// Sorts by `key`; what has the same one keeps its order.
pub(crate) fn sort_by_key<T: Copy>(items: &mut Vec<T>, key: impl Fn(&T) -> usize) {
    if items.len() <= SHORT {
        return items.sort_by_key(key);
    }
    let largest = items.iter().fold(0, |all, item| all | key(item));
    let digits = (usize::BITS - largest.leading_zeros()).div_ceil(BITS);
    let mut sorted = items.clone();
    for digit in 0..digits {
        let digit_of = |item: &T| key(item) >> (BITS * digit) & ((1 << BITS) - 1);
        let mut next = [0; 1 << BITS];
        items.iter().for_each(|item| next[digit_of(item)] += 1);
        let mut start = 0;
        for place in &mut next {
            start += std::mem::replace(place, start);
        }
        for item in &*items {
            let place = &mut next[digit_of(item)];
            sorted[*place] = *item;
            *place += 1;
        }
        std::mem::swap(items, &mut sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_short_lists_are_sorted_and_equal_keys_keep_their_order() {
        for (count, most) in [
            (0, 1),
            (1, 9),
            (255, 50),
            (5000, 1 << 11),
            (5000, usize::MAX),
            (300, 1),
        ] {
            let keys = (0..count).map(|at: usize| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) % most);
            let mut items: Vec<(usize, usize)> = keys.zip(0..).collect();
            let mut expected = items.clone();
            expected.sort();
            sort_by_key(&mut items, |item| item.0);
            assert_eq!(items, expected, "{count} keys below {most}");
        }
    }
}
