//! The parser of RLE files.

use super::{Fault, Pattern, RleError, Run};

/// Reads a pattern from the text of an RLE file.
pub(super) fn pattern(text: &str) -> Result<Pattern, RleError> {
    let mut name = None;
    let mut cells: Option<Cells> = None;
    let mut line = 1;
    for (above, content) in text.lines().enumerate() {
        line = above + 1;
        let here = |fault| RleError { line, fault };
        let content = content.trim();
        if let Some(comment) = content.strip_prefix('#') {
            name = name.or_else(|| name_in(comment));
        } else if let Some(cells) = &mut cells {
            cells.read_line(content).map_err(here)?;
            if cells.ended {
                break;
            }
        } else if !content.is_empty() {
            cells = Some(Cells::after(content).map_err(here)?);
        }
    }
    let fault = match cells {
        Some(Cells {
            pattern,
            ended: true,
            ..
        }) => return Ok(Pattern { name, ..pattern }),
        Some(_) => Fault::MissingEnd,
        None => Fault::MissingHeader,
    };
    Err(RleError { line, fault })
}

/// The name that a comment line gives, if it does.
fn name_in(comment: &str) -> Option<String> {
    let name = comment.strip_prefix('N')?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The cells read so far and the place of the next one.
struct Cells {
    pattern: Pattern,
    row: usize,
    column: usize,
    /// The count whose tag is still to come.
    count: Option<usize>,
    /// Whether the `!` was met.
    ended: bool,
}

impl Cells {
    /// No cells yet, after the given header.
    fn after(header: &str) -> Result<Cells, Fault> {
        if !header.starts_with(['x', 'X']) {
            return Err(Fault::MissingHeader);
        }
        let mut fields = header.splitn(3, ',');
        let width = number(value("x", fields.next())?)?;
        let height = number(value("y", fields.next())?)?;
        if let field @ Some(_) = fields.next() {
            check_rule(value("rule", field)?)?;
        }
        let pattern = Pattern::dead(height, width);
        Ok(Cells {
            pattern,
            row: 0,
            column: 0,
            count: None,
            ended: false,
        })
    }

    fn read_line(&mut self, line: &str) -> Result<(), Fault> {
        for character in line.chars() {
            match character {
                '0'..='9' => self.count = Some(with_digit(self.count.unwrap_or(0), character)?),
                'b' | 'o' => self.add_cells(character == 'o')?,
                '$' => self.end_rows()?,
                '!' if self.count.is_some() => return Err(Fault::CountWithoutTag),
                '!' => {
                    self.ended = true;
                    break;
                }
                white if white.is_whitespace() => {}
                other => return Err(Fault::UnexpectedCharacter(other)),
            }
        }
        Ok(())
    }

    fn add_cells(&mut self, alive: bool) -> Result<(), Fault> {
        let length = self.take_count()?;
        let Pattern { width, height, .. } = self.pattern;
        if self.row == height {
            return Err(Fault::TooManyRows { height });
        }
        if length > width - self.column {
            return Err(Fault::RowTooLong { width });
        }
        if alive {
            self.pattern.append(Run {
                row: self.row,
                column: self.column,
                length,
            });
        }
        self.column += length;
        Ok(())
    }

    fn end_rows(&mut self) -> Result<(), Fault> {
        let rows = self.take_count()?;
        let height = self.pattern.height;
        // The last row, too, may have its end marked.
        if rows > height - self.row {
            return Err(Fault::TooManyRows { height });
        }
        self.row += rows;
        self.column = 0;
        Ok(())
    }

    /// The count before the tag just met: 1 where there is none.
    fn take_count(&mut self) -> Result<usize, Fault> {
        match self.count.take() {
            Some(0) => Err(Fault::ZeroCount),
            count => Ok(count.unwrap_or(1)),
        }
    }
}

/// The value of a header field `key = value`.
fn value<'a>(key: &str, field: Option<&'a str>) -> Result<&'a str, Fault> {
    let (found, value) = field
        .and_then(|field| field.split_once('='))
        .ok_or(Fault::MalformedHeader)?;
    if found.trim().eq_ignore_ascii_case(key) {
        Ok(value.trim())
    } else {
        Err(Fault::MalformedHeader)
    }
}

fn number(text: &str) -> Result<usize, Fault> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::MalformedHeader);
    }
    text.chars().try_fold(0, with_digit)
}

/// A number with one more decimal digit at its end.
fn with_digit(number: usize, digit: char) -> Result<usize, Fault> {
    let number = 10 * number as u64 + u64::from(digit) - u64::from('0');
    usize::try_from(number)
        .ok()
        .filter(|&number| number <= Pattern::MAX_SIDE)
        .ok_or(Fault::NumberTooLarge)
}

fn check_rule(rule: &str) -> Result<(), Fault> {
    // 23/3 is the older notation, which names survival before birth.
    let known = ["B3/S23", "23/3"];
    let compact = rule.split_whitespace().collect::<String>().to_uppercase();
    if known.contains(&compact.as_str()) {
        Ok(())
    } else {
        Err(Fault::UnknownRule(rule.to_owned()))
    }
}
