//! Jobs whose accesses are checked: their images are threads of one process.

use std::fs;

use coarray_runtime::{FabricKind, Job, Settings};

/// The most images of a job that is checked.
const MOST: usize = 256;

/// The settings of a job with threads as images, if its accesses are to be checked. Says so if processes were `asked_for`.
///
/// # Errors
/// Why it cannot be checked.
pub(crate) fn adapt(settings: Settings, asked_for: bool) -> Result<Settings, String> {
    if settings.check.is_none() {
        return Ok(settings);
    }
    if settings.images > MOST {
        return Err(format!(
            "a job that is checked for races has at most {MOST} images, not {}",
            settings.images
        ));
    }
    match settings.fabric {
        FabricKind::Threads if settings.simulated_nodes <= 1 => Ok(settings),
        FabricKind::Processes => {
            if asked_for {
                eprintln!("coarray: the job is checked for races, so its images are threads, not processes");
            }
            Ok(Settings {
                fabric: FabricKind::Threads,
                ..settings
            })
        }
        _ => Err(
            "a job is checked for races on one machine, with threads as images: the rules are the same there, so run it \
             without a launcher and with COARRAY_FABRIC=threads, or unset COARRAY_CHECK"
                .into(),
        ),
    }
}

/// What the check of a job has to say at its end, besides races. Writes the record that the settings ask for.
pub(crate) fn report_of(settings: &Settings, job: &Job) -> Option<String> {
    let check = settings.check.as_ref()?;
    let mut text = job.origins().unwrap_or_default();
    if let Some(path) = &check.record
        && let Err(error) = fs::write(path, job.check_record().encode())
    {
        let path = path.display();
        text += &format!("coarray: cannot write the record to {path}: {error}\n");
    }
    (!text.is_empty()).then_some(text)
}
