//! The cases: what their marks say, how they end, and what the check says of them.

use std::collections::HashSet;

use coarray_racebench::case::{Case, GROUPS};
use coarray_racebench::cases;
use coarray_racebench::score::{self, Plan};

/// The names that reports give to accesses.
const KINDS: [&str; 5] = [
    "get",
    "put",
    "put_notify",
    "atomic load",
    "atomic operation",
];

fn all() -> impl Iterator<Item = &'static Case> {
    GROUPS.into_iter().flat_map(cases::of)
}

#[track_caller]
fn assert_all_is_as_marked(runs: u32, check: bool) {
    let plan = Plan {
        case: None,
        images: vec![2, 3, 4, 8],
        runs,
        check,
    };
    let score = score::of(&plan);
    assert!(score.wrong.is_empty(), "{}", score.table(&plan));
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
            assert!(KINDS.contains(&kind), "{name}: {kind}");
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
    assert_all_is_as_marked(1, false);
}

#[test]
fn the_check_reports_all_that_is_marked_and_nothing_else() {
    assert_all_is_as_marked(2, true);
}
