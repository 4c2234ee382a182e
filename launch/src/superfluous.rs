//! Which lines of a program need not synchronise, on the input that it is run on: it runs once for each, without the order of that line.

mod table;

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::command_line::Run;
use crate::profile::Waited;
use crate::runs::{Ended, Left, Runs};
use crate::superfluous::table::{Found, Tried, table};
use crate::terminal::terminal_size;
use coarray_runtime::{Check, CheckRecord, OrderingLine, Profile, ProfileFiles, RACED, Settings};

/// Runs the program of `run` under the check, and then without the order of each line that was seen to synchronise. The first run is the job: its
/// output is shown, and its exit code returned.
///
/// # Errors
/// If a run cannot be started.
pub(crate) fn try_each_line(run: &Run, settings: &Settings) -> io::Result<ExitCode> {
    let runs = Runs::of(run)?;
    let left = Left::create("check")?;
    let check = Check {
        record: Some(left.path().into()),
        ..settings.check.clone().unwrap_or_default()
    };
    let first = runs.first(&Settings {
        check: Some(check.clone()),
        ..settings.clone()
    })?;
    let code = ExitCode::from(first.code);
    let record = CheckRecord::decode(&left.read());
    let lines = match (first, record) {
        (first, _) if first.is_interrupted => return Ok(code),
        (Ended { code: RACED, .. }, _) => {
            eprintln!(
                "coarun: the program races as it is, so no line is tried: first free it of races"
            );
            return Ok(code);
        }
        (Ended { code: 0, .. }, Some(record)) if !record.lines.is_empty() => record.lines,
        (Ended { code: 0, .. }, Some(_)) => {
            eprintln!(
                "coarun: no line of the program synchronises, besides its phases and collective operations"
            );
            return Ok(code);
        }
        (Ended { code: 0, .. }, None) => {
            eprintln!(
                "coarun: the program has left no record, so no line is tried: it has to use this version of coarray"
            );
            return Ok(code);
        }
        (Ended { code: failed, .. }, _) => {
            eprintln!("coarun: the program failed with exit code {failed}, so no line is tried");
            return Ok(code);
        }
    };
    let settings = Settings {
        profile: Profile::Off,
        profile_files: ProfileFiles::default(),
        trace: None,
        ..settings.clone()
    };
    let check = Check {
        stops: true,
        origins: false,
        ..check
    };
    let mut trials = Trials {
        runs,
        left,
        settings,
        check,
        lines: lines.len(),
        end: None,
    };
    let tried = trials.each(&lines)?;
    let superfluous = tried.iter().filter(|tried| tried.found == Found::NoRace);
    let superfluous: Vec<_> = superfluous.map(|tried| &tried.line).collect();
    let together = match superfluous.len() {
        0 | 1 => None,
        _ => trials.without("a run without all that are superfluous", &superfluous)?,
    };
    let waited = trials.waited()?;
    show_progress("");
    eprint!(
        "{}",
        table(&tried, lines.len(), together.as_ref(), waited.as_ref())
    );
    Ok(trials.end.map_or(code, ExitCode::from))
}

/// Runs after the first one.
struct Trials<'a> {
    runs: Runs<'a>,
    left: Left,
    settings: Settings,
    check: Check,
    /// How many lines there are to try.
    lines: usize,
    /// The exit code, after somebody has asked for an end.
    end: Option<u8>,
}

impl Trials<'_> {
    /// What happens without each of these lines; of those that it comes to before somebody asks for an end.
    fn each(&mut self, lines: &[OrderingLine]) -> io::Result<Vec<Tried>> {
        let mut tried = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let OrderingLine { file, number, .. } = line;
            let what = format!(
                "run {} of {}, without {file}:{number}",
                index + 1,
                self.lines
            );
            if let Some(found) = self.without(&what, &[line])? {
                let line = line.clone();
                tried.push(Tried { line, found });
            }
        }
        Ok(tried)
    }

    /// What happens if these lines order nothing. None if there is no time for it.
    fn without(&mut self, what: &str, lines: &[&OrderingLine]) -> io::Result<Option<Found>> {
        let mut check = self.check.clone();
        let lines = lines.iter().map(|line| (line.file.clone(), line.number));
        check.without.extend(lines);
        let settings = Settings {
            check: Some(check),
            ..self.settings.clone()
        };
        let Some(code) = self.run(what, &settings)? else {
            return Ok(None);
        };
        let record = CheckRecord::decode(&self.left.read());
        Ok(Some(match (record.and_then(|record| record.race), code) {
            (Some(race), _) => Found::Race(race),
            (None, 0) => Found::NoRace,
            (None, code) => Found::Failed(code),
        }))
    }

    /// How long images wait at each line in a run that is not checked.
    fn waited(&mut self) -> io::Result<Option<Waited>> {
        let settings = Settings {
            check: None,
            profile: Profile::Waits,
            profile_files: ProfileFiles {
                record: Some(self.left.path().into()),
                ..ProfileFiles::default()
            },
            ..self.settings.clone()
        };
        let code = self.run("a run without the check, for the time", &settings)?;
        let is_complete = code == Some(0);
        Ok(is_complete
            .then(|| Waited::decode(&self.left.read()))
            .flatten())
    }

    /// The exit code of one more run. None if somebody has asked for an end.
    fn run(&mut self, what: &str, settings: &Settings) -> io::Result<Option<u8>> {
        if self.end.is_some() {
            return Ok(None);
        }
        show_progress(what);
        // A run that dies leaves nothing, and not what the one before it has left.
        fs::write(self.left.path(), "")?;
        let Ended {
            code,
            is_interrupted,
        } = self.runs.again(settings)?;
        self.end = is_interrupted.then_some(code);
        Ok((!is_interrupted).then_some(code))
    }
}

/// Shows on a terminal what is being done, in place of what was shown before; nothing if that is empty.
fn show_progress(what: &str) {
    if let Some((columns, _)) = terminal_size() {
        let mark = if what.is_empty() { "" } else { "coarun: " };
        // A second row would stay.
        let room = usize::from(columns).saturating_sub(1);
        let text: String = mark.chars().chain(what.chars()).take(room).collect();
        // Without a stderr there is nobody to tell.
        let _ = write!(io::stderr(), "\r\x1b[K{text}");
    }
}
