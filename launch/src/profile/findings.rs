//! All that is known of where the time of a job went, and of what its images moved.

use std::fmt;

use crate::profile::advice::{Advice, advice_on};
use crate::profile::data::Data;
use crate::profile::summary::Summary;

/// All that is known of a job: from one run of its program or from two.
#[derive(Debug)]
pub(super) struct Findings {
    /// How many images the job had.
    pub(super) images: usize,
    /// How many cores they had together, if all were on one machine.
    pub(super) cores: Option<usize>,
    /// Where they waited, from a run in which that was recorded.
    pub(super) waits: Option<Summary>,
    /// What they moved, from a run in which that was counted.
    pub(super) data: Option<Data>,
    pub(super) advice: Vec<Advice>,
}

impl Findings {
    pub(super) fn new(
        images: usize,
        cores: Option<usize>,
        waits: Option<Summary>,
        data: Option<Data>,
    ) -> Self {
        let mut findings = Self {
            images,
            cores,
            waits,
            data,
            advice: Vec::new(),
        };
        findings.advice = advice_on(&findings);
        findings
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(waits) = &self.waits {
            waits.fmt(formatter)?;
        }
        if let Some(data) = &self.data {
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
