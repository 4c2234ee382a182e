//! A process and its descendants, as `/proc` shows them.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Processes that can be ended together. Process numbers are reused; with its start time, each process is unique.
#[derive(Debug)]
pub struct ProcessTree {
    members: Vec<Member>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    pid: Pid,
    parent: i32,
    birth: u64,
}

impl ProcessTree {
    /// A process that has not been waited for, and all of its present descendants.
    pub fn of(head: Pid) -> Self {
        let all: Vec<Member> = everybody();
        let mut members: Vec<Member> = all.iter().copied().filter(|one| one.pid == head).collect();
        let mut seen = 0;
        while let Some(&parent) = members.get(seen) {
            let is_child = |one: &&Member| one.parent == parent.pid.as_raw_nonzero().get();
            members.extend(all.iter().filter(is_child));
            seen += 1;
        }
        Self { members }
    }

    /// Asks the head to end, which ends the others.
    pub fn ask_to_end(&self) {
        if let Some(head) = self.members.first() {
            head.signal(Signal::TERM);
        }
    }

    /// Ends all that are still there.
    pub fn end(&self) {
        for member in &self.members {
            member.signal(Signal::KILL);
        }
    }
}

impl Member {
    fn read(pid: Pid) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        // The name may contain anything, so the fields are counted from its end: proc_pid_stat(5).
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        Some(Self {
            pid,
            parent: fields.nth(1)?.parse().ok()?,
            birth: fields.nth(17)?.parse().ok()?,
        })
    }

    fn signal(&self, signal: Signal) {
        let is_itself = Self::read(self.pid).is_some_and(|now| now.birth == self.birth);
        if is_itself {
            // If it has ended meanwhile, all is well.
            let _ = kill_process(self.pid, signal);
        }
    }
}

fn everybody() -> Vec<Member> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(Pid::from_raw)
        .filter_map(Member::read)
        .collect()
}
