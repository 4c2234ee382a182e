//! `cobench` as its users start it. Nothing is said about how long anything takes.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{assert_refused, printed, run};
use coarray_collectives::{Kind, TuningTable};
use serde_json::Value;
use tempfile::TempDir;
use testing::{script, unread};

fn number(object: &Value, key: &str) -> f64 {
    let number = object[key].as_f64();
    let number = number.unwrap_or_else(|| panic!("no number {key} in {object}"));
    assert!(number > 0.0, "{key} of {object}");
    number
}

/// The objects of JSON lines.
fn objects(lines: &str) -> Vec<Value> {
    let object =
        |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    lines.lines().map(object).collect()
}

/// The operation and size of an object, which makes sense.
fn row(object: &Value, images: usize) -> (String, usize) {
    assert_eq!(object["images"], images);
    let [min, median, p99] = ["min", "ns", "p99"].map(|key| number(object, key));
    assert!(min <= median && median <= p99, "{object}");
    assert!(
        number(object, "raw_min") <= number(object, "raw_ns"),
        "{object}"
    );
    number(object, "ratio");
    let bytes = object["bytes"].as_u64().unwrap();
    (object["op"].as_str().unwrap().to_owned(), bytes as usize)
}

fn rows(lines: &str, images: usize) -> Vec<(String, usize)> {
    let objects = objects(lines);
    objects.iter().map(|object| row(object, images)).collect()
}

fn all_rows() -> Vec<(String, usize)> {
    let long: Vec<usize> = [16 << 10]
        .into_iter()
        .chain((0..5).map(|power| 32 << 10 << (2 * power)))
        .collect();
    let short = (0..6).map(|power| 8 << (2 * power));
    let all = short.chain(long.iter().copied()).collect();
    let long_blocks = vec![32 << 10, 512 << 10, 2 << 20];
    let mut few: Vec<usize> = (0..5).map(|power| 8 << (4 * power)).collect();
    few.push(2 << 20);
    let mut bulk: Vec<usize> = vec![8, 64, 1 << 10, 8 << 10, 64 << 10, 512 << 10];
    bulk.extend([4 << 20, 64 << 20]);
    let halos = vec![512 << 10, 4 << 20, 32 << 20, 256 << 20];
    let blocks = vec![4 << 10, 64 << 10, 4 << 20];
    let of = |operation: &'static str, sizes: &Vec<usize>| {
        let row = |&bytes| (operation.to_owned(), bytes);
        sizes.iter().map(row).collect::<Vec<_>>()
    };
    [
        of("put", &vec![8]),
        of("put_quiet", &vec![8]),
        of("get", &vec![8]),
        of("bulk_put", &bulk),
        of("bulk_get", &bulk),
        of("column_put", &vec![4096]),
        of("column_get", &vec![4096]),
        of("region_2d_put", &blocks),
        of("region_2d_get", &blocks),
        of("region_3d_put", &blocks),
        of("region_3d_get", &blocks),
        of("list_gather", &vec![512 << 10]),
        of("list_scatter", &vec![512 << 10]),
        of("list_add", &vec![512 << 10]),
        of("loop_gather", &vec![512 << 10]),
        of("loop_scatter", &vec![512 << 10]),
        of("loop_add", &vec![512 << 10]),
        of("fetch_add", &vec![8]),
        of("compare_exchange", &vec![8]),
        of("gups", &vec![8]),
        of("gups_atomic", &vec![8]),
        of("event_pingpong", &vec![0]),
        of("value_pingpong", &vec![8]),
        of("event_ring", &vec![0]),
        of("notify_pingpong", &vec![8, 4096]),
        of("mutex", &vec![0]),
        of("sync_all", &vec![0]),
        of("sync_pair", &vec![0]),
        of("alloc", &vec![4096]),
        of("open", &vec![0]),
        of("halo", &halos),
        of("halo_faces", &halos),
        of("write_npy", &vec![1 << 20, 16 << 20, 128 << 20]),
        of("co_sum", &all),
        of("co_sum_symmetric", &long),
        of("co_sum_async", &vec![8]),
        of("co_sum_reproducible", &vec![8 << 20]),
        of("co_total_reproducible", &vec![8 << 20]),
        of("co_sum_to", &all),
        of("co_sum_to_symmetric", &long),
        of("co_scan", &all),
        of("co_scan_symmetric", &long),
        of("co_broadcast", &all),
        of("co_broadcast_symmetric", &long),
        of("co_gather", &few),
        of("co_gather_symmetric", &long_blocks),
        of("co_allgather", &few),
        of("co_allgather_symmetric", &long_blocks),
        of("co_scatter", &few),
        of("co_scatter_symmetric", &long_blocks),
        of("co_alltoall", &few),
        of("co_alltoall_symmetric", &long_blocks),
        of("co_reduce_scatter", &few),
        of("co_reduce_scatter_symmetric", &long_blocks),
        of("waiting", &vec![0]),
        of("waiting_for_value", &vec![0]),
        of("launch", &vec![0]),
    ]
    .concat()
}

#[test]
fn every_operation_has_a_row_with_any_number_of_images() {
    for images in [1, 3] {
        let lines = printed(&format!("micro --images {images} --quick --json"));
        assert_eq!(rows(&lines, images), all_rows());
    }
}

#[test]
fn images_can_be_threads() {
    let lines = printed("micro --images 2 --quick --json --fabric threads --only sync_all");
    assert_eq!(rows(&lines, 2), [("sync_all".to_owned(), 0)]);
}

#[test]
fn the_table_says_where_it_was_measured() {
    let table = printed("micro --images 3 --quick --only sync_all");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[0].contains("3 images as processes"), "{table}");
    assert!(lines[1].starts_with("operation") && lines[1].ends_with("ratio"));
    assert!(lines[2].starts_with("sync_all"), "{table}");
}

/// The kernels, in the order of the tables.
const KERNELS: [&str; 6] = [
    "stencil",
    "p2p",
    "transpose",
    "nstream",
    "random",
    "randomaccess",
];

/// Those that have operations of many kinds, and kernels.
const PEERS: [&str; 4] = ["mpi", "mpi-rma", "shmem", "caf"];

#[test]
fn operations_and_kernels_stand_beside_all_peers_that_are_there() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("plots");
    let line = format!(
        "peers --images 2 --quick --json --plot {}",
        folder.display()
    );
    let output = run(&line);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    // All else would be a fault of a program of ours.
    for line in errors.lines() {
        assert!(line.contains("is skipped: "), "{errors}");
        assert!(line.contains("install "), "{errors}");
    }
    let is_there = |peer: &str| !errors.contains(&format!("cobench: {peer} is skipped"));

    let objects = objects(&String::from_utf8(output.stdout).unwrap());
    let (kernels, operations): (Vec<&Value>, Vec<&Value>) = objects
        .iter()
        .partition(|object| object.get("rate").is_some());
    let rows: Vec<_> = operations.iter().map(|object| row(object, 2)).collect();
    assert_eq!(rows, all_rows());
    let names: Vec<_> = kernels
        .iter()
        .map(|kernel| kernel["op"].as_str().unwrap())
        .collect();
    assert_eq!(names, KERNELS);
    for kernel in &kernels {
        assert_eq!(kernel["validated"], true);
        assert!(number(kernel, "rate") <= number(kernel, "best"));
    }
    for object in &objects {
        let Some(peers) = object["peers"].as_object() else {
            continue;
        };
        let least = peers.values().map(|peer| number(peer, "ratio"));
        let least = least.fold(f64::INFINITY, f64::min);
        assert_eq!(number(object, "best_ratio"), least);
        let best = &peers[object["best_peer"].as_str().unwrap()];
        assert_eq!(number(best, "ratio"), least);
        for peer in peers.values() {
            let _: f64 = number(
                peer,
                if object.get("rate").is_some() {
                    "rate"
                } else {
                    "ns"
                },
            );
        }
    }
    for peer in PEERS.into_iter().filter(|peer| is_there(peer)) {
        let has_it = |objects: &[&Value]| {
            objects
                .iter()
                .filter(|o| !o["peers"][peer].is_null())
                .count()
        };
        assert!(has_it(&operations) > 5, "{peer} has hardly an operation");
        assert!(has_it(&kernels) > 3, "{peer} has hardly a kernel");
    }
    plots_are_well_formed(&folder);
}

fn plots_are_well_formed(folder: &Path) {
    for name in [
        "bulk_put",
        "bulk_put_bandwidth",
        "bulk_get",
        "co_sum",
        "memory",
        "waiting",
        "life",
        "kernels",
    ] {
        let file = folder.join(format!("{name}.svg"));
        let plot = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            plot.starts_with("<svg") && plot.trim_end().ends_with("</svg>"),
            "{name}"
        );
        assert!(plot.contains("coarray") && !plot.contains("NaN"), "{name}");
    }
}

#[test]
fn missing_peers_are_skipped_with_lines_that_say_what_to_install() {
    let output = Command::new(env!("CARGO_BIN_EXE_cobench"))
        .args("peers --images 1 --quick --json --only sync_all".split(' '))
        .env("PATH", "")
        .output()
        .unwrap();
    assert!(output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        errors,
        "cobench: mpi is skipped: there is no mpirun; on Debian, install openmpi-bin libopenmpi-dev\n\
         cobench: mpi-rma is skipped: there is no mpirun; on Debian, install openmpi-bin libopenmpi-dev\n\
         cobench: shmem is skipped: there is no shmemrun; on Debian, install openmpi-bin libopenmpi-dev\n\
         cobench: caf is skipped: there is no mpirun; on Debian, install gfortran libcoarrays-openmpi-dev \
         openmpi-bin libopenmpi-dev\n"
    );
    assert_eq!(rows(&String::from_utf8(output.stdout).unwrap(), 1).len(), 1);
}

#[test]
fn what_fails_in_a_peer_does_not_keep_the_rest_from_being_measured() {
    let tools = tempfile::tempdir().unwrap();
    // Tools whose versions nobody else has, so that their programs stay among themselves.
    let version = format!("Open MPI of {}", tools.path().display());
    let compile = "while [ \"$1\" != -o ]; do shift; done; : > \"$2\"";
    script(
        &tools.path().join("mpicc"),
        &format!("[ $1 = --version ] && echo cc || {{ {compile}; }}"),
    );
    script(
        &tools.path().join("mpirun"),
        &format!(
            "[ $1 = --version ] && echo '{version}' && exit; echo ------ >&2; echo no luck >&2; exit 7"
        ),
    );
    let output = Command::new(env!("CARGO_BIN_EXE_cobench"))
        .args("peers --images 1 --quick --json --only sync_all,launch --peer mpi".split(' '))
        .env("PATH", tools.path())
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    assert_eq!(
        errors,
        "cobench: operations of mpi is not run again: exit status: 7: no luck\n\
         cobench: empty of mpi is not run again: exit status: 7: no luck\n"
    );
    assert_eq!(rows(&String::from_utf8(output.stdout).unwrap(), 1).len(), 2);
}

/// A table that `cobench tune` writes, and its file.
fn tuned(directory: &TempDir) -> (PathBuf, String) {
    let file = directory.path().join("collectives.toml");
    let told = printed(&format!(
        "tune --images 1,2 --quick --output {}",
        file.display()
    ));
    assert!(told.contains("collectives.toml"), "{told}");
    let table = std::fs::read_to_string(&file).unwrap();
    (file, table)
}

#[test]
fn tune_writes_a_table_that_a_job_uses() {
    let directory = tempfile::tempdir().unwrap();
    let (file, table) = tuned(&directory);
    let read = TuningTable::parse(&table).unwrap();
    assert_eq!(TuningTable::parse(&read.text()), Ok(read.clone()));
    let rules = read.rules();
    assert!(rules.barrier(2).is_some() && rules.barrier(3).is_none());
    for kind in Kind::ALL {
        assert!(
            table.contains(&format!("\n{} = [\n    [1, ", kind.name())),
            "{table}"
        );
    }
    let micro = |table: &str| {
        std::fs::write(&file, table).unwrap();
        Command::new(env!("CARGO_BIN_EXE_cobench"))
            .args("micro --images 2 --quick --json --only co_sum_async".split(' '))
            // Where a job looks of itself.
            .current_dir(directory.path())
            .env_remove("COARRAY_TUNING_FILE")
            .output()
            .unwrap()
    };
    let output = micro(&table);
    assert!(output.status.success(), "{output:?}");
    let line = String::from_utf8(output.stdout).unwrap();
    assert_eq!(rows(&line, 2).len(), 1);
    // It was read: if something is wrong with it, the job says so.
    let output = micro(&table.replace("co_scan", "co_scam"));
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("`co_scam` is no operation"), "{errors}");
}

#[test]
fn what_cannot_be_followed_is_refused_in_one_line() {
    for (line, word) in [
        ("", "cobench --help"),
        ("micro --images 0", "--images 0"),
        ("micro --only co_some", "co_some"),
        ("peers --peer pvm", "pvm"),
        ("tune --json", "--json"),
    ] {
        assert_refused(line, word);
    }
    for line in [
        "tune --quick --output /dev/null/table",
        "micro --quick --only sync_all --plot /dev/null/table",
    ] {
        let output = run(line);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("/dev/null/table") && message.lines().count() == 1);
    }
}

#[test]
fn help_is_printed_once() {
    for line in ["--help", "micro --help"] {
        assert_eq!(printed(line).matches("usage: cobench").count(), 1);
    }
}

#[test]
fn it_ends_without_a_word_when_nobody_reads_it_any_more() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cobench"));
    let output = command.arg("--help").stdout(unread()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.signal(), Some(libc::SIGPIPE));
}
