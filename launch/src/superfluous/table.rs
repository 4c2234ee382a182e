//! What is said of lines that were tried.

use std::fmt::Write;

use crate::profile::Waited;
use coarray_runtime::OrderingLine;

/// What is true of all that is said.
const CAVEATS: &str = "\
This is so on this input, with this number of images, and for the order of accesses to coarrays. What else depends
on a line, such as files, output and measured times, is not known: in these runs it did all that it does, and only
what it orders was ignored. Posts and waits are judged line by line; others may wait for a post that orders nothing.
";

/// A line that was tried.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    pub(super) line: OrderingLine,
    pub(super) found: Found,
}

/// What has happened without some lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    NoRace,
    /// These accesses raced.
    Race(String),
    /// The program ended with this exit code.
    Failed(u8),
}

/// What to say at the end, in whole lines, of those that were tried of so many `lines`; what happens without all that are superfluous, together; and how
/// long images waited, if that is known.
pub(super) fn table(
    tried: &[Tried],
    lines: usize,
    together: Option<&Found>,
    waited: Option<&Waited>,
) -> String {
    let mut table = Table::of(tried, waited);
    let is = |wanted: fn(&Found) -> bool| move |tried: &&Tried| wanted(&tried.found);
    let superfluous = tried.iter().filter(is(|found| *found == Found::NoRace));
    let needed = tried
        .iter()
        .filter(is(|found| matches!(found, Found::Race(_))));
    let unknown = tried
        .iter()
        .filter(is(|found| matches!(found, Found::Failed(_))));
    table.add("superfluous on this input: no race without it", superfluous);
    match together {
        None => {}
        Some(Found::NoRace) => table.say("Nor is there a race without all of these together."),
        Some(Found::Race(race)) => table.say(&format!(
            "But not all of these at once: without them together there is a race, of {race}."
        )),
        Some(Found::Failed(code)) => table.say(&format!(
            "Without all of these together the program failed with exit code {code}."
        )),
    }
    table.add("needed: without it these race", needed);
    table.add("not known: the program failed", unknown);
    let left = lines - tried.len();
    if left > 0 {
        let lines = if left == 1 { "line was" } else { "lines were" };
        table.say(&format!(
            "{left} {lines} not tried, since the job was interrupted."
        ));
    }
    table.text + CAVEATS
}

struct Table<'a> {
    text: String,
    waited: Option<&'a Waited>,
    /// Of places, what is called, and how often.
    widths: [usize; 3],
}

impl<'a> Table<'a> {
    fn of(tried: &[Tried], waited: Option<&'a Waited>) -> Self {
        let mut widths = [0; 3];
        for Tried { line, .. } in tried {
            for (width, text) in widths.iter_mut().zip(texts(line)) {
                *width = text.chars().count().max(*width);
            }
        }
        Self {
            text: String::new(),
            waited,
            widths,
        }
    }

    fn say(&mut self, text: &str) {
        let _ = writeln!(self.text, "  {text}");
    }

    /// Lines under a title, if there are any.
    fn add<'t>(&mut self, title: &str, all: impl Iterator<Item = &'t Tried>) {
        for (index, Tried { line, found }) in all.enumerate() {
            if index == 0 {
                let _ = writeln!(self.text, "coarun: {title}");
            }
            let ([place, calls, count], [first, second, third]) = (texts(line), self.widths);
            let _ = write!(
                self.text,
                "  {place:first$}  {calls:second$}  {count:>third$}"
            );
            if let Some(waited) = self.waited {
                // Where nothing is known of it, as of posts, it is not worth a word.
                let time = waited.at(&line.file, line.number);
                let time = time.map(|time| format!("waited {time:>7} each"));
                let _ = write!(self.text, "  {:19}", time.unwrap_or_default());
            }
            if let Found::Failed(code) = found {
                let _ = write!(self.text, "  exit code {code}");
            }
            self.text.truncate(self.text.trim_end().len());
            self.text.push('\n');
            if let Found::Race(race) = found {
                let _ = writeln!(self.text, "    {race}");
            }
        }
    }
}

fn texts(line: &OrderingLine) -> [String; 3] {
    let OrderingLine {
        file,
        number,
        calls,
        count,
    } = line;
    let times = match count {
        1 => "once".into(),
        _ => format!("{count} times"),
    };
    [format!("{file}:{number}"), calls.clone(), times]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(number: u32, calls: &str, found: Found) -> Tried {
        let line = OrderingLine {
            file: "src/main.rs".into(),
            number,
            calls: calls.into(),
            count: u64::from(number) - 8,
        };
        Tried { line, found }
    }

    #[test]
    fn lines_are_told_by_what_was_found_without_them() {
        let all = [
            tried(9, "sync_all", Found::NoRace),
            tried(
                14,
                "post",
                Found::Race("put at a.rs:1 and get at a.rs:2".into()),
            ),
            tried(108, "wait", Found::NoRace),
            tried(200, "fence", Found::Failed(3)),
        ];
        let text = table(&all, 5, Some(&Found::NoRace), None);
        let expected = "\
coarun: superfluous on this input: no race without it
  src/main.rs:9    sync_all       once
  src/main.rs:108  wait      100 times
  Nor is there a race without all of these together.
coarun: needed: without it these race
  src/main.rs:14   post        6 times
    put at a.rs:1 and get at a.rs:2
coarun: not known: the program failed
  src/main.rs:200  fence     192 times  exit code 3
  1 line was not tried, since the job was interrupted.
";
        assert_eq!(text, format!("{expected}{CAVEATS}"));
    }
}
