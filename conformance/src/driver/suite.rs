//! Trying clauses on one fabric, with one number of images.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::clause::{Clause, OwnJob, Trial};
use crate::driver::fabric::Fabric;
use crate::driver::job;
use crate::end::End;

/// When clauses have ended this many jobs, nothing more is tried on a fabric.
const ENOUGH: usize = 12;

/// The result of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not, and this is why.
    Failed(String),
    /// It needs more images.
    NotApplicable,
}

/// How clauses are tried.
#[derive(Clone, Debug)]
pub struct Suite<'a> {
    /// On which fabric.
    pub fabric: Fabric,
    /// On how many images.
    pub images: usize,
    /// The program with the clauses.
    pub program: &'a Path,
    /// How long one job may take.
    pub limit: Duration,
    /// Further environment variables.
    pub environment: Vec<(&'static str, String)>,
    /// Whether each clause is tried by a job of its own, so that no clause disturbs those after it.
    pub isolated: bool,
}

impl Suite<'_> {
    /// Tries `clauses`; returns their outcomes in the same order.
    #[must_use]
    pub fn try_all(&self, clauses: &[&'static Clause]) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; clauses.len()];
        self.try_in_jobs(clauses, &mut outcomes);
        for (clause, outcome) in clauses.iter().zip(&mut outcomes) {
            if let Trial::OwnJob(job) = clause.trial {
                *outcome = Some(self.try_own(clause, &job));
            }
        }
        let untried = || Outcome::Failed("not tried, because too many others ended the job".into());
        outcomes
            .into_iter()
            .map(|outcome| outcome.unwrap_or_else(untried))
            .collect()
    }

    /// Tries the clauses that share a job. A clause that ends the job has failed; the next job tries the rest.
    fn try_in_jobs(&self, clauses: &[&'static Clause], outcomes: &mut [Option<Outcome>]) {
        let shares = |index: &usize| matches!(clauses[*index].trial, Trial::InJob(_));
        let mut left: Vec<usize> = (0..clauses.len()).filter(shares).collect();
        let mut spoilt = 0;
        while !left.is_empty() && (spoilt < ENOUGH || self.isolated) {
            let now = if self.isolated { &left[..1] } else { &left[..] };
            let ids: Vec<&str> = now.iter().map(|&index| clauses[index].id).collect();
            let end = self.run(&["--only", &ids.join(",")]);
            let mut told = 0;
            for &index in now {
                let Some(outcome) = told_of(&end, clauses[index].id) else {
                    // Image 0 reports each clause before it goes on, so this clause ended the job.
                    outcomes[index] = Some(Outcome::Failed(what_ended(&end)));
                    spoilt += 1;
                    told += 1;
                    break;
                };
                outcomes[index] = Some(outcome);
                told += 1;
            }
            left.drain(..told);
        }
    }

    fn try_own(&self, clause: &Clause, job: &OwnJob) -> Outcome {
        if self.images < job.images {
            return Outcome::NotApplicable;
        }
        let end = self.run(&["--program", clause.id]);
        match (job.judge)(&end, self.images) {
            Ok(()) => Outcome::Passed,
            Err(why) => Outcome::Failed(why),
        }
    }

    fn run(&self, arguments: &[&str]) -> End {
        let mut command: Command = self.fabric.command(self.program, self.images);
        command
            .arg("--images")
            .arg(self.images.to_string())
            .args(arguments)
            .envs(self.environment.iter().cloned());
        job::run(command, self.limit)
    }
}

/// The job's report about a clause, if there is one.
fn told_of(end: &End, id: &str) -> Option<Outcome> {
    let lines = end.stdout.lines();
    let mut about = lines.filter_map(|line| line.strip_prefix(id)?.strip_prefix(' '));
    about.find_map(|told| match told.split_once(' ') {
        None if told == "ok" => Some(Outcome::Passed),
        Some(("FAILED", why)) => Some(Outcome::Failed(why.into())),
        _ => None,
    })
}

/// Why a job ended before it had reported all clauses.
fn what_ended(end: &End) -> String {
    match end.in_time() {
        Err(why) => why,
        Ok(()) => format!("ended the job {}{}", end.how(), end.last_words()),
    }
}
