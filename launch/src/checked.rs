//! Jobs whose accesses are checked: their images are threads of one process.

use coarray_runtime::{FabricKind, Settings};

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
