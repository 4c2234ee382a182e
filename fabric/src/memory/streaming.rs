//! Copies that are too long for the caches, by non-temporal stores.
//!
//! An ordinary store first fetches the line that it changes. For long copies this is a third of the memory traffic, which non-temporal stores
//! save. The C library uses them, too, from a length that it guesses; in virtual machines it often takes the caches for larger than they are.

use std::fs::read_to_string;
use std::sync::OnceLock;

/// A cache line.
const LINE: usize = 64;

/// Shorter copies fit the caches of any machine, so the size of the cache is not asked for.
pub(crate) const LONG: usize = 2 << 20;

/// Copies `length` bytes past the caches, unless they fit the largest cache or the ranges overlap. Returns whether it has copied.
///
/// # Safety
/// As [`copy`](crate::memory::direct::copy).
#[cold]
#[inline(never)]
pub(crate) unsafe fn copy(to: *mut u8, from: *const u8, length: usize) -> bool {
    static SHORTEST: OnceLock<usize> = OnceLock::new();
    let shortest = *SHORTEST.get_or_init(|| shortest(largest_cache()));
    let is_disjoint = to.addr().abs_diff(from.addr()) >= length;
    if length < shortest || !is_disjoint {
        return false;
    }
    // SAFETY: the caller vouches for both ranges, which do not overlap.
    unsafe { copy_past_caches(to, from, length) }
    true
}

/// The shortest copy whose source and target together fill a cache of that size.
fn shortest(cache: Option<usize>) -> usize {
    cache.map_or(usize::MAX, |bytes| (bytes / 2).max(LONG))
}

/// Bytes of the largest cache of the first core; `None` if the kernel does not tell.
fn largest_cache() -> Option<usize> {
    let cache = |index| {
        let file = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        read_to_string(file).ok()
    };
    (0..).map_while(cache).filter_map(|size| bytes(&size)).max()
}

/// The number that the kernel writes as `32768K`.
fn bytes(size: &str) -> Option<usize> {
    let kibibytes: usize = size.trim().strip_suffix('K')?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Copies lines of the target past the caches, and the bytes before and after them through the caches.
///
/// # Safety
/// As [`direct::copy`](crate::memory::direct::copy), for ranges that do not overlap.
unsafe fn copy_past_caches(to: *mut u8, from: *const u8, length: usize) {
    let head = to.align_offset(LINE).min(length);
    let lines = (length - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: three parts of the ranges that the caller vouches for; lines begin at multiples of `LINE` in the target.
    unsafe {
        crate::memory::direct::copy_through_caches(to, from, head);
        copy_lines(to.add(head), from.add(head), lines);
        crate::memory::direct::copy_through_caches(to.add(tail), from.add(tail), length - tail);
    }
}

/// Copies `lines` cache lines past the caches, ordered with earlier and later stores.
///
/// # Safety
/// As [`direct::copy`](crate::memory::direct::copy), for `lines * LINE` bytes; `to` is a multiple of [`LINE`].
unsafe fn copy_lines(to: *mut u8, from: *const u8, lines: usize) {
    if lines == 0 {
        return;
    }
    // SAFETY: reads and writes only the bytes that the caller vouches for, with aligned stores. To the compiler the assembly is code that may access
    // these bytes in any way, relaxed atomics included. Non-temporal stores are weakly ordered; the two `sfence` order them after all earlier
    // stores and before all later ones, so other images cannot tell them from ordinary stores.
    unsafe {
        std::arch::asm!(
            "sfence",
            "2:",
            "movups {first}, [{from}]",
            "movups {second}, [{from} + 16]",
            "movups {third}, [{from} + 32]",
            "movups {fourth}, [{from} + 48]",
            "movntps [{to}], {first}",
            "movntps [{to} + 16], {second}",
            "movntps [{to} + 32], {third}",
            "movntps [{to} + 48], {fourth}",
            "add {from}, 64",
            "add {to}, 64",
            "dec {lines}",
            "jnz 2b",
            "sfence",
            from = inout(reg) from => _,
            to = inout(reg) to => _,
            lines = inout(reg) lines => _,
            first = out(xmm_reg) _,
            second = out(xmm_reg) _,
            third = out(xmm_reg) _,
            fourth = out(xmm_reg) _,
            options(nostack),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_arrive_whatever_the_alignment_and_none_beyond() {
        let source: Vec<u8> = (0..1000u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for (start, from, length) in [
            (0, 0, 1000),
            (1, 0, 999),
            (63, 17, 900),
            (64, 1, 64),
            (5, 9, 58),
            (5, 9, 200),
            (7, 7, 0),
        ] {
            let mut target = vec![0xff; 1000 + LINE];
            let place = target.as_mut_ptr().wrapping_add(start);
            let there = source.as_ptr().wrapping_add(from);
            // SAFETY: both ranges lie in the vectors.
            unsafe { copy_past_caches(place, there, length) }
            assert_eq!(target[start..start + length], source[from..from + length]);
            let around = target[..start].iter().chain(&target[start + length..]);
            assert!(around.copied().all(|byte| byte == 0xff));
        }
    }

    #[test]
    fn overlapping_ranges_are_left_to_others() {
        let mut bytes = vec![1u8; 1 << 20];
        let start = bytes.as_mut_ptr();
        // SAFETY: both ranges lie in the vector.
        unsafe {
            assert!(!copy(start, start.add(1), (1 << 20) - 1));
            assert!(!copy(start.add(1), start, (1 << 20) - 1));
        }
    }

    #[test]
    fn only_what_fills_the_largest_cache_goes_past_it() {
        assert_eq!(bytes("32768K\n"), Some(32 << 20));
        assert_eq!(bytes("x"), None);
        assert_eq!(shortest(Some(32 << 20)), 16 << 20);
        assert_eq!(shortest(Some(1 << 20)), LONG);
        assert_eq!(shortest(None), usize::MAX);
    }
}
