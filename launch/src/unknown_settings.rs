//! Variables that begin like a setting and are none, most often one that is misspelt, which would be ignored without a word; and
//! settings under their former names.

use std::env;
use std::io::{self, Write};

use coarray_runtime::RENAMED;

use crate::{launcher, processes};

const PREFIX: &str = "COARRAY_";

/// What users set, without the prefix.
const SETTINGS: [&str; 21] = [
    "IMAGES",
    "FABRIC",
    "HEAP",
    "BIND",
    "WAIT",
    "LABEL",
    "PROFILE",
    "PROFILE_JSON",
    "PROFILE_HTML",
    "PROFILE_SVG",
    "TRACE",
    "CHECK",
    "SCHEDULE",
    "FAULT_TOLERANT",
    "TUNING_FILE",
    "LAUNCHER",
    "PEER_TIMEOUT",
    "SHARED_MEMORY",
    "CROSS_MEMORY",
    "MPI_THREADS",
    "SHMEM_CONTEXTS",
];

/// What only tests of the library set: known, but never what somebody has meant.
const OF_TESTS: [&str; 2] = ["SHMEM_TEST", "TEST_CASE"];

/// What only `coarun` sets for the programs that it starts.
const OF_COARUN: [&str; 2] = ["PROFILE_RECORD", "CHECK_RECORD"];

/// What tests set for simulated nodes, where there are any.
const OF_SIMULATIONS: [&str; 2] = ["SIMULATED_NODES", "SIMULATED_FAULT"];

/// The most wrong letters of a misspelt name.
const SLIPS: usize = 2;

/// Prints a line on stderr for each variable that is no setting; for the process that starts a job, before the images print.
pub(crate) fn warn() {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut warnings: Vec<String> = names.filter_map(|name| warning(&name)).collect();
    warnings.sort();
    for warning in warnings {
        // Without a stderr there is nobody to warn.
        let _ = writeln!(io::stderr(), "coarray: {warning}");
    }
}

/// Prints a line if somebody has asked for another number of images than the launcher of a fabric has started.
#[cfg(any(feature = "mpi", feature = "shmem"))]
pub(crate) fn warn_of_images(asked: usize, started: usize) {
    if asked != started && env::var_os("COARRAY_IMAGES").is_some() {
        let _ = writeln!(
            io::stderr(),
            "coarray: COARRAY_IMAGES={asked} is ignored: the launcher has started {started}"
        );
    }
}

/// What to say of a variable that is no setting, or is a setting under its former name; nothing if it is a setting, or of somebody else.
fn warning(name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    if let Some((new, _)) = RENAMED.iter().find(|(_, old)| *old == name) {
        return Some(format!(
            "{name} is called {new} now; this version still reads it"
        ));
    }
    let rest = upper.strip_prefix(PREFIX)?;
    let is_known = SETTINGS.contains(&rest)
        || OF_TESTS.contains(&rest)
        || OF_COARUN.contains(&rest)
        || (cfg!(feature = "simulated") && OF_SIMULATIONS.contains(&rest))
        || launcher::LAUNCHED == upper
        || (processes::HAND_OVER.contains(&&*upper) && processes::is_handed_over());
    if is_known && upper == name {
        return None;
    }
    let advice = match nearest(rest) {
        Some(setting) => format!("did you mean {PREFIX}{setting}?"),
        None => {
            let all = SETTINGS.map(|setting| format!("{PREFIX}{setting}"));
            format!("there are {}", all.join(", "))
        }
    };
    Some(format!(
        "there is no setting {name}, so it is ignored; {advice}"
    ))
}

/// The setting whose name is the most similar, if one is similar at all.
fn nearest(rest: &str) -> Option<&'static str> {
    let slips = |setting: &&&str| distance(rest, setting);
    let near = SETTINGS.iter().filter(|setting| slips(setting) <= SLIPS);
    // HEAP_SIZE, NUM_IMAGES
    let has_it = |setting: &&&str| rest.split('_').any(|word| word == **setting);
    near.min_by_key(slips)
        .or_else(|| SETTINGS.iter().find(has_it))
        .copied()
}

/// How many letters must be put in, left out or replaced to make one word of the other (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, candidate) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(letter != candidate);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_misspelt_setting_is_told_its_name() {
        for (wrong, right) in [
            ("COARRAY_IMAGE", "COARRAY_IMAGES"),
            ("COARRAY_IMGAES", "COARRAY_IMAGES"),
            ("COARRAY_NUM_IMAGES", "COARRAY_IMAGES"),
            ("COARRAY_HEAP_SIZE", "COARRAY_HEAP"),
            ("COARRAY_LABLE", "COARRAY_LABEL"),
            ("COARRAY_FAULTTOLERANT", "COARRAY_FAULT_TOLERANT"),
            ("coarray_images", "COARRAY_IMAGES"),
            ("COARRAY_MPI_THREAD", "COARRAY_MPI_THREADS"),
        ] {
            assert_eq!(
                warning(wrong),
                Some(format!(
                    "there is no setting {wrong}, so it is ignored; did you mean {right}?"
                ))
            );
        }
    }

    #[test]
    fn a_setting_under_its_former_name_is_told_the_new_one() {
        let told = warning("COARRAY_SILENCE").unwrap();
        assert_eq!(
            told,
            "COARRAY_SILENCE is called COARRAY_PEER_TIMEOUT now; this version still reads it"
        );
    }

    #[test]
    fn where_nothing_is_similar_all_settings_are_listed() {
        let listed = warning("COARRAY_THREADS").unwrap();
        assert!(
            listed.starts_with("there is no setting COARRAY_THREADS, so it is ignored; there are ")
        );
        for setting in SETTINGS {
            assert!(listed.contains(&format!(" {PREFIX}{setting}")), "{listed}");
        }
    }

    #[test]
    fn a_setting_of_simulations_is_none_where_there_are_no_simulations() {
        let warning = warning("COARRAY_SIMULATED_NODES");
        assert_eq!(
            warning.is_none(),
            cfg!(feature = "simulated"),
            "{warning:?}"
        );
    }

    #[test]
    fn variables_of_others_are_nobodys_business() {
        for other in [
            "PATH",
            "COARRAYS",
            "COARRAY",
            "MY_COARRAY_IMAGE",
            "OMPI_COMM_WORLD_SIZE",
        ] {
            assert_eq!(warning(other), None);
        }
    }

    #[test]
    fn distances_are_symmetric_counts_of_slips() {
        for (one, other, slips) in [
            ("", "", 0),
            ("", "BIND", 4),
            ("BIND", "BOUND", 2),
            ("HEAP", "HEAD", 1),
        ] {
            assert_eq!((distance(one, other), distance(other, one)), (slips, slips));
        }
    }

    /// A setting that is added and forgotten here would be said not to exist.
    #[test]
    fn every_variable_that_the_sources_name_is_known() {
        let mut found = Vec::new();
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut folders = ["fabric/src", "runtime/src", "launch/src"]
            .map(|one| crates.join(one))
            .to_vec();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.ends_with("unknown_settings.rs") {
                    found.extend(named_in(&fs::read_to_string(path).unwrap()));
                }
            }
        }
        for setting in SETTINGS {
            assert!(
                found.iter().any(|name| name == setting),
                "nothing reads {PREFIX}{setting}"
            );
        }
        for name in found {
            let name = format!("{PREFIX}{name}");
            let is_internal = processes::HAND_OVER.contains(&&*name)
                || OF_SIMULATIONS.contains(&name.trim_start_matches(PREFIX))
                || RENAMED.iter().any(|(_, former)| *former == name);
            assert!(is_internal || warning(&name).is_none(), "{name}");
        }
    }

    /// The variables that a source text names as a whole string.
    fn named_in(text: &str) -> Vec<String> {
        let start = format!("\"{PREFIX}");
        let names = text.split(&start).skip(1);
        let names = names.filter_map(|rest| rest.split_once('"'));
        let is_name = |name: &&str| {
            name.bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_uppercase())
        };
        names
            .map(|(name, _)| name)
            .filter(is_name)
            .map(str::to_owned)
            .collect()
    }
}
