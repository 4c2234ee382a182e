//! The text of a tuning table: the part of TOML that it needs, `name = [[1, 2, "three"], ...]`.

use std::iter::Peekable;
use std::str::CharIndices;

/// The rules of one kind of operation: images, bytes, and a name.
pub type Entries = Vec<(u64, u64, String)>;

/// The names in a table, each with its rules.
///
/// # Errors
/// What is wrong, and in which line.
pub fn read(text: &str) -> Result<Vec<(String, Entries)>, String> {
    let mut reader = Reader {
        text,
        rest: text.char_indices().peekable(),
    };
    let mut tables: Vec<(String, Entries)> = Vec::new();
    while reader.skip_blank().is_some() {
        let line = reader.line();
        let name = reader.word("a name")?.to_owned();
        if tables.iter().any(|(other, _)| *other == name) {
            return Err(format!("line {line}: there are rules for `{name}` before"));
        }
        reader.take('=')?;
        if reader.is_end_of_line() {
            return reader.wrong("`[`");
        }
        let entries = reader.list(Reader::rule)?;
        if !reader.is_end_of_line() {
            return reader.wrong("the end of the line");
        }
        tables.push((name, entries));
    }
    Ok(tables)
}

struct Reader<'a> {
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
}

impl<'a> Reader<'a> {
    fn position(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |&(at, _)| at)
    }

    fn line(&mut self) -> usize {
        let position = self.position();
        1 + self.text[..position].matches('\n').count()
    }

    /// The next character that is no space, line end or part of a comment.
    fn skip_blank(&mut self) -> Option<char> {
        loop {
            let &(_, next) = self.rest.peek()?;
            match next {
                '#' => while self.rest.next_if(|&(_, next)| next != '\n').is_some() {},
                _ if next.is_whitespace() => _ = self.rest.next(),
                _ => return Some(next),
            }
        }
    }

    fn wrong<T>(&mut self, expected: &str) -> Result<T, String> {
        let found = match self.rest.peek() {
            Some((_, '\n')) => "the end of the line".to_owned(),
            Some((_, found)) => format!("`{found}`"),
            None => "the end".to_owned(),
        };
        Err(format!(
            "line {}: expected {expected}, found {found}",
            self.line()
        ))
    }

    fn take(&mut self, expected: char) -> Result<(), String> {
        if self.skip_blank() == Some(expected) {
            self.rest.next();
            return Ok(());
        }
        self.wrong(&format!("`{expected}`"))
    }

    /// Letters, digits, `_` and `-`.
    fn word(&mut self, expected: &str) -> Result<&'a str, String> {
        self.skip_blank();
        let start = self.position();
        let is_part = |next: char| next.is_ascii_alphanumeric() || next == '_' || next == '-';
        while self.rest.next_if(|&(_, next)| is_part(next)).is_some() {}
        match &self.text[start..self.position()] {
            "" => self.wrong(expected),
            word => Ok(word),
        }
    }

    fn number(&mut self) -> Result<u64, String> {
        let word = self.word("a number")?;
        match word.replace('_', "").parse() {
            Ok(number) => Ok(number),
            Err(_) => Err(format!("line {}: `{word}` is no number", self.line())),
        }
    }

    /// Text between quotes of either kind.
    fn quoted(&mut self) -> Result<String, String> {
        let quote = match self.skip_blank() {
            Some(quote @ ('"' | '\'')) => quote,
            _ => return self.wrong("a name in quotes"),
        };
        self.rest.next();
        let start = self.position();
        let is_inside = |next: char| next != quote && next != '\n';
        while self.rest.next_if(|&(_, next)| is_inside(next)).is_some() {}
        let end = self.position();
        match self.rest.next_if(|&(_, next)| next == quote) {
            Some(_) => Ok(self.text[start..end].to_owned()),
            None => self.wrong(&format!("`{quote}`")),
        }
    }

    fn rule(&mut self) -> Result<(u64, u64, String), String> {
        self.take('[')?;
        let images = self.number()?;
        self.take(',')?;
        let bytes = self.number()?;
        self.take(',')?;
        let name = self.quoted()?;
        if self.skip_blank() == Some(',') {
            self.rest.next();
        }
        self.take(']')?;
        Ok((images, bytes, name))
    }

    /// Items between brackets, with a comma behind each, which the last need not have.
    fn list<T>(&mut self, item: fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        self.take('[')?;
        let mut items = Vec::new();
        while self.skip_blank() != Some(']') {
            items.push(item(self)?);
            if self.skip_blank() != Some(']') {
                self.take(',')?;
            }
        }
        self.take(']')?;
        Ok(items)
    }

    /// Whether only a comment follows on the same line.
    fn is_end_of_line(&mut self) -> bool {
        let is_space = |next: char| next.is_whitespace() && next != '\n';
        while self.rest.next_if(|&(_, next)| is_space(next)).is_some() {}
        matches!(self.rest.peek(), None | Some((_, '\n' | '#')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blanks_quotes_and_last_commas_are_free() {
        let text =
            "# rules\n\n a = [ [1, 2, 'x'],\n  [3, 4_000, \"y\",], # last\n]\nb_2 = [] # none\n";
        let rules = vec![(1, 2, "x".to_owned()), (3, 4000, "y".to_owned())];
        let expected = vec![("a".to_owned(), rules), ("b_2".to_owned(), vec![])];
        assert_eq!(read(text), Ok(expected));
        assert_eq!(read(" # nothing"), Ok(vec![]));
    }

    #[test]
    fn errors_say_what_and_where() {
        for (text, error) in [
            ("a", "line 1: expected `=`, found the end"),
            ("a = [\n[1 2, 'x']]", "line 2: expected `,`, found `2`"),
            ("a = [[1, x, 'x']]", "line 1: `x` is no number"),
            ("a = [[1, -2, 'x']]", "line 1: `-2` is no number"),
            (
                "a = [[1, 2, x]]",
                "line 1: expected a name in quotes, found `x`",
            ),
            (
                "\na = [[1, 2, 'x\n']]",
                "line 2: expected `'`, found the end of the line",
            ),
            ("a = [[1, 2, 'x']", "line 1: expected `,`, found the end"),
            (
                "a = [] b = []",
                "line 1: expected the end of the line, found `b`",
            ),
            ("a = []\na = []", "line 2: there are rules for `a` before"),
            ("[a]", "line 1: expected a name, found `[`"),
            ("a = [[1, 2, 'x', 4]]", "line 1: expected `]`, found `4`"),
        ] {
            assert_eq!(read(text), Err(error.to_owned()), "{text}");
        }
    }
}
