//! Which crates there are to look at: cargo knows the packages and their targets.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::options::Options;

/// A crate, by its first file, and that of the library of its package if it is another.
pub(crate) struct Crate {
    pub(crate) root: PathBuf,
    pub(crate) library: Option<PathBuf>,
}

/// Those of the packages that the options name; else of the one of the current folder, or of all if that is a workspace without one.
pub(crate) fn crates_of(options: &Options) -> Result<Vec<Crate>, String> {
    if !options.files.is_empty() {
        let alone = |file: &PathBuf| Crate {
            root: file.clone(),
            library: None,
        };
        return Ok(options.files.iter().map(alone).collect());
    }
    let metadata = metadata(options)?;
    let list = |of: &Value| of.as_array().cloned().unwrap_or_default();
    let chosen = if options.workspace {
        list(&metadata["workspace_members"])
    } else {
        list(&metadata["workspace_default_members"])
    };
    let mut found = Vec::new();
    let mut names: Vec<&String> = options.packages.iter().collect();
    for package in list(&metadata["packages"]) {
        let wanted = match options.packages.is_empty() {
            true => chosen.contains(&package["id"]),
            false => {
                let before = names.len();
                names.retain(|name| package["name"] != name.as_str());
                names.len() < before
            }
        };
        if wanted {
            found.extend(crates(&list(&package["targets"])));
        }
    }
    match names.first() {
        Some(name) => Err(format!("there is no package {name} in this workspace")),
        None => Ok(found),
    }
}

/// All but build scripts.
fn crates(targets: &[Value]) -> Vec<Crate> {
    let is = |target: &Value, kinds: &[&str]| {
        let kind = target["kind"]
            .as_array()
            .and_then(|kinds| kinds.first()?.as_str());
        kind.is_some_and(|kind| kinds.contains(&kind))
    };
    let root = |target: &Value| target["src_path"].as_str().map(PathBuf::from);
    let libraries = ["lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"];
    let library = targets
        .iter()
        .find(|target| is(target, &libraries))
        .and_then(root);
    let programs = targets
        .iter()
        .filter(|target| !is(target, &["custom-build"]))
        .filter_map(root);
    let with_library = |root: PathBuf| Crate {
        library: library.clone().filter(|library| *library != root),
        root,
    };
    programs.map(with_library).collect()
}

fn metadata(options: &Options) -> Result<Value, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(&cargo);
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(manifest) = &options.manifest {
        command.arg("--manifest-path").arg(manifest);
    }
    let output = command
        .output()
        .map_err(|error| format!("cannot start {}: {error}", cargo.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .to_owned());
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cannot read what cargo metadata printed: {error}"))
}
