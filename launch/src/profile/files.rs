//! Files of profiles.

use std::fs;
use std::io;
use std::path::Path;

use crate::profile::export::json_of;
use crate::profile::findings::Findings;
use crate::profile::page::{figures, page};
use coarray_runtime::ProfileFiles;

/// Writes the files that were asked for. Returns a line for each that could not be written.
pub(super) fn write(findings: &Findings, files: &ProfileFiles) -> String {
    let mut complaints = String::new();
    let mut write = |path: &Path, content: String| {
        if let Err(error) = fs::write(path, content) {
            complain(&mut complaints, path, &error);
        }
    };
    if let Some(path) = &files.json {
        write(path, format!("{}\n", json_of(findings)));
    }
    if let Some(path) = &files.html {
        write(path, page(findings));
    }
    if let Some(folder) = &files.svg {
        match fs::create_dir_all(folder) {
            Ok(()) => {
                for figure in figures(findings) {
                    write(&folder.join(format!("{}.svg", figure.name)), figure.file());
                }
            }
            Err(error) => complain(&mut complaints, folder, &error),
        }
    }
    complaints
}

pub(super) fn complain(complaints: &mut String, path: &Path, error: &io::Error) {
    let path = path.display();
    *complaints += &format!("coarray: cannot write the profile to {path}: {error}\n");
}
