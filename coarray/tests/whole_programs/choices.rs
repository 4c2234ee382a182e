//! Tables of algorithms, `collectives.toml`: which one is used, which image reads it, and how mistakes are reported.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;
use coarray::testing::record_messages;
use tempfile::TempDir;

use crate::job::{Check, coarun, end_of, eventually, on_threads, plain, run, run_with_input};

const FILE: &str = "collectives.toml";

/// The variable that names the table.
const VARIABLE: &str = "COARRAY_TUNING_FILE";

pub fn trials() -> Vec<Check> {
    vec![
        ("a_table_in_the_directory_is_used", table_in_directory),
        ("a_table_of_another_name_comes_first", table_elsewhere),
        (
            "the_first_rule_for_so_many_images_and_bytes_counts",
            first_rule,
        ),
        ("teams_choose_by_their_own_size", rules_of_teams),
        ("without_a_table_there_are_choices", no_table),
        ("an_empty_table_changes_nothing", empty_table),
        (
            "a_table_with_a_mistake_ends_the_job_and_names_it",
            mistakes_are_named,
        ),
        (
            "a_table_that_cannot_be_read_ends_the_job_and_is_named",
            unreadable_tables,
        ),
        (
            "a_table_that_nobody_asked_for_and_may_not_be_read_is_none",
            forbidden_table,
        ),
        ("only_image_0_reads_the_table", only_image_0_reads),
        (
            "a_table_that_is_removed_at_once_is_used_by_all",
            removed_table,
        ),
        (
            "an_algorithm_of_the_program_comes_first",
            algorithm_of_program,
        ),
    ]
}

/// Prints the images that send data to this one for two sums, one of many bytes and one of few, and for a sum in a
/// team of half of the images.
pub fn senders() {
    let many = senders_of(|| co_sum(&mut [1u64; 1200]));
    let few = senders_of(|| co_sum(&mut [1u64; 40]));
    let half = Team::form(this_image() as u64 * 2 / num_images() as u64);
    let in_team = half.change(|| senders_of(|| co_sum(&mut [1u64; 1200])));
    println!(
        "{} many {many:?} few {few:?} team {in_team:?}",
        this_image()
    );
}

/// Prints the same for a sum by an algorithm that the program chooses.
pub fn own_choice() {
    let how = Collective::new().algorithm(Algorithm::Flat);
    let senders = senders_of(|| how.co_sum(&mut [1u64; 1200]));
    println!("{} flat {senders:?}", this_image());
}

fn senders_of(operation: impl FnOnce()) -> Vec<usize> {
    let (_, messages) = record_messages(operation);
    let mut senders: Vec<usize> = messages.iter().map(|message| message.from).collect();
    senders.sort_unstable();
    senders.dedup();
    senders
}

fn directory() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn directory_with(table: &str) -> TempDir {
    let directory = directory();
    fs::write(directory.path().join(FILE), table).unwrap();
    directory
}

/// The program on 4 images, started in all ways: as processes, as threads, and by `coarun`.
fn every_start(program: &str) -> [Command; 3] {
    [
        plain(4, program),
        on_threads(4, program),
        coarun(&["-n", "4"], program),
    ]
}

/// The lines of `senders`, in the order of the images.
fn sorted(output: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = output.lines().collect();
    lines.sort_unstable();
    lines
}

/// Asserts that 4 images computed the sum of many bytes by a ring.
#[track_caller]
fn assert_ring(output: &str) {
    for (image, line) in sorted(output).into_iter().enumerate() {
        let before = (image + 3) % 4;
        let start = format!("{image} many [{before}] few ");
        assert!(line.starts_with(&start), "{output}");
    }
    assert_eq!(output.lines().count(), 4, "{output}");
}

const RING: &str = "co_reduce = [[0, 0, 'ring']]";

fn table_in_directory() {
    let directory = directory_with(RING);
    for mut command in every_start("senders") {
        command.current_dir(&directory);
        assert_ring(&run(command).success());
    }
}

fn table_elsewhere() {
    let directory = directory_with("co_reduce = [[0, 0, 'flat']]");
    let other = directory.path().join("other name.toml");
    fs::write(&other, RING).unwrap();
    for mut command in every_start("senders") {
        command.current_dir(&directory).env(VARIABLE, &other);
        assert_ring(&run(command).success());
    }
    // A relative name counts from the directory in which the job starts.
    for mut command in every_start("senders") {
        command
            .current_dir(&directory)
            .env(VARIABLE, "other name.toml");
        assert_ring(&run(command).success());
    }
}

fn first_rule() {
    let directory = directory_with(
        "# up to 2 images, others with few bytes, all\n\
         co_reduce = [[2, 0, \"flat\"], [4, 320, \"ring\"], [0, 0, \"binomial\"], [0, 0, \"flat\"]]\n",
    );
    for mut command in every_start("senders") {
        command.current_dir(&directory);
        let output = run(command).success();
        // In the tree over 0..4 with root 0, images 1 and 2 are children of 0, and 3 is a child of 2.
        assert_eq!(
            sorted(&output),
            [
                "0 many [1, 2] few [3] team [1]",
                "1 many [0] few [0] team [0]",
                "2 many [0, 3] few [1] team [3]",
                "3 many [2] few [2] team [2]",
            ]
        );
    }
}

fn rules_of_teams() {
    let directory = directory_with("co_reduce = [[2, 0, 'binomial'], [0, 0, 'ring']]");
    let mut command = plain(6, "senders");
    command.current_dir(&directory);
    let output = run(command).success();
    let lines = sorted(&output);
    // A ring of all images, and of the three in each team.
    assert_eq!(lines[0], "0 many [5] few [5] team [2]", "{output}");
    assert_eq!(lines[3], "3 many [2] few [2] team [5]", "{output}");
}

/// Every image reads from all others.
const BUILT_IN: [&str; 4] = [
    "0 many [1, 2, 3] few [1, 2, 3] team [1]",
    "1 many [0, 2, 3] few [0, 2, 3] team [0]",
    "2 many [0, 1, 3] few [0, 1, 3] team [3]",
    "3 many [0, 1, 2] few [0, 1, 2] team [2]",
];

fn no_table() {
    let directory = directory();
    for mut command in every_start("senders") {
        command.current_dir(&directory);
        assert_eq!(sorted(&run(command).success()), BUILT_IN);
    }
}

fn empty_table() {
    for text in [
        "",
        "# nothing\n\n",
        "co_reduce = []\n",
        "co_scan = [[0, 0, 'chain']]",
    ] {
        let directory = directory_with(text);
        let mut command = plain(4, "senders");
        command.current_dir(&directory);
        assert_eq!(sorted(&run(command).success()), BUILT_IN, "{text}");
    }
}

/// Tables with mistakes, and words of the report about each.
const MISTAKES: [(&str, &[&str]); 10] = [
    (
        "co_reduce = [[0, 0, 'rign']]",
        &["co_reduce, rule 1: `rign` is no algorithm for it", "ring"],
    ),
    (
        "co_reduce = [[0, 0, 'ring'], [0, 0, 'flat']]\nco_broadcast = [[9, 9, 'flat'], [9, 9, 'ring']]",
        &[
            "co_broadcast, rule 2: `ring` is no algorithm for it",
            "scatter_allgather",
        ],
    ),
    (
        "co_sum = [[0, 0, 'ring']]",
        &["`co_sum` is no operation with a choice", "co_reduce"],
    ),
    (
        "sync_all = [[0, 0, 'ring']]",
        &["sync_all, rule 1: `ring` is no algorithm for it", "tree"],
    ),
    ("co_reduce = [[0, 'ring']]", &["a line looks like"]),
    ("co_reduce = [[0, 0, 'ring', 1]]", &["a line looks like"]),
    ("co_reduce = [['0', 0, 'ring']]", &["a line looks like"]),
    ("co_reduce = [[-1, 0, 'ring']]", &["a line looks like"]),
    ("co_reduce = 'ring'", &["a line looks like"]),
    (
        "co_reduce = [\n[0, 0, 'ring'\n",
        &["a line looks like", "line "],
    ),
];

/// Asserts that the job ended because of the table at `path`, and reported it once.
#[track_caller]
fn assert_refused(command: Command, path: &Path, words: &[&str]) {
    let end = run(command);
    assert!(end.seconds < 5.0, "{end:#?}");
    // The others may have begun; image 0 has not.
    assert!(!end.stdout.contains("from image 0"), "{end:#?}");
    let report = end.failure(2);
    assert!(report.starts_with("coarray: image 0 "), "{report}");
    let path = path.display().to_string();
    assert_eq!(report.matches(&path).count(), 1, "no {path} in {report}");
    for word in words {
        assert!(report.contains(word), "no {word} in {report}");
    }
}

fn mistakes_are_named() {
    for (text, words) in MISTAKES {
        let directory = directory_with(text);
        for images in [1, 4] {
            for mut command in [plain(images, "hello"), on_threads(images, "hello")] {
                command.current_dir(&directory);
                assert_refused(command, Path::new(FILE), words);
            }
        }
        let path = directory.path().join(FILE);
        let mut command = coarun(&["-n", "3"], "hello");
        command.env(VARIABLE, &path);
        assert_refused(command, &path, words);
    }
}

fn unreadable_tables() {
    let directory = directory();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("binary"), [0xff, 0xfe, 0x00]).unwrap();
    fs::write(at("long"), "# a long remark\n".repeat(2000)).unwrap();
    let cases = [
        ("missing", "cannot read the table of algorithms"),
        ("", "cannot read the table of algorithms"),
        ("binary", "cannot read the table of algorithms"),
        ("long", "it has 32000 bytes, and at most 16384 are possible"),
    ];
    for (name, words) in cases {
        for images in [1, 4] {
            for mut command in [plain(images, "hello"), on_threads(images, "hello")] {
                command.env(VARIABLE, at(name));
                assert_refused(command, &at(name), &[words]);
            }
        }
    }
    let mut command = plain(4, "hello");
    command.env(VARIABLE, "/dev/zero");
    assert_refused(
        command,
        Path::new("/dev/zero"),
        &["it has more than 16384 bytes"],
    );
    // A directory, and a pipe that nobody writes to, with the name of the table.
    for make in [|path: &Path| fs::create_dir(path).unwrap(), make_pipe] {
        make(&at(FILE));
        let mut command = plain(4, "hello");
        command.current_dir(&directory);
        assert_refused(command, Path::new(FILE), &["it is no regular file"]);
        fs::remove_dir(at(FILE))
            .or_else(|_| fs::remove_file(at(FILE)))
            .unwrap();
    }
}

fn forbidden_table() {
    let directory = directory_with("co_reduce = [[0, 0, 'rign']]");
    let table = directory.path().join(FILE);
    fs::set_permissions(&table, fs::Permissions::from_mode(0o000)).unwrap();
    for mut command in every_start("senders") {
        command.current_dir(&directory);
        // SAFETY: the function makes system calls only, and neither allocates nor locks.
        unsafe { command.pre_exec(obey_permissions) };
        assert_eq!(sorted(&run(command).success()), BUILT_IN);
    }
    // A job that names the table reports it.
    let mut command = plain(4, "hello");
    command.env(VARIABLE, &table);
    // SAFETY: the function makes system calls only, and neither allocates nor locks.
    unsafe { command.pre_exec(obey_permissions) };
    assert_refused(command, &table, &["Permission denied"]);
}

/// Takes root's right to read and write everything from the program that starts next.
fn obey_permissions() -> std::io::Result<()> {
    for capability in [1, 2] {
        // SAFETY: a system call on numbers. It fails for other users than root, who have no such right.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
    Ok(())
}

/// Makes a named pipe. One reader gets the data of one writer; a second reader would wait for a second writer.
fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// Writes to a pipe as soon as somebody reads it.
fn write_to(pipe: &Path, text: &str) -> Child {
    Command::new("sh")
        .args(["-c", &format!("printf %s \"{text}\" > \"$0\"")])
        .arg(pipe)
        .spawn()
        .unwrap()
}

/// Waits for the end of a child; fails if that takes more than 20 seconds.
#[track_caller]
fn finished(mut child: Child) -> Child {
    let id = child.id();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed().as_secs() > 20 {
            child.kill().unwrap();
            panic!("process {id} still waits after 20 seconds");
        }
        std::thread::yield_now();
    }
    child
}

fn only_image_0_reads() {
    for mut command in every_start("senders") {
        let directory = directory();
        let pipe = directory.path().join("pipe");
        make_pipe(&pipe);
        let start = Instant::now();
        let job = command
            .env(VARIABLE, &pipe)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let writer = write_to(&pipe, RING);
        let job = finished(job);
        assert!(finished(writer).wait().unwrap().success());
        assert_ring(&end_of(job, start).success());
    }
}

fn removed_table() {
    for command in every_start("remove_table") {
        let directory = directory_with(RING);
        let mut command = command;
        command.current_dir(&directory);
        assert_ring(&run_with_input(command, "").success());
        eventually(|| !directory.path().join(FILE).exists());
    }
}

/// Removes the table before the other images do anything with it, and prints the [`senders`].
pub fn remove_table() {
    if this_image() == 0 {
        fs::remove_file(FILE).unwrap();
    }
    senders();
}

fn algorithm_of_program() {
    let directory = directory_with(RING);
    let mut command = plain(3, "own_choice");
    command.current_dir(&directory);
    let output = run(command).success();
    assert_eq!(
        sorted(&output),
        ["0 flat [1, 2]", "1 flat [0, 2]", "2 flat [0, 1]"]
    );
}
