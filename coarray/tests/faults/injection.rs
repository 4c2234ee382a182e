//! Images killed at random moments.

use std::time::Duration;

use crate::job::{Check, End, News, Plan, keeping_going, run};
use crate::programs::DOOM;
use crate::random::Random;

pub fn trials() -> Vec<Check> {
    vec![
        ("killed_in_barriers", || {
            one("barriers", 50, Agreement::Total)
        }),
        ("killed_among_events", || one("events", 50, Agreement::None)),
        ("killed_among_values", || one("values", 50, Agreement::None)),
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
        ("killed_while_coarrays_are_created", || {
            one("creations", 20, Agreement::Total)
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
        ("failed_by_themselves_on_either_fabric", by_themselves),
        ("all_but_one_killed", all_but_one),
    ]
}

/// Whether all survivors must be told the same by the same operation.
#[derive(Clone, Copy, PartialEq)]
pub enum Agreement {
    Total,
    None,
}

/// When the first image is killed, at the latest.
pub const LATEST: Duration = Duration::from_millis(50);

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
            "events" | "values" => Agreement::None,
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
            "events" | "values" => Agreement::None,
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
    for program in ["barriers", "events", "values", "collectives", "teams"] {
        let agreement = match program {
            "events" | "values" => Agreement::None,
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

/// An image that is a thread can end only where it lets itself end.
fn by_themselves() {
    let programs = [
        ("barriers", Agreement::Total),
        ("events", Agreement::None),
        ("pairs", Agreement::None),
        ("collectives", Agreement::Total),
        ("long_values", Agreement::Total),
        ("transfers", Agreement::Total),
        ("teams", Agreement::Total),
        ("phases", Agreement::Total),
        ("creations", Agreement::Total),
        ("coatomics", Agreement::Total),
        ("mutexes", Agreement::None),
    ];
    let (seed, mut random) = Random::seeded();
    for fabric in ["threads", "threads", "processes"] {
        for (program, agreement) in programs {
            let images = 2 + random.below(5);
            let (victim, turn) = (random.below(images), 1 + random.below(100));
            let plan = |victims| Plan {
                images,
                victims,
                delay: Duration::ZERO,
                gap: Duration::ZERO,
            };
            let mut command = keeping_going(images, program);
            command
                .env("COARRAY_FABRIC", fabric)
                .env(DOOM, format!("{victim}@{turn}"));
            let end = run(command, &plan(Vec::new()));
            if let Err(complaint) = judge(&end, &plan(vec![victim]), agreement) {
                panic!(
                    "{program} on {fabric}, {victim}@{turn}, FAULTS_SEED={seed}: {complaint}\n{end:#?}"
                );
            }
        }
    }
}

pub fn repeat(
    program: &str,
    runs: usize,
    agreement: Agreement,
    plan: impl Fn(&mut Random) -> Plan,
) {
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

/// That all survivors were told the same.
pub fn judge_total(end: &End, plan: &Plan) -> Result<(), String> {
    judge(end, plan, Agreement::Total)
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
    for image in survivors {
        let Some(news) = news.iter().find(|news| news.image == image) else {
            return Err(format!("image {image} learned nothing"));
        };
        if let Some(killed) = end.killed
            && !(killed..killed + SOON).contains(&news.nanos)
        {
            return Err(format!(
                "image {image} learned too early or too late: {news:?}, killed {killed}"
            ));
        }
    }
    let first = news.first().ok_or("nobody learned anything")?;
    let differs = |news: &&News| (news.turn, &news.failed) != (first.turn, &first.failed);
    match news.iter().find(differs) {
        Some(other) if agreement == Agreement::Total => {
            Err(format!("told differently: {first:?}, {other:?}"))
        }
        _ => Ok(()),
    }
}
