//! All programs write only the files that they are told to write, and say in one line what they cannot do.

use testing::programs::*;

/// Every program, with options for a short run.
const ALL: [(&str, &[&str]); 14] = [
    ("hello", &[]),
    ("ring", &["--laps", "3"]),
    ("pi", &["--points", "1000"]),
    ("sample_sort", &["--keys", "1000"]),
    ("histogram", &["--molecules", "1000"]),
    ("index_gather", &["--reads", "100", "--entries", "1000"]),
    ("permutation", &["--numbers", "1000"]),
    ("work_queue", &["--size", "30x20", "--limit", "50"]),
    ("pipeline", &["--blocks", "5"]),
    ("matrix_multiply", &["--size", "20x20x20"]),
    ("survivor", &["--steps", "50"]),
    ("redundant_halves", &[]),
    ("recovery_team", &[]),
    ("deadlock_gallery", &[]),
];

#[test]
fn no_program_leaves_a_file_that_nobody_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for (name, arguments) in ALL {
        assert_leaves_no_file(folder.path(), name, arguments);
    }
}

#[test]
fn words_that_are_no_unicode_are_refused_as_others_are() {
    // The first reads no arguments.
    for (name, _) in &ALL[1..] {
        assert_refuses_what_is_no_unicode(name);
    }
}

#[test]
fn files_may_have_names_that_are_no_unicode() {
    let folder = tempfile::tempdir().unwrap();
    let (histogram, arguments) = ALL[4];
    assert_takes_any_file_name(folder.path(), histogram, arguments, None, "--plot");
}

#[test]
fn sizes_beyond_the_memory_of_the_machine_are_refused_before_anything_is_allocated() {
    let trillion = "1000000000000";
    assert_refuses_what_is_too_large("sample_sort", &["--keys", trillion]);
    assert_refuses_what_is_too_large("histogram", &["--molecules", trillion]);
    assert_refuses_what_is_too_large("index_gather", &["--entries", trillion]);
    assert_refuses_what_is_too_large("permutation", &["--numbers", trillion]);
    let size = "1048576x1048576x1048576";
    assert_refuses_what_is_too_large("matrix_multiply", &["--size", size]);
}

#[test]
fn a_full_disk_ends_every_program_with_the_same_code() {
    for (name, option) in [("histogram", "--plot"), ("work_queue", "--png")] {
        let short = ALL.iter().find(|(other, _)| *other == name);
        assert_tells_of_a_full_disk(name, short.unwrap().1, option);
    }
}
