//! Deliberately broken networks: the clauses about the broken part must fail, and clauses about other parts must not.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io, process};

use crate::driver::fabric::Fabric;
use crate::driver::options::Options;
use crate::driver::suite::{Outcome, Suite};
use crate::driver::table::show_progress;
use crate::patience;

/// A way in which the simulated network is broken.
struct Fault {
    /// What `COARRAY_SIMULATED_FAULT` calls it.
    name: &'static str,
    what: &'static str,
    /// Clauses that must fail.
    must_fail: &'static [&'static str],
    /// Clauses and sections that depend on the broken part and may fail. All others must not.
    may_fail: &'static [&'static str],
}

const FAULTS: &[Fault] = &[
    Fault {
        name: "none",
        what: "nothing is broken",
        must_fail: &[],
        may_fail: &[],
    },
    Fault {
        name: "drop-fence",
        what: "a fence orders nothing, nor does a signal",
        must_fail: &["5.6", "7.7"],
        may_fail: &["5.7", "6.22", "7.8", "7.15", "7.16", "18"],
    },
    Fault {
        name: "delay-puts",
        what: "puts arrive after they were completed",
        must_fail: &[
            "5.1", "5.3", "5.8", "5.9", "5.10", "5.14", "6.22", "7.5", "7.7", "9.1", "16.2",
            "16.3", "17.3",
        ],
        may_fail: &[
            "2", "3", "4", "5", "6.4", "6.11", "6.12", "6.16", "6.18", "6.23", "6.24", "6.25",
            "6.26", "7", "8", "9", "10", "11.14", "11.29", "12", "13.5", "15", "16", "17", "18",
        ],
    },
    Fault {
        name: "reorder",
        what: "a put overtakes the one before",
        must_fail: &["3.14", "3.16", "3.22"],
        may_fail: &["3.15", "3.17", "3.18", "4.9", "8.2"],
    },
    Fault {
        name: "lose-atomic",
        what: "some atomic operations do not happen",
        must_fail: &["6.6", "6.7", "6.8", "6.12", "6.25", "6.26"],
        may_fail: &[
            "6", "1.1", "3.18", "5", "7.18", "8", "9", "10", "11.22", "12.10", "15.3",
        ],
    },
];

/// Images and nodes: every image is a node.
const IMAGES: usize = 4;

/// Seconds that an image waits for another one, perhaps in vain.
const PATIENCE: u64 = 2;

/// A tuning table by which no collective posts: the suite itself is to depend on nothing that is broken.
struct Unposted(PathBuf);

impl Unposted {
    fn write() -> io::Result<Self> {
        let kinds = [
            "co_broadcast",
            "co_reduce",
            "co_reduce_to",
            "co_gather",
            "co_allgather",
            "co_scatter",
            "co_alltoall",
            "co_scan",
        ];
        let rules = kinds.map(|kind| format!("{kind} = [[0, 8192, \"flat\"]]\n"));
        let table = Self(env::temp_dir().join(format!("conform-{}.toml", process::id())));
        fs::write(&table.0, rules.concat())?;
        Ok(table)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Unposted {
    fn drop(&mut self) {
        // It is in the folder for what nobody misses.
        let _ = fs::remove_file(&self.0);
    }
}

/// Tries all faults and prints which clauses noticed them; returns whether they were the right ones.
#[must_use]
pub fn try_faults(options: &Options) -> bool {
    if let Err(why) = Fabric::SIMULATED.is_there() {
        println!("- {}: {why}", Fabric::SIMULATED);
        return false;
    }
    let table = match Unposted::write() {
        Ok(table) => table,
        Err(error) => {
            println!(
                "- {}: cannot write a tuning table: {error}",
                Fabric::SIMULATED
            );
            return false;
        }
    };
    let mut all_is_well = true;
    for fault in FAULTS {
        show_progress(fault.name);
        let suite = Suite {
            fabric: Fabric::SIMULATED,
            images: IMAGES,
            program: &options.program,
            limit: options.limit.min(Duration::from_secs(30)),
            environment: vec![
                ("COARRAY_SIMULATED_NODES", IMAGES.to_string()),
                ("COARRAY_SIMULATED_FAULT", fault.name.into()),
                ("COARRAY_TUNING_FILE", table.path().display().to_string()),
                (patience::VARIABLE, PATIENCE.to_string()),
            ],
            isolated: true,
        };
        let outcomes = suite.try_all(&options.clauses);
        show_progress("");
        all_is_well &= fault.judge(options, &outcomes);
    }
    all_is_well
}

impl Fault {
    /// Whether the right clauses failed; prints it.
    fn judge(&self, options: &Options, outcomes: &[Outcome]) -> bool {
        let mut failed = Vec::new();
        let mut wrong = Vec::new();
        for (clause, outcome) in options.clauses.iter().zip(outcomes) {
            let must_fail = self.must_fail.contains(&clause.id);
            let may_fail = self.may_fail.iter().any(|id| clause.is_meant_by(id));
            match outcome {
                Outcome::Failed(why) => {
                    failed.push(clause.id);
                    if !must_fail && !may_fail {
                        wrong.push(format!("{} must not fail, but: {why}", clause.id));
                    }
                }
                Outcome::Passed if must_fail => {
                    wrong.push(format!("{} did not notice it", clause.id));
                }
                Outcome::Passed | Outcome::NotApplicable => {}
            }
        }
        let noticed = match failed.is_empty() {
            true => "no clause fails".into(),
            false => format!(
                "{} of {} clauses fail: {}",
                failed.len(),
                outcomes.len(),
                failed.join(" ")
            ),
        };
        let verdict = if wrong.is_empty() { "ok  " } else { "FAIL" };
        println!("{verdict}  {:<12}{}: {noticed}", self.name, self.what);
        for line in &wrong {
            println!("      {line}");
        }
        wrong.is_empty()
    }
}
