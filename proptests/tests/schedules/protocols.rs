//! The library's own protocols: what is promised holds in every schedule.

use coarray::sync_all;
use coarray::testing::Explore;
use coarray_conformance::{Check, Clause, Trial, clauses};

/// Its images look, a few times, whether the others have queued meanwhile: a schedule may always let them come too late.
const BY_CHANCE: &str = "8.6";

/// The clauses that images try without ending.
pub fn clauses() -> impl Iterator<Item = (&'static Clause, fn(&mut Check))> {
    clauses::all().filter_map(|clause| match clause.trial {
        Trial::InJob(_) if clause.id == BY_CHANCE => None,
        Trial::InJob(test) => Some((clause, test)),
        Trial::OwnJob(_) => None,
    })
}

/// Tries a clause in so many schedules.
pub fn holds(test: fn(&mut Check), images: usize, schedules: u32) {
    Explore::new(images)
        .schedules(schedules)
        .delay_puts(true)
        .run(|| {
            let mut check = Check::default();
            test(&mut check);
            sync_all();
            if let Some(findings) = check.findings() {
                panic!("{findings}");
            }
        });
}
