//! What is said of a mismatch, as the compiler would say it.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;

use crate::collectives;
use crate::mismatch::{Mismatch, What};
use crate::place::Place;
use crate::program::Program;

/// On a line, or alone on the one above, it says that the line is right.
const ALLOW: &str = "coarray-check: allow";

/// Whether the sources say that this is right.
pub(crate) fn is_allowed(program: &Program, mismatch: &Mismatch) -> bool {
    let places = [
        Some(mismatch.differs.place),
        Some(mismatch.call.place),
        mismatch.call.by,
    ];
    places.into_iter().flatten().any(|place| {
        let above = line(program, place.file, place.line - 1).trim_start();
        line(program, place.file, place.line).contains(ALLOW)
            || above.starts_with("//") && above.contains(ALLOW)
    })
}

/// The text of a line, from 1; of none it is empty.
fn line(program: &Program, file: usize, number: usize) -> &str {
    let mut lines = program.files[file].text.lines();
    number
        .checked_sub(1)
        .and_then(|index| lines.nth(index))
        .unwrap_or("")
}

pub(crate) struct Report<'a> {
    program: &'a Program,
    bold: &'static str,
    red: &'static str,
    yellow: &'static str,
    blue: &'static str,
    plain: &'static str,
}

impl<'a> Report<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        let coloured = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let code = |code| if coloured { code } else { "" };
        Self {
            program,
            bold: code("\x1b[1m"),
            red: code("\x1b[1;31m"),
            yellow: code("\x1b[1;33m"),
            blue: code("\x1b[1;34m"),
            plain: code("\x1b[0m"),
        }
    }

    pub(crate) fn text(&self, mismatch: &Mismatch) -> String {
        let Mismatch {
            differs,
            what,
            call,
            instead,
        } = mismatch;
        let Self {
            bold, red, plain, ..
        } = self;
        if *what == What::Lost {
            return self.lost(&call.name, differs.place);
        }
        let (title, here, help) = match what {
            What::Way => (
                format!("not all images call {} here", call.name),
                "only some images come here".to_owned(),
                "let all images make the call, or decide together: co_any, co_all and co_broadcast give all images the same",
            ),
            What::Lost => unreachable!("it has words of its own"),
            What::Argument(name) => (
                format!("images call {} with different values of {name}", call.name),
                format!("all images must give the same {name}"),
                "use a value that is the same on all images: co_max and co_broadcast give one",
            ),
        };
        let mut text = format!("{red}error{plain}{bold}: {title}{plain}\n");
        let mut marks = vec![
            Mark {
                place: call.by.unwrap_or(call.place),
                sign: '^',
                says: match call.by {
                    Some(_) => format!("only some images come here, and to {}", call.name),
                    None => here,
                },
            },
            Mark {
                place: differs.place,
                sign: '-',
                says: "this differs among images".to_owned(),
            },
        ];
        if differs.seed.line != differs.place.line || differs.seed.file != differs.place.file {
            marks.push(Mark {
                place: differs.seed,
                sign: '-',
                says: "since it depends on this".to_owned(),
            });
        }
        if call.by.is_some() {
            marks.push(Mark {
                place: call.place,
                sign: '-',
                says: format!("the call of {}", call.name),
            });
        }
        if let Some(instead) = instead {
            marks.push(Mark {
                place: instead.by.unwrap_or(instead.place),
                sign: '-',
                says: format!("the others call {} instead", instead.name),
            });
        }
        self.snippets(&mut text, marks);
        let _ = writeln!(
            text,
            "   {blue}={plain} {bold}help{plain}: {help}",
            blue = self.blue
        );
        text
    }

    /// That the result of an operation is put into something that is gone at once.
    fn lost(&self, name: &str, place: Place) -> String {
        let Self {
            bold,
            yellow,
            blue,
            plain,
            ..
        } = self;
        let mut text =
            format!("{yellow}warning{plain}{bold}: the result of {name} is lost{plain}\n");
        let mark = Mark {
            place,
            sign: '^',
            says: "this is gone when the call is over".to_owned(),
        };
        self.snippets(&mut text, vec![mark]);
        let of = collectives::returning(name)
            .map(|of| format!(", or take what {of} returns"))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "   {blue}={plain} {bold}help{plain}: keep the value in a variable{of}"
        );
        text
    }

    fn path(&self, file: usize) -> String {
        let path = &self.program.files[file].path;
        let here = std::env::current_dir().unwrap_or_default();
        path.strip_prefix(here)
            .unwrap_or(path as &Path)
            .display()
            .to_string()
    }

    /// The lines with the marks, file by file; that of the first mark is first.
    fn snippets(&self, text: &mut String, marks: Vec<Mark>) {
        let Self { blue, plain, .. } = self;
        let width = marks
            .iter()
            .map(|mark| mark.place.line.to_string().len())
            .max()
            .unwrap_or(1);
        let first = marks[0].place;
        let mut files: Vec<usize> = Vec::new();
        marks.iter().map(|mark| mark.place.file).for_each(|file| {
            if !files.contains(&file) {
                files.push(file);
            }
        });
        for file in files {
            let mut marks: Vec<&Mark> = marks
                .iter()
                .filter(|mark| mark.place.file == file)
                .collect();
            let at = if file == first.file {
                first
            } else {
                marks[0].place
            };
            let arrow = if file == first.file { "-->" } else { ":::" };
            let _ = writeln!(
                text,
                "{:width$}{blue}{arrow}{plain} {}:{}:{}",
                "",
                self.path(file),
                at.line,
                at.column
            );
            let _ = writeln!(text, "{:width$} {blue}|{plain}", "");
            marks.sort_by_key(|mark| (mark.place.line, mark.place.column));
            let mut before: Option<usize> = None;
            for mark in marks {
                if before != Some(mark.place.line) {
                    if before.is_some_and(|before| mark.place.line > before + 1) {
                        let _ = writeln!(text, "...");
                    }
                    let source = line(self.program, file, mark.place.line).replace('\t', " ");
                    let _ = writeln!(text, "{blue}{:width$} |{plain} {source}", mark.place.line);
                }
                before = Some(mark.place.line);
                let colour = if mark.sign == '^' {
                    self.red
                } else {
                    self.blue
                };
                let signs = mark.sign.to_string().repeat(self.length(mark.place));
                let indent = mark.place.column;
                let _ = writeln!(
                    text,
                    "{:width$} {blue}|{plain}{:indent$}{colour}{signs} {}{plain}",
                    "", "", mark.says
                );
            }
        }
        let _ = writeln!(text, "{:width$} {blue}|{plain}", "");
    }

    /// Of the name there, or of one sign.
    fn length(&self, place: Place) -> usize {
        let source = line(self.program, place.file, place.line);
        let name = source
            .chars()
            .skip(place.column - 1)
            .take_while(|letter| letter.is_alphanumeric() || *letter == '_');
        name.count().max(1)
    }
}

struct Mark {
    place: Place,
    sign: char,
    says: String,
}
