//! Which process descends from which, according to `/proc`.

use std::fmt::Display;
use std::fs;

use rustix::process::{Pid, getpid};

/// A process as `/proc` describes it.
struct Process {
    number: Pid,
    parent: Option<Pid>,
    /// It is a zombie.
    is_zombie: bool,
}

/// The process of that number, or `self`; none if there is no such process, or no `/proc`.
fn look_up(process: impl Display) -> Option<Process> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let number = text.split_whitespace().next()?.parse().ok()?;
    // The name of the program comes before, in parentheses, and may have some itself.
    let (_, rest) = text.rsplit_once(')')?;
    let mut words = rest.split_whitespace();
    let is_zombie = words.next()? == "Z";
    Some(Process {
        number: Pid::from_raw(number)?,
        parent: Pid::from_raw(words.next()?.parse().ok()?),
        is_zombie,
    })
}

/// Whether this process descends from `ancestor`, by numbers that mean the same to `/proc` and to system calls: in a
/// namespace of its own, a process has others.
pub(crate) fn descends_from(ancestor: Pid) -> bool {
    let this = getpid();
    look_up("self").is_some_and(|process| process.number == this) && is_descendant(this, ancestor)
}

/// Whether `process` was started by `ancestor`, directly or not, and all between the two still run.
pub(crate) fn is_descendant(process: Pid, ancestor: Pid) -> bool {
    let parent = |&process: &Pid| look_up(process)?.parent;
    std::iter::successors(Some(process), parent)
        .skip(1)
        .any(|process| process == ancestor)
}

/// The children of a process that have not ended.
pub(crate) fn children(parent: Pid) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| {
            let number = entry.ok()?.file_name().to_str()?.parse().ok()?;
            Pid::from_raw(number)
        })
        .filter(|&process| {
            look_up(process)
                .is_some_and(|process| process.parent == Some(parent) && !process.is_zombie)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use rustix::process::getppid;

    use super::*;

    #[test]
    fn a_process_descends_from_its_parent_and_not_from_itself() {
        let (this, parent) = (getpid(), getppid().unwrap());
        assert!(is_descendant(this, parent) && descends_from(parent));
        assert!(!is_descendant(this, this));
        assert!(!is_descendant(parent, this));
    }

    #[test]
    fn a_child_is_one_until_it_has_ended() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let process = Pid::from_child(&child);
        assert!(children(getpid()).contains(&process));
        assert!(is_descendant(process, getppid().unwrap()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children(getpid()).contains(&process));
    }
}
