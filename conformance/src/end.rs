//! How a job ended.

use std::time::Duration;

/// The end of a job: its exit code, and what it printed.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// The exit code; none if it was killed.
    pub code: Option<i32>,
    /// All of standard output.
    pub stdout: String,
    /// All of standard error.
    pub stderr: String,
    /// The time limit, if the job exceeded it and was killed.
    pub overdue: Option<Duration>,
}

impl End {
    /// Checks that the job ended with this exit code.
    ///
    /// # Errors
    /// How it ended.
    pub fn with_code(&self, code: i32) -> Result<(), String> {
        self.in_time()?;
        match self.code {
            Some(seen) if seen == code => Ok(()),
            _ => Err(format!(
                "expected exit code {code}, but it ended {}{}",
                self.how(),
                self.last_words()
            )),
        }
    }

    /// Checks that the job failed with this exit code, and that its report has all these words.
    ///
    /// # Errors
    /// What is different.
    pub fn with_report(&self, code: i32, words: &[&str]) -> Result<(), String> {
        self.with_code(code)?;
        let missing = words.iter().find(|&&words| !self.stderr.contains(words));
        match missing {
            None => Ok(()),
            Some(words) => Err(format!(
                "the report does not say \"{words}\"{}",
                self.last_words()
            )),
        }
    }

    /// Checks that the job ended by itself.
    ///
    /// # Errors
    /// If it had to be killed.
    pub fn in_time(&self) -> Result<(), String> {
        match self.overdue {
            None => Ok(()),
            Some(limit) => Err(format!(
                "had not ended after {} s{}",
                limit.as_secs(),
                self.last_words()
            )),
        }
    }

    /// The exit code or the signal, in words.
    #[must_use]
    pub fn how(&self) -> String {
        match self.code {
            Some(code) => format!("with exit code {code}"),
            None => "by a signal".into(),
        }
    }

    /// Standard error, shortened to one line.
    #[must_use]
    pub fn last_words(&self) -> String {
        const TOLD: usize = 500;
        let lines: Vec<&str> = self.stderr.lines().map(str::trim).collect();
        let mut text = lines.join(" / ");
        if let Some((end, _)) = text.char_indices().nth(TOLD) {
            text.truncate(end);
            text.push('…');
        }
        match text.is_empty() {
            true => String::new(),
            false => format!("; it said: {text}"),
        }
    }
}
