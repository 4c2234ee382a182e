//! The fewest parts of a list with which something still happens.

/// Leaves out of `all` what is not needed for `happens`, which is true of `all`: what is left is needed, each part of it, unless `budget`
/// calls of `happens` have not sufficed.
///
/// Delta debugging: A. Zeller and R. Hildebrandt, *Simplifying and isolating failure-inducing input*, IEEE Transactions on Software Engineering 28
/// (2002).
pub fn shrink<T: Clone>(
    all: Vec<T>,
    mut budget: u32,
    mut happens: impl FnMut(&[T]) -> bool,
) -> Vec<T> {
    let mut left = all;
    let mut try_it = |some: &[T]| {
        let may = budget > 0;
        budget = budget.saturating_sub(1);
        may && happens(some)
    };
    if !left.is_empty() && try_it(&[]) {
        return Vec::new();
    }
    let mut pieces = 2;
    while left.len() >= 2 {
        let length = left.len().div_ceil(pieces);
        let starts = || (0..left.len()).step_by(length);
        let without = |start: usize| {
            let end = (start + length).min(left.len());
            [&left[..start], &left[end..]].concat()
        };
        let piece = |start: usize| left[start..(start + length).min(left.len())].to_vec();
        if let Some(start) = starts().find(|&start| try_it(&piece(start))) {
            (left, pieces) = (piece(start), 2);
        } else if let Some(start) = starts().find(|&start| pieces > 2 && try_it(&without(start))) {
            (left, pieces) = (without(start), (pieces - 1).max(2));
        } else if length == 1 {
            break;
        } else {
            pieces = (2 * pieces).min(left.len());
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_what_is_needed_is_left() {
        let all: Vec<u32> = (0..64).collect();
        for needed in [&[][..], &[5], &[0, 63], &[3, 17, 18, 40]] {
            let happens = |some: &[u32]| needed.iter().all(|one| some.contains(one));
            assert_eq!(shrink(all.clone(), 10_000, happens), needed);
        }
    }

    #[test]
    fn either_of_two_reasons_is_enough() {
        let happens = |some: &[u32]| some.contains(&1) && some.contains(&2) || some.contains(&9);
        let left = shrink((0..20).collect(), 10_000, happens);
        assert!(left == [9] || left == [1, 2], "{left:?}");
    }

    #[test]
    fn without_a_budget_everything_that_is_left_still_happens() {
        let happens = |some: &[u32]| some.contains(&7) && some.contains(&50);
        for budget in 0..40 {
            let left = shrink((0..64).collect(), budget, happens);
            assert!(happens(&left));
        }
        let mut calls = 0;
        shrink((0..64).collect::<Vec<_>>(), 25, |_| {
            calls += 1;
            false
        });
        assert_eq!(calls, 25);
    }
}
