//! Searches for schedules in which a program fails, and repeats them.

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use coarray::testing::Explore;
use coarray_proptests::panic_of;

use crate::bugs::{BEYOND, BUGS, Bug, Program, Shown};
use crate::program::Version;

/// Within so many schedules each mistake is found.
const MOST: u32 = 1000;

/// Half of all mistakes are found within so many.
const USUAL: u32 = 50;

/// A schedule that was made as small as it can be deviates so often from the plain one.
const DEVIATIONS: usize = 3;

/// How many schedules of each correct program are tried where nobody says.
const FEW: u32 = 10;

/// From so many on all is done that is worth it by itself, and not in each run of the tests.
const MANY: u32 = 100;

/// Searches that begin with different seeds.
fn seeds() -> u64 {
    if schedules() < MANY { 1 } else { 5 }
}

/// How often a found schedule is repeated.
fn repetitions() -> u64 {
    if schedules() < MANY { 10 } else { 100 }
}

/// How often the search looked, and what it said, with the schedule.
struct Found {
    schedules: u32,
    deviations: usize,
    schedule: String,
    said: String,
}

impl Found {
    /// From a report that says `schedule 117 of 200 fails` and `COARRAY_SCHEDULE="2i 14>1 d1"`.
    fn in_report(said: String) -> Self {
        let after = |mark: &str| {
            let rest = said.split_once(mark).map(|(_, rest)| rest);
            rest.unwrap_or_else(|| panic!("no `{mark}` in: {said}"))
        };
        let schedule = after("COARRAY_SCHEDULE=\"").split('"').next();
        let schedule = schedule.unwrap_or_default().to_owned();
        let number = after("schedule ").split(' ').next().unwrap_or_default();
        Self {
            schedules: number
                .parse()
                .unwrap_or_else(|_| panic!("no number in: {said}")),
            deviations: schedule.split(' ').skip(1).count(),
            schedule,
            said,
        }
    }
}

/// The search for a mistake. A race would be reported by itself: the mistake is to be seen by what it does, if it can.
fn search(bug: &Bug) -> Explore {
    let search = Explore::new(bug.images);
    match bug.shown {
        Shown::BySwitches => search.racy_too().delay_puts(false),
        Shown::ByLatePuts => search.racy_too(),
        Shown::ByFailures => search.racy_too().keep_going(true),
        Shown::AsARace => search,
    }
}

fn explore(search: Explore, program: Program, version: Version) {
    match program {
        Program::Asserts(program) => search.run(|| program(version)),
        Program::Returns(program) => search.same_result().run(|| program(version)),
    };
}

/// What is printed of a mistake.
struct Row {
    bug: &'static Bug,
    /// How many schedules the searches tried, in ascending order.
    schedules: Vec<u32>,
    deviations: usize,
    schedule: String,
}

impl Row {
    fn median(&self) -> u32 {
        self.schedules[self.schedules.len() / 2]
    }
}

static ROWS: Mutex<Vec<Row>> = Mutex::new(Vec::new());

/// Finds a mistake, several times, and repeats it in another process.
pub fn finds(bug: &'static Bug) {
    let found: Vec<Found> = (0..seeds())
        .map(|seed| {
            let search = search(bug).schedules(MOST).seed(seed);
            let found = Found::in_report(panic_of(|| {
                explore(search, bug.program, Version::Wrong);
            }));
            assert!(found.deviations <= DEVIATIONS, "{}", found.said);
            found
        })
        .collect();
    repeat(bug, &found[0]);
    let mut schedules: Vec<u32> = found.iter().map(|found| found.schedules).collect();
    schedules.sort_unstable();
    let largest = found.iter().max_by_key(|found| found.deviations);
    let largest = largest.expect("several seeds");
    ROWS.lock().unwrap().push(Row {
        bug,
        schedules,
        deviations: largest.deviations,
        schedule: largest.schedule.clone(),
    });
}

/// Starts this program again, for as many runs of this schedule: each of them fails in the same way.
fn repeat(bug: &Bug, found: &Found) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--program", bug.name])
        .env("COARRAY_SCHEDULE", &found.schedule);
    let end = testing::run(command);
    let times = repetitions();
    let failed = format!("{times} of {times} in one way");
    assert_eq!(end.code, Some(0), "{}", end.stderr);
    assert!(
        end.stdout.contains(&failed),
        "{}: {}",
        found.schedule,
        end.stdout
    );
    // All but the heading, and how to run the test again, is the same.
    let told = |said: &str| -> Vec<String> {
        let lines = said.lines().skip_while(|line| !line.contains(" fails"));
        let lines = lines.take_while(|line| !line.starts_with("again: "));
        lines.skip(1).map(str::to_owned).collect()
    };
    assert_eq!(told(&end.stdout), told(&found.said), "{}", found.schedule);
}

/// Runs the schedule that the environment names, and prints how often the program failed.
pub fn repeat_here(name: &str) {
    let bug = BUGS.iter().find(|bug| bug.name == name);
    let bug = bug.expect("one of the programs");
    let times = repetitions();
    let mut reports: Vec<String> = (0..times)
        .map(|_| panic_of(|| explore(search(bug), bug.program, Version::Wrong)))
        .collect();
    let failed = reports.len();
    reports.dedup();
    match &reports[..] {
        [report] => println!("{failed} of {times} in one way:\n{report}"),
        reports => println!("in {} ways:\n{}", reports.len(), reports.join("\n")),
    }
}

/// Finds nothing in a program without its mistake.
pub fn finds_nothing(bug: &Bug) {
    let search = search(bug).schedules(schedules());
    explore(search, bug.program, Version::Right);
}

/// How many schedules of each correct program are tried: a few, or as many as the environment says.
pub fn schedules() -> u32 {
    static SCHEDULES: AtomicU32 = AtomicU32::new(0);
    if SCHEDULES.load(Ordering::Relaxed) == 0 {
        let asked = std::env::var("SCHEDULES").ok();
        let asked = asked.map(|text| text.parse().expect("SCHEDULES is a number"));
        SCHEDULES.store(asked.unwrap_or(FEW), Ordering::Relaxed);
    }
    SCHEDULES.load(Ordering::Relaxed)
}

/// Prints how soon mistakes were found, if all were looked for. Returns whether that was soon enough.
pub fn report() -> bool {
    let mut rows = ROWS.lock().unwrap();
    if rows.len() < BUGS.len() - BEYOND.len() {
        return true;
    }
    rows.sort_by_key(|row| BUGS.iter().position(|bug| bug.name == row.bug.name));
    println!(
        "{:52} images  schedules: least, median, most  deviations",
        "mistake"
    );
    for row in &*rows {
        println!(
            "{:52} {:6}  {:16} {:7} {:5}  {:10}  {}",
            row.bug.name,
            row.bug.images,
            row.schedules[0],
            row.median(),
            row.schedules[row.schedules.len() - 1],
            row.deviations,
            row.schedule
        );
    }
    let mut medians: Vec<u32> = rows.iter().map(Row::median).collect();
    medians.sort_unstable();
    let median = medians[medians.len() / 2];
    println!("median of {} mistakes: {median} schedules", rows.len());
    median <= USUAL
}
