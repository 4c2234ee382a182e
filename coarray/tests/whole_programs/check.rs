//! What the race check says of lines that synchronise in vain, and of where values came from.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::irregular::Conveyor;
use coarray::prelude::*;

use crate::job::{Check, End, bare_coarun, coarun, end_of, eventually, on_threads, run, signal};
use crate::launch::end_by_signals;

pub fn trials() -> Vec<Check> {
    vec![
        ("lines_that_order_in_vain_are_told", superfluous),
        ("one_of_two_is_superfluous_but_not_both", both),
        ("a_program_that_races_is_not_tried", first_races),
        ("a_program_that_fails_is_not_tried", first_fails),
        ("a_run_that_fails_says_nothing_of_its_line", fails_without),
        ("what_the_library_does_is_no_line", library_lines),
        ("trying_lines_ends_when_it_is_interrupted", interrupted),
        ("a_forgotten_put_is_a_rare_origin", forgotten_put),
        ("a_notified_put_of_a_step_before_is_told", notified),
        ("origins_are_told_by_the_byte", bytes),
        ("what_its_owner_wrote_has_no_line", owner),
        ("origins_are_told_beside_races", racing_origins),
    ]
}

/// Prints a line of the program, once.
fn print_line(line: u32) {
    if this_image() == 0 {
        println!("{line}");
    }
}

fn right() -> usize {
    (this_image() + 1) % num_images()
}

/// A barrier that is needed, one that is not, and an event. Prints their lines.
pub fn lines() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[usize; 2]>::zeroed();
    let x = x.open();
    x.at(right())[0].put(1);
    print_line(line!() + 1);
    sync_all();
    assert_eq!(x.here()[0].get(), 1);
    for _ in 0..2 {
        if this_image() == 0 {
            // The line after this one, and both below.
            println!("{}", line!() + 2);
        }
        sync_all();
    }
    x.at(right())[1].put(2);
    print_line(line!() + 1);
    came.at(right()).post();
    print_line(line!() + 1);
    came.wait();
    assert_eq!(x.here()[1].get(), 2);
}

/// The end of `coarun --superfluous` with so many images, and the lines that the program has printed.
fn tried(images: usize, program: &str) -> (End, Vec<String>) {
    let end = run(coarun(
        &["-n", &images.to_string(), "--check", "--superfluous"],
        program,
    ));
    let lines = end.stdout.lines().map(str::to_owned).collect();
    (end, lines)
}

/// The part of a report that begins with this title.
fn part<'a>(report: &'a str, title: &str) -> &'a str {
    let start = report.find(title).unwrap_or(report.len());
    let rest = &report[start..];
    let end = rest[1.min(rest.len())..].find("coarun: ");
    end.map_or(rest, |end| &rest[..=end])
}

fn superfluous() {
    let (end, lines) = tried(3, "check_lines");
    assert_eq!((end.code, lines.len()), (Some(0), 5), "{end:#?}");
    let [needed, vain, again, post, wait] = &lines[..] else {
        unreachable!()
    };
    assert_eq!(vain, again);
    let row = |line: &str, what: &str| format!("check.rs:{line}  {what}");
    let in_vain = part(&end.stderr, "coarun: superfluous");
    assert!(
        in_vain.contains(&row(vain, "sync_all  6 times")),
        "{end:#?}"
    );
    let of_use = part(&end.stderr, "coarun: needed");
    for (line, what) in [(needed, "sync_all"), (post, "post    "), (wait, "wait    ")] {
        let row = row(line, &format!("{what}  3 times"));
        assert!(
            of_use.contains(&row) && !in_vain.contains(&row),
            "{row}: {end:#?}"
        );
    }
    assert!(!of_use.contains(&row(vain, "")), "{end:#?}");
    assert_eq!(of_use.matches("put of 8 bytes at ").count(), 3, "{end:#?}");
}

/// Two barriers, of which one is enough.
pub fn barriers() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at(right()).put(1);
    sync_all();
    sync_all();
    assert_eq!(x.here().get(), 1);
}

fn both() {
    let (end, _) = tried(2, "check_barriers");
    assert_eq!(end.code, Some(0), "{end:#?}");
    let in_vain = part(&end.stderr, "coarun: superfluous");
    assert_eq!(
        in_vain.matches("  sync_all  2 times").count(),
        2,
        "{end:#?}"
    );
    assert!(
        in_vain.contains("\n  But not all of these at once: without them together there is a race, of put of 4 bytes"),
        "{end:#?}"
    );
}

/// Nobody waits for the put.
pub fn race() {
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == 0 {
        x.at(1).put(7);
    }
    let _ = x.at(1).get();
    sync_all();
}

fn first_races() {
    let (end, _) = tried(2, "check_race");
    assert_eq!(end.code, Some(66), "{end:#?}");
    assert!(
        end.stderr.contains("race on the value of image 1")
            && end
                .stderr
                .ends_with("no line is tried: first free it of races\n"),
        "{end:#?}"
    );
}

fn first_fails() {
    let (end, _) = tried(3, "error_stop");
    assert_eq!(end.code, Some(7), "{end:#?}");
    let said = "coarun: the program failed with exit code 7, so no line is tried\n";
    assert!(end.stderr.ends_with(said), "{end:#?}");
    for (program, code, said) in [
        (
            "./there-is-no-such-program",
            127,
            "failed with exit code 127",
        ),
        ("true", 0, "the program has left no record"),
    ] {
        let mut command = bare_coarun();
        command.args(["-n2", "--superfluous", program]);
        let end = run(command);
        assert_eq!(end.code, Some(code), "{end:#?}");
        assert!(end.stderr.contains(said), "{end:#?}");
    }
}

/// Whether this run is one without some line.
fn is_without() -> bool {
    std::env::var("COARRAY_CHECK").is_ok_and(|check| check.contains("without="))
}

/// Fails without its line.
pub fn fail_without() {
    sync_all();
    assert!(!is_without(), "cannot do without");
}

fn fails_without() {
    let (end, _) = tried(2, "check_fail_without");
    assert_eq!(end.code, Some(0), "{end:#?}");
    let unknown = part(&end.stderr, "coarun: not known: the program failed");
    assert!(
        unknown.contains("  sync_all  2 times") && unknown.contains("  exit code 101\n"),
        "{end:#?}"
    );
    assert!(!end.stderr.contains("cannot do without"), "{end:#?}");
}

/// Halos, conveyors, phases and collective operations.
pub fn no_lines() {
    let blocks = Blocks::new([12], ImageGrid::new([num_images()]).unwrap()).unwrap();
    let mut field = HaloArray::from_fn(&blocks, [1], |[x]| x).unwrap();
    for _ in 0..3 {
        field.exchange();
    }
    let mut conveyor = Conveyor::<usize>::new();
    let items = (0..2000).map(|item| (item % num_images(), item));
    conveyor.convey(items, |_, _| ());
    let mut x = Coarray::new(this_image());
    let _ = x.open().at(right()).get();
    let mut sum = 1;
    coarray::collectives::co_sum(&mut sum);
}

fn library_lines() {
    let (end, _) = tried(3, "check_no_lines");
    assert_eq!(
        (end.code, &*end.stderr),
        (
            Some(0),
            "coarun: no line of the program synchronises, besides its phases and collective operations\n"
        ),
        "{end:#?}"
    );
}

/// Says in a file that it runs without its line, and stays there.
pub fn stay_without() {
    sync_all();
    if is_without() {
        fs::write(std::env::var("COARRAY_TEST_CASE").unwrap(), "there").unwrap();
        loop {
            sleep(Duration::from_secs(1));
        }
    }
}

fn interrupted() {
    let file = std::env::temp_dir().join(format!("coarray-stays-{}", std::process::id()));
    let mut command = coarun(&["-n2", "--superfluous"], "check_stay_without");
    command.env("COARRAY_TEST_CASE", &file);
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    end_by_signals(&mut command);
    let child = command.spawn().unwrap();
    eventually(|| file.exists());
    signal("INT", child.id());
    let end = end_of(child, Instant::now());
    fs::remove_file(file).unwrap();
    assert_eq!(end.code, Some(130), "{end:#?}");
    assert!(
        end.stderr
            .contains("1 line was not tried, since the job was interrupted."),
        "{end:#?}"
    );
}

/// A ring in which one image forgets to put in one step of a hundred. Prints the lines of the put and the get.
pub fn ring() {
    let mut x = Coarray::new(0);
    let x = x.open();
    for step in 0..100 {
        let put = line!() + 2;
        if (this_image(), step) != (1, 50) {
            x.at(right()).put(step);
        }
        sync_all();
        let _ = x.here().get();
        if step == 0 {
            print_line(put);
            print_line(line!() - 3);
        }
        sync_all();
    }
}

/// What is said of where values came from, and the lines that the program has printed.
fn origins(images: usize, program: &str) -> (End, Vec<String>) {
    let end = run(coarun(
        &["-n", &images.to_string(), "--check=origins"],
        program,
    ));
    let lines = end.stdout.lines().map(str::to_owned).collect();
    (end, lines)
}

fn forgotten_put() {
    let (end, lines) = origins(4, "check_ring");
    let (put, get) = (&lines[0], &lines[1]);
    assert_eq!(end.code, Some(0), "{end:#?}");
    let told: Vec<_> = end.stderr.lines().skip(1).collect();
    let file = "coarray/tests/whole_programs/check.rs";
    let by = format!("put at {file}:{put} by image -1, the left neighbour");
    assert_eq!(
        told,
        [
            format!("get at {file}:{get}, 400 gets"),
            format!("    0.25 %   in 1 get  {by}, 3 releases ago"),
            format!("   99.75 %     in 399  {by}, 1 release ago"),
        ],
        "{end:#?}"
    );
}

/// Two places by turns, of which one is looked at in the wrong turn, once.
pub fn turns() {
    let came = Coarray::new(Coevent::new());
    let read = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]);
    let x = x.open();
    for turn in 0..20 {
        if this_image() == 0 {
            x.at(1)[turn % 2].put_notify(turn, came.at(1));
            read.wait();
        } else {
            came.wait();
            let wrong = usize::from(turn == 7);
            let _ = x.here()[(turn + wrong) % 2].get();
            read.at(0).post();
        }
    }
}

fn notified() {
    let (end, _) = origins(2, "check_turns");
    assert_eq!(end.code, Some(0), "{end:#?}");
    for row in [
        ("   5.00 %   in 1 get  put_notify at ", ", 2 releases ago"),
        ("  95.00 %      in 19  put_notify at ", ", 1 release ago"),
    ] {
        let has =
            |line: &str| line.ends_with(row.1) && line.trim_start().starts_with(row.0.trim_start());
        assert!(end.stderr.lines().any(has), "{row:?}: {end:#?}");
    }
}

/// Neighbouring bytes of several images, in one get.
pub fn neighbours() {
    let mut x = Coarray::new([0_u8; 12]);
    let x = x.open();
    let own = 3 * this_image();
    for byte in own..own + 3 {
        x.at(0)[byte].put(1);
    }
    sync_all();
    if this_image() == 1 {
        assert_eq!(x.at(0).get()[..9], [1; 9]);
    }
}

fn bytes() {
    let (end, _) = origins(3, "check_neighbours");
    assert_eq!(end.code, Some(0), "{end:#?}");
    for by in [
        "the image itself, 1 release ago",
        "image -1, the left neighbour, 1 release ago",
    ] {
        let rows = end.stderr.lines().filter(|line| line.ends_with(by));
        let rows: Vec<_> = rows.collect();
        assert_eq!(rows.len(), 1, "{end:#?}");
        assert!(
            rows[0].starts_with("   25.00 %   in 1 get  put at "),
            "{end:#?}"
        );
    }
    let owner = "   25.00 %   in 1 get  written before the phase, or by its owner\n";
    assert!(end.stderr.contains(owner), "{end:#?}");
}

/// The owner writes between two phases what others put in the first one.
pub fn two_phases() {
    let mut x = Coarray::new(0);
    x.open().at(right()).put(1);
    *x = 2;
    assert_eq!(x.open().at(right()).get(), 2);
}

fn owner() {
    let (end, _) = origins(3, "check_two_phases");
    assert_eq!(end.code, Some(0), "{end:#?}");
    let only = "  100.00 %       in 3  written before the phase, or by its owner\n";
    assert!(end.stderr.ends_with(only), "{end:#?}");
}

fn racing_origins() {
    let mut command = on_threads(2, "check_race");
    command.env("COARRAY_CHECK", "origins");
    let end = run(command);
    assert_eq!(end.code, Some(66), "{end:#?}");
    assert!(
        end.stderr.contains("race on the value of image 1") && end.stderr.contains(", 2 gets\n"),
        "{end:#?}"
    );
}
