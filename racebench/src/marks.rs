//! The marks in the sources of cases, which say what races.
//!
//! `//~ race: put` at the end of a line says that this line has one access of the pair `race`, a put; another line has the other. If one
//! line alone has the mark, two images race there. Several marks of a line have commas between them. `race?: get` is a pair
//! that may be reported, and need not be: a flag that is polled too early, say. In functions that cases call, `case.race: put`
//! names the case. `//~ place: [3]` says which element of the coarray created in this line the images race on.

/// Two accesses that race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Its name in the source.
    pub name: String,
    /// Whether every report has it.
    pub must: bool,
    /// The accesses, which are at the same line if there is only one.
    pub accesses: Vec<Access>,
    /// Where in the coarray, as reports name it, and in which line that was created; if the source says so.
    pub place: Option<(String, u32)>,
}

/// One access of a [`Mark`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Access {
    /// The line in the file of the case.
    pub line: u32,
    /// What it does, as reports name it.
    pub kind: String,
}

/// The name under which the place of a race is marked.
const PLACE: &str = "place";

/// The marks of a case in the source of its file.
///
/// # Panics
/// If a mark cannot be read, or more than two accesses are marked as one pair.
#[must_use]
pub fn of(case: &str, source: &str) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    let mut place = None;
    let mut function = "";
    for (number, line) in (1..).zip(source.lines()) {
        if let Some(begun) = function_that_begins(line) {
            function = begun;
        }
        let Some((_, text)) = line.split_once("//~ ") else {
            continue;
        };
        for mark in text.split(", ") {
            let (name, kind) = mark
                .split_once(": ")
                .unwrap_or_else(|| panic!("line {number}: `{mark}` is not `name: access`"));
            let (of, name) = name.split_once('.').unwrap_or((function, name));
            if of != case {
                continue;
            }
            if name == PLACE {
                place = Some((kind.to_string(), number));
                continue;
            }
            let access = Access {
                line: number,
                kind: kind.to_string(),
            };
            let (name, must) = match name.strip_suffix('?') {
                Some(name) => (name, false),
                None => (name, true),
            };
            match marks.iter_mut().find(|mark| mark.name == name) {
                Some(mark) => {
                    mark.accesses.push(access);
                    mark.must &= must;
                    assert!(mark.accesses.len() == 2, "line {number}: a third {name}");
                }
                None => marks.push(Mark {
                    name: name.to_string(),
                    must,
                    accesses: vec![access],
                    place: None,
                }),
            }
        }
    }
    for mark in &mut marks {
        mark.place.clone_from(&place);
    }
    marks
}

/// The name of the function whose first line this is.
fn function_that_begins(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub(super) ").unwrap_or(line);
    let (name, _) = line.strip_prefix("fn ")?.split_once(['(', '<'])?;
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
fn one() {
    let x = 1; //~ place: [3]
    x.put(1); //~ race: put, late?: put
    x.get(); //~ race: get
}
fn other() {
    helper(x);
    x.get() //~ race: get
}
fn helper<T>(x: T) {
    x.put(2); //~ other.race: put
    x.fill(1); //~ one.late?: fill
}
";

    fn access(line: u32, kind: &str) -> Access {
        Access {
            line,
            kind: kind.to_string(),
        }
    }

    #[test]
    fn marks_are_those_of_the_function_and_of_helpers_that_name_it() {
        let marks = of("one", SOURCE);
        assert_eq!(marks.len(), 2);
        assert!(marks[0].must && !marks[1].must);
        assert_eq!(marks[0].accesses, [access(3, "put"), access(4, "get")]);
        assert_eq!(marks[1].accesses, [access(3, "put"), access(12, "fill")]);
        assert_eq!(marks[0].place, Some(("[3]".to_string(), 2)));
        let other = of("other", SOURCE);
        assert_eq!(other[0].accesses, [access(8, "get"), access(11, "put")]);
        assert_eq!(other[0].place, None);
        assert_eq!(of("neither", SOURCE), []);
    }

    #[test]
    #[should_panic(expected = "line 2: `race` is not `name: access`")]
    fn a_mark_without_its_access_is_refused() {
        let _ = of("one", "fn one() {\n    x.put(1); //~ race\n}\n");
    }
}
