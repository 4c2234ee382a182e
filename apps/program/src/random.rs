//! Random bits as a function of a seed and a number only. So they do not depend on which image draws them, nor in which
//! order.
//!
//! The function is the one of the generator SplitMix64: G. L. Steele, D. Lea and C. H. Flood, *Fast splittable
//! pseudorandom number generators*, OOPSLA 2014, <https://doi.org/10.1145/2660193.2660195>.

/// The random bits of this number.
#[inline]
pub fn bits(seed: u64, number: u64) -> u64 {
    mix(mix(seed) ^ number)
}

#[inline]
fn mix(bits: u64) -> u64 {
    let mixed = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
