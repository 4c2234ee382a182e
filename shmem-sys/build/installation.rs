//! Where the library is: what the user says, what pkg-config says, what a compiler wrapper says.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler wrappers there are.
const WRAPPERS: [&str; 2] = ["shmemcc", "oshcc"];

/// The programs that start jobs, which are installed beside the wrapper.
const LAUNCHERS: [&str; 2] = ["shmemrun", "oshrun"];

/// The names that libraries have for pkg-config.
const PACKAGES: [&str; 5] = [
    "oshmem",
    "sandia-openshmem",
    "cray-openshmemx",
    "cray-sma",
    "osss-ucx",
];

/// The names of the library's file, where nothing but its folder is known.
const LIBRARIES: [&str; 3] = ["oshmem", "sma", "shmem"];

/// Libraries that Open MPI's need. It does not name them, since most linkers do not mind; but LLVM's, which Rust uses, wants all
/// libraries that those it links with refer to, or none.
const BENEATH: [&str; 2] = ["open-rte", "open-pal"];

/// How to compile and link a program that uses the library.
#[derive(Debug, Default)]
pub struct Installation {
    pub include_folders: Vec<String>,
    pub library_folders: Vec<String>,
    pub libraries: Vec<String>,
    wrapper: Option<PathBuf>,
}

impl Installation {
    /// The library to use.
    pub fn find() -> Result<Self, String> {
        if let Some(wrapper) = variable("SHMEMCC") {
            return Self::from_wrapper(Path::new(&wrapper)).ok_or_else(|| {
                format!("SHMEMCC={wrapper} does not say how it links (asked by --showme and -show)")
            });
        }
        if let Some(folder) = variable("SHMEM_DIR") {
            return Self::from_folder(Path::new(&folder));
        }
        let from_path = || {
            WRAPPERS
                .iter()
                .find_map(|name| Self::from_wrapper(Path::new(name)))
        };
        PACKAGES
            .iter()
            .find_map(|package| Self::from_package(package))
            .or_else(from_path)
            .ok_or_else(|| {
                format!(
                    "no OpenSHMEM library was found: pkg-config knows none of {}, and there is neither {} in PATH.",
                    PACKAGES.join(", "),
                    WRAPPERS.join(" nor ")
                )
            })
    }

    fn from_package(package: &str) -> Option<Self> {
        let tool = variable("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
        let flags = output(Path::new(&tool), &["--cflags", "--libs", package])?;
        Self::from_flags(&flags)
    }

    fn from_wrapper(wrapper: &Path) -> Option<Self> {
        let found = ["--showme", "-show"]
            .iter()
            .find_map(|question| Self::from_flags(&output(wrapper, &[question])?))?;
        Some(Self {
            wrapper: Some(wrapper.into()),
            ..found
        })
    }

    fn from_folder(folder: &Path) -> Result<Self, String> {
        let wrapper = |name| Self::from_wrapper(&folder.join("bin").join(name));
        if let Some(found) = WRAPPERS.into_iter().find_map(wrapper) {
            return Ok(found);
        }
        let include = folder.join("include");
        if !include.join("shmem.h").exists() {
            return Err(format!(
                "SHMEM_DIR={} has neither bin/shmemcc nor include/shmem.h",
                folder.display()
            ));
        }
        let places = ["lib", "lib64"]
            .into_iter()
            .flat_map(|place| LIBRARIES.map(|name| (folder.join(place), name)));
        for (place, name) in places {
            if ["so", "a", "dylib"]
                .iter()
                .any(|end| place.join(format!("lib{name}.{end}")).exists())
            {
                return Ok(Self {
                    include_folders: vec![include.display().to_string()],
                    library_folders: vec![place.display().to_string()],
                    libraries: vec![name.into()],
                    wrapper: Some(folder.join("bin").join(WRAPPERS[0])),
                });
            }
        }
        Err(format!(
            "SHMEM_DIR={} has no library in lib or lib64 (looked for lib{}.so or .a)",
            folder.display(),
            LIBRARIES.join(".so, lib")
        ))
    }

    /// Takes what matters here from the flags of a C compiler, if they name a library.
    fn from_flags(flags: &str) -> Option<Self> {
        let mut found = Self::default();
        let mut words = flags.split_whitespace();
        while let Some(word) = words.next() {
            let (kind, value) = match word.split_at_checked(2) {
                Some((kind @ ("-I" | "-L" | "-l"), "")) => (kind, words.next()?),
                Some((kind, value)) => (kind, value),
                None => continue,
            };
            let list = match kind {
                "-I" => &mut found.include_folders,
                "-L" => &mut found.library_folders,
                "-l" => &mut found.libraries,
                _ => continue,
            };
            list.push(value.into());
        }
        if found.libraries.iter().any(|library| library == "mpi") {
            let beneath = BENEATH.into_iter().filter(|name| {
                let file = format!("lib{name}.so");
                let mut folders = found.library_folders.iter();
                folders.any(|folder| Path::new(folder).join(&file).exists())
            });
            found.libraries.extend(beneath.map(String::from));
        }
        (!found.libraries.is_empty()).then_some(found)
    }

    /// The program that starts jobs of this library, if it is where it should be.
    pub fn launcher(&self) -> Option<String> {
        let wrapper = self.wrapper.as_deref().or(Some(Path::new(WRAPPERS[0])))?;
        let folder = in_path(wrapper)?.parent()?.to_path_buf();
        let launcher = LAUNCHERS
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.exists())?;
        Some(launcher.display().to_string())
    }
}

/// An environment variable that says something.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn output(program: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}

/// The program as a shell would find it.
fn in_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return Some(program.into());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| path.exists())
}
