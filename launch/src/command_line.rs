//! What the command line of `coarun` asks for.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::str::FromStr;

use coarray_fabric::system::display_size::Bytes;
use coarray_runtime::{
    Bind, Check, FabricKind, ImageCount, Profile, ProfileFiles, SettingError, Settings, Wait,
};

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Help,
    Version,
    Run(Box<Run>),
}

/// A program to run, and what the options say about how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    images: Option<ImageCount>,
    heap: Option<Bytes>,
    fabric: Option<FabricKind>,
    bind: Option<Bind>,
    wait: Option<Wait>,
    profile: Option<ProfileRuns>,
    profile_files: ProfileFiles,
    trace: Option<PathBuf>,
    check: Option<Check>,
    label: bool,
    keep_going: bool,
}

impl Run {
    /// Whether it runs once for where images wait, and once for what they move.
    pub(crate) fn runs_twice(&self) -> bool {
        self.profile == Some(ProfileRuns::Both)
    }

    /// Whether its options say what the fabric is.
    pub(crate) fn names_fabric(&self) -> bool {
        self.fabric.is_some()
    }

    /// The settings: those of the environment, where the options do not say otherwise.
    pub(crate) fn settings(&self) -> Result<Settings, SettingError> {
        let settings = match self.images {
            Some(ImageCount(images)) => Settings::with_images(images)?,
            None => Settings::from_environment()?,
        };
        let of_options = self.profile_files.clone();
        let profile = match (self.profile, of_options.profile()) {
            (Some(ProfileRuns::One(profile)), _) => profile,
            (Some(ProfileRuns::Both), _) => Profile::Waits,
            (None, Profile::Off) => settings.profile,
            (None, profile) => profile,
        };
        let files = settings.profile_files;
        Ok(Settings {
            heap: self.heap.map_or(settings.heap, |Bytes(heap)| heap),
            fabric: self.fabric.unwrap_or(settings.fabric),
            bind: self.bind.unwrap_or(settings.bind),
            wait: self.wait.unwrap_or(settings.wait),
            profile,
            profile_files: ProfileFiles {
                json: of_options.json.or(files.json),
                html: of_options.html.or(files.html),
                svg: of_options.svg.or(files.svg),
                record: files.record,
            },
            trace: self.trace.clone().or(settings.trace),
            check: self.check.clone().or(settings.check),
            label: self.label || settings.label,
            keep_going: self.keep_going || settings.keep_going,
            ..settings
        })
    }
}

/// Whether the program runs twice, so that times are those of a run in which nothing is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProfileRuns {
    One(Profile),
    Both,
}

impl FromStr for ProfileRuns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "both" => Ok(Self::Both),
            _ => text.parse().map(Self::One).map_err(|_| {
                "expected `waits`, `puts`, `both` for a run of each, or `off` for no report".into()
            }),
        }
    }
}

/// A command line that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UsageError {
    NoProgram,
    UnknownOption(String),
    /// Whoever comes from MPI writes this one.
    NumberOfProcesses,
    NoValue(String),
    NeedlessValue(String),
    WrongValue {
        option: String,
        value: String,
        expected: String,
    },
}

impl std::fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoProgram => formatter.write_str("which program?"),
            Self::UnknownOption(what) => write!(formatter, "unknown option {what}"),
            Self::NumberOfProcesses => {
                formatter.write_str("unknown option -np: the number of images is -n N")
            }
            Self::NoValue(what) => write!(formatter, "{what} needs a value"),
            Self::NeedlessValue(what) => write!(formatter, "{what} takes no value"),
            Self::WrongValue {
                option,
                value,
                expected,
            } => write!(formatter, "{option} {value}: {expected}"),
        }
    }
}

impl std::error::Error for UsageError {}

/// Understands the arguments that follow the name of the command.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, UsageError> {
    let mut arguments = arguments.into_iter();
    let mut run = Run::default();
    loop {
        let argument = arguments.next().ok_or(UsageError::NoProgram)?;
        let Some((name, attached)) = option(&argument) else {
            run.program = argument.into();
            break;
        };
        let mut value = Value {
            option: &name,
            attached,
            rest: &mut arguments,
        };
        match name.as_str() {
            "--" => {
                run.program = arguments.next().ok_or(UsageError::NoProgram)?.into();
                break;
            }
            "-n" if value.attached.as_deref() == Some("p") => {
                return Err(UsageError::NumberOfProcesses);
            }
            "-n" | "--images" => run.images = Some(value.take()?),
            "--heap" => run.heap = Some(value.take()?),
            "--fabric" => run.fabric = Some(value.take()?),
            "--bind" => run.bind = Some(value.take()?),
            "--wait" => run.wait = Some(value.take()?),
            "--profile" => run.profile = Some(value.attached_or(ProfileRuns::One(Profile::Waits))?),
            "--profile-json" => run.profile_files.json = Some(value.path()?),
            "--profile-html" => run.profile_files.html = Some(value.path()?),
            "--profile-svg" => run.profile_files.svg = Some(value.path()?),
            "--trace" => run.trace = Some(value.path()?),
            "--check" => run.check = Some(value.attached_or(Check::default())?),
            "--label" => run.label = value.none()?,
            "--keep-going" => run.keep_going = value.none()?,
            "-h" | "--help" => return value.none().map(|_| Request::Help),
            "-V" | "--version" => return value.none().map(|_| Request::Version),
            _ => return Err(UsageError::UnknownOption(name)),
        }
    }
    run.arguments = arguments.collect();
    Ok(Request::Run(Box::new(run)))
}

/// The name of an option and the value attached to it, as in `--heap=4G` and `-n4`; `None` for
/// anything else.
fn option(argument: &OsStr) -> Option<(String, Option<String>)> {
    let bytes = argument.as_bytes();
    let text = argument.to_string_lossy();
    if bytes.starts_with(b"--") {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (&*text, None),
        };
        Some((name.to_owned(), value.map(str::to_owned)))
    } else if bytes.starts_with(b"-") && bytes.len() > 1 {
        let second = text.chars().nth(1).map_or(0, char::len_utf8);
        let (name, value) = text.split_at(1 + second);
        Some((
            name.to_owned(),
            (!value.is_empty()).then(|| value.to_owned()),
        ))
    } else {
        None
    }
}

/// The value an option has, or may find in the next argument.
struct Value<'a, Rest> {
    option: &'a str,
    attached: Option<String>,
    rest: &'a mut Rest,
}

impl<Rest: Iterator<Item = OsString>> Value<'_, Rest> {
    fn take<T: FromStr<Err = String>>(&mut self) -> Result<T, UsageError> {
        let value = self.text()?.to_string_lossy().into_owned();
        understand(self.option.to_owned(), value)
    }

    fn text(&mut self) -> Result<OsString, UsageError> {
        let attached = self.attached.take().map(OsString::from);
        let no_value = || UsageError::NoValue(self.option.to_owned());
        attached.or_else(|| self.rest.next()).ok_or_else(no_value)
    }

    fn path(&mut self) -> Result<PathBuf, UsageError> {
        self.text().map(PathBuf::from)
    }

    /// The value that is attached, or else this one.
    fn attached_or<T: FromStr<Err = String>>(&mut self, default: T) -> Result<T, UsageError> {
        match self.attached.take() {
            Some(value) => understand(self.option.to_owned(), value),
            None => Ok(default),
        }
    }

    /// `true`: the option is given, and nothing more.
    fn none(&self) -> Result<bool, UsageError> {
        match self.attached {
            Some(_) => Err(UsageError::NeedlessValue(self.option.to_owned())),
            None => Ok(true),
        }
    }
}

fn understand<T: FromStr<Err = String>>(option: String, value: String) -> Result<T, UsageError> {
    value.parse().map_err(|expected| UsageError::WrongValue {
        option,
        value,
        expected,
    })
}

#[cfg(test)]
mod tests {
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
        let run =
            run("--heap=2G --fabric threads --bind core --wait=sleep --label --keep-going prog");
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
        let line =
            "-n 3 --heap 5M --bind core --wait spin --trace a.pftrace --label --keep-going prog";
        let settings = run(line).settings().unwrap();
        assert_eq!(settings.trace, Some("a.pftrace".into()));
        assert_eq!((settings.images, settings.heap), (3, 5 << 20));
        assert_eq!((settings.bind, settings.label), (Bind::Core, true));
        assert_eq!(settings.wait, Wait::Spin);
        assert!(settings.keep_going);
    }

    #[test]
    fn help_and_version_need_no_program() {
        assert_eq!(parsed("-n 3 -h"), Ok(Request::Help));
        assert_eq!(parsed("--version"), Ok(Request::Version));
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
}
