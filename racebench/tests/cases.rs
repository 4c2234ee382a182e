//! The cases: what their marks say, how they end, and what the check says of them.

use std::collections::HashSet;

use coarray_racebench::case::{Case, GROUPS};
use coarray_racebench::cases;
use coarray_racebench::score::{self, Plan};

fn all() -> impl Iterator<Item = &'static Case> {
    GROUPS.into_iter().flat_map(cases::of)
}

fn plan(runs: u32, check: bool) -> Plan {
    Plan {
        case: None,
        images: vec![2, 3, 4, 8],
        runs,
        check,
    }
}

#[test]
fn racy_cases_have_both_lines_marked_and_clean_ones_have_no_marks() {
    let mut names = HashSet::new();
    for case in all() {
        assert!(names.insert(case.name), "there are two {}", case.name);
        let marks = case.marks();
        let name = case.name;
        assert_eq!(marks.iter().any(|mark| mark.must), case.is_racy, "{name}");
        assert!(case.is_racy || marks.is_empty(), "{name}");
        for access in marks.iter().flat_map(|mark| &mark.accesses) {
            let kind = access.kind.as_str();
            assert!(["get", "put", "atomic"].contains(&kind), "{name}: {kind}");
        }
    }
}

#[test]
fn every_mark_belongs_to_a_case() {
    let marked: usize = all()
        .map(|case| {
            let accesses = case
                .marks()
                .iter()
                .map(|mark| mark.accesses.len())
                .sum::<usize>();
            let places = usize::from(case.marks().iter().any(|mark| mark.place.is_some()));
            accesses + places
        })
        .sum();
    let sources: HashSet<&str> = all().map(|case| case.source).collect();
    let written: usize = sources
        .iter()
        .flat_map(|source| source.lines())
        .filter_map(|line| line.split_once("//~ "))
        .map(|(_, marks)| marks.split(", ").count())
        .sum();
    assert_eq!(marked, written);
}

#[test]
fn about_half_of_the_cases_of_each_group_are_clean() {
    for group in GROUPS {
        let (racy, clean): (Vec<&Case>, Vec<&Case>) =
            cases::of(group).partition(|case| case.is_racy);
        let share = clean.len() as f64 / (racy.len() + clean.len()) as f64;
        assert!((0.3..=0.7).contains(&share), "{group}: {share}");
    }
}

#[test]
fn every_program_ends_whatever_its_values_are() {
    let plan = plan(2, false);
    let score = score::of(&plan);
    assert!(score.wrong.is_empty(), "{}", score.table(&plan));
}
