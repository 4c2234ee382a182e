//! From samples to rules.

use coarray_fabric::{Algorithm, Barrier, Choices, Rule};

use crate::sample::{Row, Rows};
use crate::tune::candidates::{BARRIERS, CONTESTS, Contest};

/// What is as fast as the built-in choice up to noise does not replace it.
const MUCH_FASTER: f64 = 0.95;

/// Adds the rules that follow from what was measured with so many images: for teams of up to so many. To be
/// called with growing numbers.
pub fn add_rules(choices: &mut Choices, images: usize, rows: &mut Rows) {
    for contest in CONTESTS {
        add_algorithms(choices, contest, images, rows);
    }
    let usual = Choices::default().barrier(images).unwrap_or_default();
    let fastest = fastest(rows.row(BARRIERS, 0), usual.name()).and_then(Barrier::from_name);
    if let Some(algorithm) = fastest {
        choices.add_barrier(Rule {
            images: images as u64,
            bytes: 0,
            algorithm,
        });
    }
}

fn add_algorithms(choices: &mut Choices, contest: &Contest, images: usize, rows: &mut Rows) {
    let Contest { kind, sizes, .. } = *contest;
    let mut found = Vec::new();
    for &bytes in sizes {
        let usual = Choices::default().algorithm(kind, images, bytes);
        let fastest = fastest(rows.row(kind.name(), bytes), usual.name());
        found.extend(
            fastest
                .and_then(Algorithm::from_name)
                .map(|name| (bytes, name)),
        );
    }
    for (index, &(bytes, algorithm)) in found.iter().enumerate() {
        let limit = match found.get(index + 1) {
            Some(&(_, next)) if next == algorithm => continue,
            // In the middle of the two sizes, as factors.
            Some(&(larger, _)) => bytes * (larger / bytes).isqrt(),
            None => 0,
        };
        choices.add(
            kind,
            Rule {
                images: images as u64,
                bytes: limit as u64,
                algorithm,
            },
        );
    }
}

/// The one with the smallest median, unless `usual` is about as fast.
fn fastest<'row>(row: &'row Row, usual: &'row str) -> Option<&'row str> {
    let medians = row
        .samples
        .iter()
        .map(|(name, samples)| (name.as_str(), samples.median()));
    let (name, median) = medians.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let usual_is_good = row
        .of(usual)
        .is_some_and(|samples| median > samples.median() * MUCH_FASTER);
    Some(if usual_is_good { usual } else { name })
}

#[cfg(test)]
mod tests {
    use coarray_fabric::Kind;

    use super::*;
    use crate::sample::Line;

    fn choices(images: usize, lines: &[&str]) -> Choices {
        let mut rows = Rows::default();
        for line in lines {
            rows.add(Line::parse(line).unwrap());
        }
        let mut choices = Choices::default();
        add_rules(&mut choices, images, &mut rows);
        choices
    }

    #[test]
    fn each_range_of_sizes_gets_its_fastest() {
        let choices = choices(
            4,
            &[
                "co_broadcast 8 flat 20",
                "co_broadcast 8 binomial 10 11 90",
                "co_broadcast 32 flat 20",
                "co_broadcast 32 binomial 10",
                "co_broadcast 128 flat 20",
                "co_broadcast 128 binomial 40",
                "sync_all 0 flat 50",
                "sync_all 0 tree 30",
            ],
        );
        let of = |bytes| choices.algorithm(Kind::Broadcast, 3, bytes);
        assert_eq!([8, 64].map(of), [Algorithm::Binomial; 2]);
        assert_eq!([65, 1 << 30].map(of), [Algorithm::Flat; 2]);
        assert_eq!(choices.barrier(4), Some(Barrier::Tree));
        assert_eq!(choices.barrier(5), None);
        let more = choices.algorithm(Kind::Broadcast, 5, 8);
        assert_eq!(more, Choices::default().algorithm(Kind::Broadcast, 5, 8));
    }

    #[test]
    fn noise_does_not_replace_the_built_in_choice() {
        let lines = ["co_reduce 8 flat 100", "co_reduce 8 ring 96"];
        let chosen = choices(2, &lines).algorithm(Kind::Reduce, 2, 8);
        assert_eq!(chosen, Algorithm::Flat);
    }
}
