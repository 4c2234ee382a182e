//! Timelines of jobs: what was done is there once, in its place, and arrows come from whoever was waited for.

pub mod programs;

use std::path::PathBuf;
use std::process::Command;

use crate::job::{Check, End, bare_coarun, coarun, in_its_place, on_threads, plain, run};
use crate::timeline::programs::{DELAY, LATE, LATE_STEP, SMALL, STEPS};
use crate::trace_file::{Slice, Trace, packets, read};

pub fn trials() -> Vec<Check> {
    vec![
        ("a_timeline_has_what_images_did", what_images_did),
        ("a_timeline_comes_with_a_profile", with_profile),
        ("arrows_come_from_who_was_waited_for", arrows),
        ("odd_regions_leave_a_timeline_readable", odd),
        ("images_that_were_killed_have_a_timeline", killed),
        ("jobs_that_fail_have_a_timeline", failed_job),
        ("timelines_that_cannot_be_written_are_one_line", unwritable),
        ("a_timeline_without_room_says_so", no_room),
        ("a_timeline_replaces_the_file", replaced),
        ("perfetto_reads_a_timeline", by_perfetto),
    ]
}

pub const IMAGES: usize = 3;
/// Others have waited at least so long for it, also if they were late themselves, on a machine with other things to do.
const WAITED: u64 = 10_000_000;

/// A file for a timeline, removed at the end.
struct Target(PathBuf);

impl Target {
    fn new(name: &str) -> Self {
        let name = format!("coarray-{}-{name}.pftrace", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Runs a program with a timeline there.
    fn run(&self, mut command: Command) -> End {
        command.env("COARRAY_TRACE", &self.0);
        run(command)
    }

    /// How many files of records lie beside it.
    fn records(&self) -> usize {
        let name = self.0.file_name().unwrap().to_string_lossy().into_owned() + ".records-";
        let entries = std::fs::read_dir(self.0.parent().unwrap()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        names
            .filter(|other| other.to_string_lossy().starts_with(&name))
            .count()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs a program with a timeline, which it writes.
pub fn trace(command: Command, name: &str) -> (End, Trace) {
    let target = Target::new(name);
    let end = target.run(command);
    assert_eq!(target.records(), 0);
    let trace = read(&target.0);
    (end, trace)
}

fn ways(program: &str) -> [Command; 2] {
    [plain(IMAGES, program), on_threads(IMAGES, program)]
}

fn what_images_did() {
    for command in ways("traced") {
        let (end, trace) = trace(command, "traced");
        assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""), "{end:#?}");
        check_traced(&trace, IMAGES);
    }
}

/// Looks at the timeline of `traced`.
pub fn check_traced(trace: &Trace, images: usize) {
    assert_eq!(
        trace.images.keys().copied().collect::<Vec<_>>(),
        Vec::from_iter(0..images)
    );
    assert_eq!(trace.hosts.len(), 1, "{:?}", trace.hosts);
    for image in 0..images {
        let count = |name| trace.named(image, name).len();
        let counts = ["sync_all", "step", "work", "the end of the program"].map(count);
        assert_eq!(counts, [STEPS + 2, STEPS, STEPS, 1], "image {image}");
        let collectives = ["co_sum", "co_broadcast", "normalise: co_max"].map(count);
        // A halo array is made with a broadcast, too.
        assert_eq!(
            collectives,
            [SMALL + STEPS, STEPS + 1, STEPS],
            "image {image}"
        );
        let phases = ["open", "the end of the open phase"].map(count);
        assert_eq!(phases, [STEPS; 2], "{:#?}", trace.images[&image]);
        for slice in trace.named(image, "sync_all") {
            assert!(
                slice.line.contains("whole_programs/timeline/programs.rs:"),
                "{slice:?}"
            );
            assert!(!slice.has_not_ended && !slice.is_instant);
        }
        for slice in trace.named(image, "work") {
            assert_eq!(slice.depth, 1, "{slice:?}");
        }
        let depths = trace
            .named(image, "sync_all")
            .iter()
            .map(|slice| slice.depth)
            .sum::<usize>();
        assert_eq!(depths, STEPS, "in regions");
    }
    let mut all = trace.images.values().flatten();
    assert!(!all.any(|slice| slice.has_not_ended));
    let delay = DELAY.as_nanos() as u64;
    assert!(trace.named(LATE, "work")[LATE_STEP].length() >= delay);
}

/// The slice in which an image waited at least so long as the delay.
fn long<'a>(trace: &'a Trace, image: usize, name: &str) -> &'a Slice {
    let slices = trace.named(image, name);
    let is_long = |slice: &&&Slice| slice.length() >= WAITED;
    slices
        .iter()
        .find(is_long)
        .unwrap_or_else(|| panic!("no long {name} of image {image}: {slices:#?}"))
}

fn arrows() {
    for command in ways("traced") {
        let (_, trace) = trace(command, "arrows");
        check_arrows(&trace);
    }
}

/// Looks at arrows of `traced`, on images that share memory.
pub fn check_arrows(trace: &Trace) {
    for image in (0..IMAGES).filter(|&image| image != LATE) {
        let slice = trace.named(image, "sync_all")[LATE_STEP];
        assert!(slice.length() >= WAITED, "{slice:?}");
        let (from, source) = trace.source(slice).unwrap();
        assert_eq!((from, source.name.as_str()), (LATE, "sync_all"));
        assert_eq!(source.line, slice.line);
    }
    let (from, source) = trace.source(long(trace, 1, "event")).unwrap();
    assert_eq!(
        (from, source.name.as_str(), source.is_instant),
        (0, "post", true)
    );
    // In a row of images the first one has one neighbour, which is late.
    let halo = long(trace, 0, "halo exchange");
    let (from, source) = trace.source(halo).unwrap();
    assert_eq!((from, source.name.as_str()), (LATE, "post"));
    assert_eq!(halo.awaited, Some(LATE as u64));
    let lock = long(trace, 1, "lock");
    let (from, source) = trace.source(lock).unwrap();
    assert_eq!(
        (from, source.name.as_str(), source.is_instant),
        (0, "unlock", true)
    );
    assert_eq!(lock.awaited, Some(0));
}

fn with_profile() {
    for mut command in ways("traced") {
        command.env("COARRAY_PROFILE", "waits");
        let (end, trace) = trace(command, "profile");
        check_traced(&trace, IMAGES);
        assert!(end.stderr.starts_with("coarray: 3 images, "), "{end:#?}");
        let (waits, _) = end
            .stderr
            .split_once("\nadvice")
            .unwrap_or((&end.stderr, ""));
        for only_in_timelines in ["post", "unlock", "region", "work"] {
            assert!(!waits.contains(only_in_timelines), "{end:#?}");
        }
    }
}

fn odd() {
    for command in ways("odd_regions") {
        let (end, trace) = trace(command, "odd");
        assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""), "{end:#?}");
        for image in 0..IMAGES {
            let count = |name| trace.named(image, name).len();
            let counts = ["leaked", "first", "second", "panics", "kept", "sync_all"].map(count);
            assert_eq!(counts, [2000, 1, 1, 1, 1, 4], "image {image}");
            assert_eq!(count("on a thread that is no image"), 0);
            assert_eq!([count(""), count("\u{e9}\u{1f980}\0\n")], [1, 1]);
            let deepest = trace.images[&image].iter().map(|slice| slice.depth).max();
            assert!(deepest < Some(10), "{deepest:?}");
            assert!(!trace.named(image, "panics")[0].has_not_ended);
            let [first, second] = ["first", "second"].map(|name| trace.named(image, name)[0]);
            assert_eq!(second.end, first.end, "as the region around it");
        }
    }
}

fn killed() {
    let keep_going = coarun(&["-n3", "--keep-going"], "traced_to_the_end");
    // Without that the others may be ended before they come to the second barrier.
    for (command, least) in [(plain(IMAGES, "traced_to_the_end"), 1), (keep_going, 2)] {
        let (end, trace) = trace(command, "killed");
        assert!(end.stderr.contains("was killed by signal 9"), "{end:#?}");
        let last = IMAGES - 1;
        let shot = trace.named(last, "shot");
        assert!(shot.len() == 1 && shot[0].has_not_ended, "{shot:?}");
        let around = trace.named(last, "the last one");
        assert!(around.len() == 1 && around[0].has_not_ended, "{around:?}");
        assert_eq!(trace.named(last, "sync_all").len(), 1);
        for image in 0..last {
            let barriers = trace.named(image, "sync_all").len();
            assert!(
                (least..=2).contains(&barriers),
                "{barriers} of image {image}"
            );
        }
    }
}

/// A job of which no process is left, on a fabric of clusters; `nodes` have recorded.
pub fn check_killed_at_once(command: Command, nodes: usize) {
    let target = Target::new("killed-at-once");
    let end = target.run(command);
    assert_ne!(end.code, Some(0), "{end:#?}");
    assert!(read(&target.0).images.is_empty());
    assert_eq!(target.records(), nodes);
    let end = recover(&target);
    assert_eq!((end.code, &*end.stderr), (Some(0), ""));
    assert_eq!(target.records(), 0);
    let trace = read(&target.0);
    assert_eq!(trace.images.len(), IMAGES);
    for image in 0..IMAGES {
        let around = trace.named(image, "the last one");
        assert!(around.len() == 1 && around[0].has_not_ended, "{around:?}");
        assert_eq!(trace.named(image, "sync_all").len(), 1);
    }
    refuses(&target, "nothing is left");
}

fn recover(target: &Target) -> End {
    let mut recover = bare_coarun();
    recover.arg("--recover-trace").arg(&target.0);
    run(recover)
}

/// Whether nothing can be recovered, and one line says why.
#[track_caller]
fn refuses(target: &Target, why: &str) {
    let end = recover(target);
    assert_eq!(end.code, Some(1), "{end:#?}");
    let is_said = end.stderr.starts_with("coarun: ") && end.stderr.contains(why);
    assert!(is_said && end.stderr.lines().count() == 1, "{end:#?}");
}

fn failed_job() {
    for command in ways("error_stop") {
        let (end, trace) = trace(command, "failed");
        assert_eq!(end.code, Some(7), "{end:#?}");
        assert_eq!(trace.images.len(), IMAGES);
    }
}

fn unwritable() {
    let folder = std::env::temp_dir().join("there/is/no/such/folder/a.pftrace");
    let missing = folder.to_str().unwrap();
    for (path, reason) in [
        (missing, "No such file or directory"),
        ("/", "Is a directory"),
        ("/dev/full", "No space left on device"),
    ] {
        for mut command in ways("error_stop").into_iter().chain(ways("hello")) {
            let sorted = |end: &End| {
                let mut lines: Vec<String> = end.stdout.lines().map(Into::into).collect();
                lines.sort();
                lines
            };
            let again = Command::new(command.get_program());
            let untraced = run(in_its_place(again, &command));
            command.env("COARRAY_TRACE", path);
            let end = run(command);
            assert_eq!(end.code, untraced.code, "{end:#?}");
            assert_eq!(sorted(&end), sorted(&untraced));
            let ours: Vec<_> = end
                .stderr
                .lines()
                .filter(|line| line.contains("timeline"))
                .collect();
            assert_eq!(ours.len(), 1, "{end:#?}");
            assert!(
                ours[0].starts_with("coarray: ") && ours[0].contains(path),
                "{end:#?}"
            );
            assert!(ours[0].contains(reason), "{end:#?}");
        }
    }
    let target = Target::new("named");
    let path = target.0.to_str().unwrap();
    assert_eq!(
        run(coarun(&["-n2", "--trace", path], "hello")).code,
        Some(0)
    );
    assert_eq!(read(&target.0).images.len(), 2);
}

fn no_room() {
    let target = Target::new("room");
    let end = target.run(plain(1, "many_steps"));
    assert_eq!(end.code, Some(0), "{end:#?}");
    let lines: Vec<_> = end.stderr.lines().collect();
    let said = "ends early: there was no room for ";
    assert!(lines.len() == 1 && lines[0].contains(said), "{end:#?}");
    // A begin and an end of each step, and little else.
    let steps = packets(&target.0).abs_diff(2 << 20);
    assert!(steps < 10, "{steps}");
}

/// Prints how many slices begin and end, and how many arrows do, by what Perfetto itself knows of its packets. Fields that it does not know would
/// make the packets that it writes shorter.
const BY_PERFETTO: &str = r#"
import sys
try:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
except ImportError as error:
    sys.exit(f"skipped: {error}")
trace = Trace()
bytes = open(sys.argv[1], "rb").read()
trace.ParseFromString(bytes)
trace.DiscardUnknownFields()
assert trace.ByteSize() == len(bytes), "unknown fields"
events = [packet.track_event for packet in trace.packet if packet.HasField("track_event")]
begins = [event.type for event in events].count(TrackEvent.TYPE_SLICE_BEGIN)
ends = [event.type for event in events].count(TrackEvent.TYPE_SLICE_END)
begun = sorted(flow for event in events for flow in event.flow_ids)
ended = sorted(flow for event in events for flow in event.terminating_flow_ids)
assert begun == ended, "arrows with one end"
print(begins, ends, len(begun))
"#;

/// With the Python package `perfetto`, where it is installed.
fn by_perfetto() {
    let target = Target::new("perfetto");
    assert_eq!(target.run(plain(IMAGES, "traced")).code, Some(0));
    let trace = read(&target.0);
    let mut python = Command::new("python3");
    let Ok(output) = python.args(["-c", BY_PERFETTO]).arg(&target.0).output() else {
        return println!("skipped: no python3");
    };
    let [said, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    if error.starts_with("skipped: ") {
        return print!("{error}");
    }
    let all = || trace.images.values().flatten();
    let slices = all().filter(|slice| !slice.is_instant).count();
    let arrows = all().filter(|slice| slice.arrow.is_some()).count();
    assert_eq!(said, format!("{slices} {slices} {arrows}\n"), "{error}");
}

fn replaced() {
    let target = Target::new("replaced");
    std::fs::write(&target.0, vec![0xff; 1 << 20]).unwrap();
    let mut records = target.0.clone().into_os_string();
    records.push(".records-0");
    for (bytes, why) in [(0, "too small"), (1 << 20, "another version")] {
        std::fs::write(&records, vec![0xff; bytes]).unwrap();
        refuses(&target, why);
    }
    assert_eq!(target.run(plain(2, "hello")).code, Some(0));
    assert_eq!(read(&target.0).images.len(), 2);
    assert_eq!(target.records(), 0);
    let mut command = plain(2, "hello");
    command.env("COARRAY_TRACE", "");
    assert_eq!(run(command).stderr, "");
}
