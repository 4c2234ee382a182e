//! Lists with fewer parts than one in which all are needed.

/// Such a list of up to two parts of `left` and one more, if there is one with fewer parts than `left` for which something happens: else `left`.
///
/// What is left when parts were left out one by one needs each of them, and yet something else may need fewer. `happens` returns whether it does
/// with some parts, and what could be added to these; it is called at most `budget` times.
pub fn shorten<T: Clone>(
    left: Vec<T>,
    mut budget: u32,
    mut happens: impl FnMut(&[T]) -> (bool, Vec<T>),
) -> Vec<T> {
    let mut try_it = |some: &[T]| {
        let may = budget > 0;
        budget = budget.saturating_sub(1);
        may.then(|| happens(some))
    };
    for kept in kept(left.len()) {
        let kept: Vec<T> = kept.into_iter().map(|index| left[index].clone()).collect();
        let Some((_, more)) = try_it(&kept) else {
            break;
        };
        for part in more {
            let longer = [&kept[..], &[part]].concat();
            match try_it(&longer) {
                Some((true, _)) => return longer,
                Some(_) => {}
                None => return left,
            }
        }
    }
    left
}

/// The indices of none, one or two of so many parts, so that one more is less than all.
fn kept(parts: usize) -> Vec<Vec<usize>> {
    let singles = (0..parts).map(|one| vec![one]);
    let pairs = (0..parts).flat_map(|one| (one + 1..parts).map(move |other| vec![one, other]));
    let all = [vec![]].into_iter().chain(singles).chain(pairs);
    all.filter(|kept| kept.len() + 1 < parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What happens for 7 alone, for 3 and 8, and for 1 to 4.
    fn happens(some: &[u32], is_alone_enough: bool) -> bool {
        let has = |all: &[u32]| all.iter().all(|part| some.contains(part));
        is_alone_enough && has(&[7]) || has(&[3, 8]) || has(&[1, 2, 3, 4])
    }

    #[test]
    fn one_is_found_that_is_none_of_them_and_then_a_pair_with_one_of_them() {
        for (is_alone_enough, expected) in [(true, &[7][..]), (false, &[3, 8])] {
            let found = shorten(vec![1, 2, 3, 4], 1000, |some| {
                (happens(some, is_alone_enough), (0..10).collect())
            });
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_is_short_or_costs_too_much_is_left() {
        let mut calls = 0;
        let mut never = |_: &[u32]| {
            calls += 1;
            (false, (0..10).collect())
        };
        assert_eq!(shorten(vec![1], 1000, &mut never), [1]);
        assert_eq!(shorten(vec![1, 2, 3, 4], 25, &mut never), [1, 2, 3, 4]);
        assert_eq!(calls, 25);
    }
}
