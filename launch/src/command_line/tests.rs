use std::path::Path;

use super::*;

fn parsed(line: &str) -> Result<Request, UsageError> {
    parse(line.split_whitespace().map(OsString::from))
}

fn run(line: &str) -> Run {
    match parsed(line) {
        Ok(Request::Run(run)) => *run,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn values_stand_apart_or_attached() {
    let expected = Run {
        program: "prog".into(),
        images: Some(ImageCount(4)),
        ..Run::default()
    };
    for line in [
        "-n 4 prog",
        "-n4 prog",
        "--images 4 prog",
        "--images=4 prog",
        "-n4 -- prog",
    ] {
        assert_eq!(run(line), expected, "{line}");
    }
    let run = run("--heap=2G --fabric threads --bind core --wait=sleep --label --keep-going prog");
    assert_eq!(run.heap, Some(Bytes(2 << 30)));
    assert_eq!(run.fabric, Some(FabricKind::Threads));
    assert_eq!(run.bind, Some(Bind::Core));
    assert_eq!(run.wait, Some(Wait::Sleep));
    assert!(run.label && run.keep_going);
}

#[test]
fn a_value_that_is_not_needed_is_only_attached() {
    for (line, profile) in [
        ("prog", None),
        ("--profile prog", Some(ProfileRuns::One(Profile::Waits))),
        (
            "--profile=waits prog",
            Some(ProfileRuns::One(Profile::Waits)),
        ),
        ("--profile=puts prog", Some(ProfileRuns::One(Profile::Puts))),
        ("--profile=both prog", Some(ProfileRuns::Both)),
        ("--profile=off prog", Some(ProfileRuns::One(Profile::Off))),
    ] {
        let run = run(line);
        assert_eq!(
            (run.profile, run.program),
            (profile, "prog".into()),
            "{line}"
        );
    }
}

#[test]
fn who_wants_a_file_wants_something_in_it() {
    for (line, profile) in [
        ("--profile-json a.json prog", Profile::Waits),
        ("--profile-html=b.html --profile=puts prog", Profile::Puts),
        ("--profile-svg c --profile=off prog", Profile::Off),
        ("--profile=both prog", Profile::Waits),
    ] {
        assert_eq!(run(line).settings().unwrap().profile, profile, "{line}");
    }
    let files = run("--profile-json a --profile-html b --profile-svg=c prog").profile_files;
    let paths = files.named().map(|(_, path)| path.map(Path::to_owned));
    assert_eq!(
        paths,
        [Some("a".into()), Some("b".into()), Some("c".into()), None]
    );
}

#[test]
fn what_follows_the_program_is_its_own() {
    assert_eq!(
        run("prog -n 3 --help -- x").arguments,
        ["-n", "3", "--help", "--", "x"]
    );
    assert_eq!(run("-- --odd -V").program, PathBuf::from("--odd"));
    assert_eq!(run("-").program, PathBuf::from("-"));
}

#[test]
fn options_come_before_the_environment() {
    let line = "-n 3 --heap 5M --bind core --wait spin --trace a.pftrace --label --keep-going prog";
    let settings = run(line).settings().unwrap();
    assert_eq!(settings.trace, Some("a.pftrace".into()));
    assert_eq!((settings.images, settings.heap), (3, 5 << 20));
    assert_eq!((settings.bind, settings.label), (Bind::Core, true));
    assert_eq!(settings.wait, Wait::Spin);
    assert!(settings.keep_going);
}

#[test]
fn what_runs_nothing_needs_no_program() {
    assert_eq!(parsed("-n 3 -h"), Ok(Request::Help));
    assert_eq!(parsed("--version"), Ok(Request::Version));
    let recover = Request::RecoverTrace("a.pftrace".into());
    assert_eq!(parsed("--recover-trace a.pftrace"), Ok(recover));
}

#[test]
fn errors_name_what_is_wrong() {
    for (line, message) in [
        ("", "which program?"),
        ("-n 4", "which program?"),
        ("--", "which program?"),
        ("-n", "-n needs a value"),
        ("--trace", "--trace needs a value"),
        ("--frobnicate prog", "unknown option --frobnicate"),
        (
            "-np 4 prog",
            "unknown option -np: the number of images is -n N",
        ),
        ("-x prog", "unknown option -x"),
        ("-\u{e9}x prog", "unknown option -\u{e9}"),
        ("--label=yes prog", "--label takes no value"),
        ("--keep-going=1 prog", "--keep-going takes no value"),
        (
            "--bind socket prog",
            "--bind socket: expected `none` or `core`",
        ),
        (
            "--wait forever prog",
            "--wait forever: expected `adaptive`, `spin` or `sleep`",
        ),
        (
            "--profile=all prog",
            "--profile all: expected `waits`, `puts`, `both` for a run of each, or `off` for no report",
        ),
    ] {
        assert_eq!(parsed(line).unwrap_err().to_string(), message, "{line}");
    }
}
