//! Images killed where the table of choices says by which barrier all meet.

use std::time::Duration;

use crate::injection::{LATEST, judge_total};
use crate::job::{Check, Plan, keeping_going, run};
use crate::random::Random;

pub fn trials() -> Vec<Check> {
    vec![
        ("killed_in_flat_barriers", || by("flat")),
        ("killed_in_dissemination_barriers", || by("dissemination")),
        ("killed_in_tree_barriers", || by("tree")),
        ("killed_in_central_barriers", || by("central")),
    ]
}

const PROGRAMS: [&str; 5] = ["barriers", "collectives", "teams", "phases", "creations"];

fn by(barrier: &str) {
    let table = std::env::temp_dir().join(format!(
        "coarray_faults_{}_{barrier}.toml",
        std::process::id()
    ));
    std::fs::write(&table, format!("sync_all = [[0, 0, \"{barrier}\"]]\n")).unwrap();
    let (seed, mut random) = Random::seeded();
    for program in PROGRAMS.into_iter().cycle().take(30) {
        let images = 3 + random.below(6);
        let killed = 1 + random.below(3).min(images - 2);
        let plan = Plan {
            images,
            victims: random.choose(killed, images),
            delay: random.time(LATEST),
            gap: random.time(Duration::from_millis(1)),
        };
        let mut command = keeping_going(images, program);
        command.env("COARRAY_TUNING_FILE", &table);
        let end = run(command, &plan);
        if let Err(complaint) = judge_total(&end, &plan) {
            panic!("{program}, FAULTS_SEED={seed}: {complaint}\n{plan:?}\n{end:#?}");
        }
    }
    std::fs::remove_file(&table).unwrap();
}
