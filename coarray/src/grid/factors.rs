//! The ways to write a number of images as a product, one factor for each axis.

/// Calls `visit` with every way to write `product` as a product of `D` factors, in every order.
pub(super) fn each<const D: usize>(product: usize, visit: &mut impl FnMut([usize; D])) {
    let divisors: Vec<usize> = (1..=product)
        .filter(|&d| product.is_multiple_of(d))
        .collect();
    choose(product, 0, [1; D], &divisors, visit);
}

fn choose<const D: usize>(
    rest: usize,
    axis: usize,
    mut factors: [usize; D],
    divisors: &[usize],
    visit: &mut impl FnMut([usize; D]),
) {
    if axis + 1 == D {
        factors[axis] = rest;
        return visit(factors);
    }
    for &factor in divisors.iter().filter(|&&d| rest.is_multiple_of(d)) {
        factors[axis] = factor;
        choose(rest / factor, axis + 1, factors, divisors, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ordered_factorisation_comes_once() {
        let mut found = Vec::new();
        each::<3>(12, &mut |factors| found.push(factors));
        let mut expected = Vec::new();
        for a in 1..=12 {
            for b in 1..=12 {
                for c in 1..=12 {
                    if a * b * c == 12 {
                        expected.push([a, b, c]);
                    }
                }
            }
        }
        assert_eq!(found, expected);
        let mut one = Vec::new();
        each::<1>(7, &mut |factors| one.push(factors));
        assert_eq!(one, [[7]]);
    }
}
