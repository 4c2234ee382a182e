//! What the race check reports, taken apart.

/// A pair of accesses that was reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Where in the coarray: the element, such as `[3][4]`; empty for a coarray of one value.
    pub element: String,
    /// Where the coarray was created.
    pub created: Location,
    /// The two accesses.
    pub accesses: [Access; 2],
}

/// One access of a [`Pair`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// By which image.
    pub image: String,
    /// What it was, such as `put`.
    pub kind: String,
    /// Where it is.
    pub at: Location,
}

/// A line of a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file, as the compiler names it.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// The pairs in the text of a failure; `None` in it for each that cannot be read.
#[must_use]
pub fn pairs(text: &str) -> Vec<Option<Pair>> {
    let lines: Vec<&str> = text.lines().collect();
    (0..lines.len())
        .filter(|&line| lines[line].contains(" race on "))
        .map(|line| pair(lines[line], lines.get(line + 1)?, lines.get(line + 2)?))
        .collect()
}

fn pair(what: &str, one: &str, other: &str) -> Option<Pair> {
    let (_, place) = what.split_once(" race on ")?;
    let (element, rest) = place.split_once("image ")?;
    let element = element.trim().trim_end_matches("of").trim().to_string();
    let (_, created) = rest.rsplit_once(" created at ")?;
    Some(Pair {
        element,
        created: location(created)?,
        accesses: [access(one)?, access(other)?],
    })
}

fn access(line: &str) -> Option<Access> {
    let (image, rest) = line.trim().strip_prefix("image ")?.split_once(": ")?;
    let (what, at) = rest.split_once(" at ")?;
    let (kind, bytes) = what.split_once(" of ")?;
    let number = bytes.strip_suffix(" bytes").or(bytes.strip_suffix(" byte"));
    number?.parse::<usize>().ok()?;
    Some(Access {
        image: image.to_string(),
        kind: kind.to_string(),
        at: location(at)?,
    })
}

fn location(text: &str) -> Option<Location> {
    let word = text.split([' ', ',', ';']).next()?;
    let mut parts = word.split(':');
    Some(Location {
        file: parts.next()?.to_string(),
        line: parts.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
images 1 and 0 race on [3][4] of image 2 in the coarray of [[i32; 20]; 10] created at src/main.rs:9
  image 1: put of 4 bytes at src/main.rs:14
  image 0: get of 4 bytes at src/main.rs:18
nothing orders them: the images went through nothing together since src/main.rs:10
";

    #[test]
    fn a_report_has_its_lines_images_and_element() {
        let found = pairs(TEXT);
        let [Some(pair)] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((&pair.element[..], pair.created.line), ("[3][4]", 9));
        let [one, other] = &pair.accesses;
        assert_eq!(
            (&one.image[..], &one.kind[..], one.at.line),
            ("1", "put", 14)
        );
        assert_eq!((&other.image[..], &other.at.file[..]), ("0", "src/main.rs"));
    }

    #[test]
    fn what_cannot_be_read_is_not_passed_over() {
        assert_eq!(pairs(&TEXT.replace("put of 4", "put of some")), [None]);
        assert_eq!(pairs("images 1 and 0 race on something"), [None]);
        assert_eq!(pairs("image 1 panicked at src/main.rs:9"), []);
    }
}
