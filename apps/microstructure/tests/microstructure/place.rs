//! The program as its users start it.

use std::path::Path;
use std::process::{Command, Output};

use testing::launcher;

/// Where images are: the fabric, and the launcher if it has one.
#[derive(Clone, Debug)]
pub struct Place {
    fabric: &'static str,
    launcher: Option<String>,
}

/// All places that this build has.
pub fn places() -> Vec<Place> {
    let mut places = vec![
        Place {
            fabric: "processes",
            launcher: None,
        },
        Place {
            fabric: "threads",
            launcher: None,
        },
    ];
    let named = |usual: &str| std::env::var("COARRAY_LAUNCHER").unwrap_or(usual.into());
    if cfg!(feature = "mpi") {
        places.push(Place {
            fabric: "mpi",
            launcher: Some(named("mpirun")),
        });
    }
    if cfg!(feature = "shmem") {
        places.push(Place {
            fabric: "shmem",
            launcher: Some(named("shmemrun")),
        });
    }
    places
}

impl Place {
    /// Runs the program in a directory.
    pub fn run(&self, images: usize, directory: &Path, arguments: &[&str]) -> Output {
        let program = env!("CARGO_BIN_EXE_microstructure");
        let mut command = match &self.launcher {
            None => Command::new(program),
            Some(launcher) => {
                let mut command = launcher::command(launcher, images, program);
                command.env("COARRAY_HEAP", "64M");
                command
            }
        };
        if self.launcher.is_none() {
            command.env("COARRAY_IMAGES", images.to_string());
        }
        command
            .args(arguments)
            .current_dir(directory)
            .env("COARRAY_FABRIC", self.fabric)
            .env_remove("RUST_BACKTRACE")
            .output()
            .unwrap()
    }

    /// The lines it prints; it must succeed.
    #[track_caller]
    pub fn lines(&self, images: usize, directory: &Path, arguments: &[&str]) -> Vec<String> {
        let output = self.run(images, directory, arguments);
        assert!(
            output.status.success(),
            "{self:?}, {images} images: {output:?}"
        );
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

/// The text that the program prints after `name` and a colon.
#[track_caller]
pub fn value<'a>(lines: &'a [String], name: &str) -> &'a str {
    let start = format!("{name}: ");
    let line = lines.iter().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("no line begins with {start:?}: {lines:#?}"))
}
