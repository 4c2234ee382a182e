//! What was measured of a job, and what to do about it: the report in words.

use std::fmt;

use crate::profile::advice::{Advice, advice_on};
use crate::profile::measured::Measured;

/// What was measured of a job, and what to do about it.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) measured: Measured,
    pub(super) advice: Vec<Advice>,
}

impl From<Measured> for Findings {
    fn from(measured: Measured) -> Self {
        let advice = advice_on(&measured);
        Self { measured, advice }
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(waits) = &self.measured.waits {
            waits.fmt(formatter)?;
        }
        if let Some(data) = &self.measured.data {
            data.fmt(formatter)?;
        }
        if !self.advice.is_empty() {
            writeln!(formatter, "advice")?;
        }
        for advice in &self.advice {
            writeln!(formatter, "  {}", advice.text())?;
        }
        Ok(())
    }
}
