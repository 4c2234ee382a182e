//! The files that a profile is written to.

use std::path::{Path, PathBuf};

use crate::job::settings::choices::Profile;

/// Files for what is known of where the time of a job went; none are written for a job that is not profiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileFiles {
    /// For scripts.
    pub json: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
    /// The folder for the figures of that page.
    pub svg: Option<PathBuf>,
    /// For the process that runs the program twice, and reports then; nothing is said in words.
    pub record: Option<PathBuf>,
}

impl ProfileFiles {
    /// Each with the variable that names it.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Option<&Path>); 4] {
        [
            ("COARRAY_PROFILE_JSON", self.json.as_deref()),
            ("COARRAY_PROFILE_HTML", self.html.as_deref()),
            ("COARRAY_PROFILE_SVG", self.svg.as_deref()),
            ("COARRAY_PROFILE_RECORD", self.record.as_deref()),
        ]
    }

    /// Those that the environment names.
    pub(super) fn from_environment() -> Self {
        let [json, html, svg, record] = Self::default().named().map(|(name, _)| {
            let path = std::env::var_os(name).map(PathBuf::from);
            path.filter(|path| !path.as_os_str().is_empty())
        });
        Self {
            json,
            html,
            svg,
            record,
        }
    }

    /// What is recorded where nobody says: who wants a file wants something in it.
    #[must_use]
    pub fn profile(&self) -> Profile {
        match *self == Self::default() {
            true => Profile::Off,
            false => Profile::Waits,
        }
    }
}
