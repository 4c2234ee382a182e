//! Images killed at random moments.

use std::time::Duration;

use crate::job::{Check, End, Plan, keeping_going, run};
use crate::random::Random;

pub fn trials() -> Vec<Check> {
    vec![
        ("killed_in_barriers", || {
            one("barriers", 50, Agreement::Total)
        }),
        ("killed_among_events", || one("events", 50, Agreement::None)),
        ("killed_in_sync_images", || {
            one("pairs", 20, Agreement::None)
        }),
        ("killed_in_collectives", || {
            one("collectives", 50, Agreement::Total)
        }),
        ("killed_while_teams_form_and_change", || {
            one("teams", 30, Agreement::Total)
        }),
        ("killed_in_and_between_phases", || {
            one("phases", 20, Agreement::Total)
        }),
        ("killed_while_holding_a_coatomic", || {
            one("coatomics", 20, Agreement::Total)
        }),
        ("killed_while_holding_a_comutex_or_waiting_for_it", || {
            one("mutexes", 50, Agreement::None)
        }),
        ("killed_alone_in_an_open_phase", alone),
        ("image_0_killed", image_0),
        ("two_killed_at_once", two),
        ("all_but_one_killed", all_but_one),
    ]
}

/// Whether all survivors must be told the same by the same operation.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    Total,
    None,
}

/// When the first image is killed, at the latest.
const LATEST: Duration = Duration::from_millis(50);

/// How soon all must know.
const SOON: u64 = 1_000_000_000;

/// Any one of 3 to 6 images is killed.
fn one(program: &str, runs: usize, agreement: Agreement) {
    repeat(program, runs, agreement, |random| {
        let images = 3 + random.below(4);
        Plan {
            images,
            victims: random.choose(1, images),
            delay: random.time(LATEST),
            gap: Duration::ZERO,
        }
    });
}

/// The victim stays in the phase when the others have left it.
fn alone() {
    repeat("alone", 10, Agreement::Total, |random| Plan {
        images: 3 + random.below(4),
        victims: vec![1],
        delay: random.time(LATEST),
        gap: Duration::ZERO,
    });
}

fn image_0() {
    for program in ["barriers", "events", "collectives", "teams", "coatomics"] {
        let agreement = match program {
            "events" => Agreement::None,
            _ => Agreement::Total,
        };
        repeat(program, 3, agreement, |random| Plan {
            images: 2 + random.below(4),
            victims: vec![0],
            delay: random.time(LATEST),
            gap: Duration::ZERO,
        });
    }
}

fn two() {
    for program in ["barriers", "events", "collectives", "teams", "phases"] {
        let agreement = match program {
            "events" => Agreement::None,
            _ => Agreement::Total,
        };
        repeat(program, 5, agreement, |random| {
            let images = 3 + random.below(4);
            Plan {
                images,
                victims: random.choose(2, images),
                delay: random.time(LATEST),
                gap: random.time(Duration::from_millis(1)),
            }
        });
    }
}

fn all_but_one() {
    for program in ["barriers", "events", "collectives", "teams"] {
        let agreement = match program {
            "events" => Agreement::None,
            _ => Agreement::Total,
        };
        repeat(program, 3, agreement, |random| {
            let images = 2 + random.below(5);
            Plan {
                images,
                victims: random.choose(images - 1, images),
                delay: random.time(LATEST),
                gap: random.time(Duration::from_millis(2)),
            }
        });
    }
}

fn repeat(program: &str, runs: usize, agreement: Agreement, plan: impl Fn(&mut Random) -> Plan) {
    let (seed, mut random) = Random::seeded();
    for number in 0..runs {
        let plan = plan(&mut random);
        let end = run(keeping_going(plan.images, program), &plan);
        if let Err(complaint) = judge(&end, &plan, agreement) {
            panic!(
                "{program}, run {number} with FAULTS_SEED={seed}: {complaint}\n{plan:?}\n{end:#?}"
            );
        }
    }
}

fn judge(end: &End, plan: &Plan, agreement: Agreement) -> Result<(), String> {
    let survivors: Vec<usize> = (0..plan.images)
        .filter(|image| !plan.victims.contains(image))
        .collect();
    let came = end.survivors();
    if end.code != Some(0) || !survivors.iter().all(|image| came.contains(image)) {
        return Err("the survivors did not come to the end".into());
    }
    let news = end.news();
    let killed = end.killed.ok_or("nobody was killed")?;
    for image in survivors {
        let Some(news) = news.iter().find(|news| news.image == image) else {
            return Err(format!("image {image} learned nothing"));
        };
        if news.nanos < killed || news.nanos - killed > SOON {
            return Err(format!(
                "image {image} learned too early or too late: {news:?}, killed {killed}"
            ));
        }
    }
    let first = news.first().ok_or("nobody learned anything")?;
    let same = |told: &&_| {
        let told: &&crate::job::News = told;
        (told.turn, &told.failed) == (first.turn, &first.failed)
    };
    match news.iter().find(|news| !same(news)) {
        Some(other) if agreement == Agreement::Total => {
            Err(format!("told differently: {first:?}, {other:?}"))
        }
        _ => Ok(()),
    }
}
