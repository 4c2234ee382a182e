//! From samples to rules.

use coarray_collectives::{Algorithm, TuningTable};
use coarray_runtime::{Barrier, Placement, Rule};

use crate::sample::{Row, Rows};
use crate::statistics::Samples;
use crate::tune::candidates::{BARRIERS, CONTESTS, Contest};

/// A candidate replaces the built-in choice only if it takes at most this part of its time, in this part of the rounds:
/// otherwise the difference may be noise.
const MUCH_FASTER: f64 = 0.95;
const IN_MOST: f64 = 0.75;

/// Adds the rules that follow from rounds of measurements with `images` images: for teams of up to this size. Called
/// with growing sizes.
pub fn add_rules(
    table: &mut TuningTable,
    images: usize,
    placement: Placement,
    rounds: &mut [Rows],
) {
    for contest in CONTESTS {
        add_algorithms(table, contest, images, placement, rounds);
    }
    let usual = TuningTable::default()
        .rules()
        .barrier(images)
        .unwrap_or_default();
    let fastest =
        fastest(rounds, BARRIERS, 0, usual.name()).and_then(|name| Barrier::from_name(&name));
    if let Some(algorithm) = fastest {
        table.add_barrier(Rule {
            images: images as u64,
            bytes: 0,
            algorithm,
        });
    }
}

fn add_algorithms(
    table: &mut TuningTable,
    contest: &Contest,
    images: usize,
    placement: Placement,
    rounds: &mut [Rows],
) {
    let Contest { kind, sizes, .. } = *contest;
    let mut found = Vec::new();
    for &bytes in sizes {
        let usual = TuningTable::default().algorithm_at(placement, kind, images, bytes);
        let fastest = fastest(rounds, kind.name(), bytes, usual.name());
        let algorithm = fastest.and_then(|name| Algorithm::from_name(&name));
        found.extend(algorithm.map(|algorithm| (bytes, algorithm)));
    }
    for (index, &(bytes, algorithm)) in found.iter().enumerate() {
        let limit = match found.get(index + 1) {
            Some(&(_, next)) if next == algorithm => continue,
            // In the geometric middle of the two sizes.
            Some(&(larger, _)) => bytes * (larger / bytes).isqrt(),
            None => 0,
        };
        table.add(
            kind,
            Rule {
                images: images as u64,
                bytes: limit as u64,
                algorithm,
            },
        );
    }
}

/// The fastest candidate by the median over the rounds of its share of `usual`'s time; or `usual`, if the candidate is
/// not much faster in most rounds. The speed of a machine can differ between rounds, but in one round all took turns.
fn fastest(rounds: &mut [Rows], operation: &str, bytes: usize, usual: &str) -> Option<String> {
    let mut ratios = Row::new(operation, bytes);
    for rows in rounds.iter_mut() {
        let row = rows.row(operation, bytes);
        let Some(of_usual) = row.of(usual).map(Samples::median) else {
            continue;
        };
        for (name, samples) in &row.samples {
            ratios.add(name.clone(), [samples.median() / of_usual]);
        }
    }
    let by_median = |one: &&(String, Samples), other: &&(String, Samples)| {
        one.1.median().total_cmp(&other.1.median())
    };
    let (name, ratios) = ratios.samples.iter().min_by(by_median)?;
    let is_faster = ratios.share_below(MUCH_FASTER) >= IN_MOST;
    Some(if is_faster { name.as_str() } else { usual }.to_owned())
}

#[cfg(test)]
mod tests {
    use coarray_collectives::Kind;

    use super::*;
    use crate::sample::Line;

    fn table(images: usize, lines: &[&str]) -> TuningTable {
        let mut rows = Rows::default();
        for line in lines {
            rows.add(Line::parse(line).unwrap());
        }
        let mut table = TuningTable::default();
        add_rules(&mut table, images, Placement::Node, &mut [rows]);
        table
    }

    #[test]
    fn each_range_of_sizes_gets_its_fastest() {
        let table = table(
            4,
            &[
                "co_broadcast 8 eager 20",
                "co_broadcast 8 binomial 10 11 90",
                "co_broadcast 32 eager 20",
                "co_broadcast 32 binomial 10",
                "co_broadcast 128 eager 20",
                "co_broadcast 128 binomial 40",
                "sync_all 0 flat 50",
                "sync_all 0 tree 30",
            ],
        );
        let of = |bytes| table.algorithm(Kind::Broadcast, 3, bytes);
        assert_eq!([8, 64].map(of), [Algorithm::Binomial; 2]);
        assert_eq!([65, 1 << 30].map(of), [Algorithm::Eager; 2]);
        assert_eq!(table.rules().barrier(4), Some(Barrier::Tree));
        assert_eq!(table.rules().barrier(5), None);
        let more = table.algorithm(Kind::Broadcast, 5, 8);
        assert_eq!(
            more,
            TuningTable::default().algorithm(Kind::Broadcast, 5, 8)
        );
    }

    #[test]
    fn noise_does_not_replace_the_built_in_choice() {
        let lines = ["co_reduce 8 flat 100", "co_reduce 8 ring 96"];
        let chosen = table(2, &lines).algorithm(Kind::Reduce, 2, 8);
        assert_eq!(chosen, Algorithm::Flat);
    }

    #[test]
    fn one_good_round_does_not_replace_the_built_in_choice() {
        let chosen = |times: [u32; 4]| {
            let mut rounds = times.map(|time| {
                let mut rows = Rows::default();
                for (name, time) in [("flat", 100), ("ring", time)] {
                    let line = format!("co_reduce 8 {name} {time}");
                    rows.add(Line::parse(&line).unwrap());
                }
                rows
            });
            let mut table = TuningTable::default();
            add_rules(&mut table, 2, Placement::Node, &mut rounds);
            table.algorithm(Kind::Reduce, 2, 8)
        };
        assert_eq!(chosen([10, 80, 99, 98]), Algorithm::Flat);
        assert_eq!(chosen([80, 90, 500, 80]), Algorithm::Ring);
    }
}
