//! Puts the peers' programs into `cobench`, so that it can compile them wherever it is installed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=peers");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo says where it is"));
    let mut files = Vec::new();
    find(&root.join("peers"), &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let name = file
            .strip_prefix(root.join("peers"))
            .expect("it was found there");
        let name = name.to_str().expect("names of sources are text");
        let file = file.to_str().expect("the path of this package is text");
        let _ = writeln!(list, "    ({name:?}, include_str!({file:?})),");
    }
    list += "]\n";
    let output = PathBuf::from(env::var("OUT_DIR").expect("cargo says where to write"));
    fs::write(output.join("peers.rs"), list)
}

/// All sources below a folder, without what has been built there.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            if !path.ends_with("target") {
                find(&path, files)?;
            }
        } else if matches!(extension, Some("c" | "h" | "f90" | "rs" | "toml" | "lock")) {
            files.push(path);
        }
    }
    Ok(())
}
