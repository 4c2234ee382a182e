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
    /// Add to this timeline what images of a job that was killed have left.
    RecoverTrace(PathBuf),
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
    superfluous: bool,
    label: bool,
    keep_going: bool,
}

impl Run {
    /// Whether it runs once for where images wait, and once for what they move.
    pub(crate) fn runs_twice(&self) -> bool {
        self.profile == Some(ProfileRuns::Both)
    }

    /// Whether it runs once for each line that synchronises.
    pub(crate) fn tries_each_line(&self) -> bool {
        self.superfluous
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
        let check = self.check.clone().or(settings.check);
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
            check: check.or(self.superfluous.then(Check::default)),
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
            "--recover-trace" => return value.path().map(Request::RecoverTrace),
            "--check" => run.check = Some(value.attached_or(Check::default())?),
            "--superfluous" => run.superfluous = value.none()?,
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
mod tests;
