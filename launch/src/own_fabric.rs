//! Running images on a fabric of another crate.
//!
//! A *fabric* carries images over something that the library does not know. It is a [`Cluster`], which starts processes and lets
//! them exchange bytes until their memory is reachable, and a [`Fabric`](coarray_fabric::Fabric), which then moves bytes.
//! [`coarray_fabric::write_a_fabric`] builds one.

use std::process::{ExitCode, Termination};

use coarray_fabric::transport::cluster::Cluster;
use coarray_runtime::{FabricKind, Settings, USAGE};

use crate::checked;
use crate::cluster::{self, End, StartWatch};
use crate::{ExitCodes, code_of, conclude, refuse};

/// Collective. Runs `body` as the image that this process is to `cluster`; for the `main` of a program whose images a fabric of
/// another crate has started.
///
/// Settings come from the environment, but for the number of images and the fabric. It synchronises at its end, as
/// [`launch`](crate::launch) does.
///
/// # Errors
/// The exit code is not 0 if an image fails, as for [`launch`](crate::launch). An image that fails ends the job by [`Cluster::abort`],
/// when the reason has been reported.
///
/// # Safety
/// This is called once in a process, by all processes of the job. The cluster gives each a number of its own below
/// [`images`](Cluster::images), and processes of one [`node`](Cluster::node) run on one machine. Its fabric does what each method of
/// [`Fabric`](coarray_fabric::Fabric) says.
///
/// # Examples
/// The crate `coarray-sockets` in the repository, which starts processes and connects them by TCP.
///
/// # Source
/// Its own.
#[must_use = "the exit code of the job, which `main` is to return"]
pub unsafe fn launch_on<R: Termination>(cluster: &dyn Cluster, body: fn() -> R) -> ExitCode {
    let settings = match Settings::with_images(cluster.images()) {
        Ok(settings) => settings,
        Err(error) => {
            refuse(error);
            cluster.abort(USAGE)
        }
    };
    let settings = Settings {
        fabric: FabricKind::Own,
        ..settings
    };
    let watch = cluster::watch_start(cluster.image(), &settings);
    conclude_on(cluster, &settings, watch, body)
}

/// Runs `body` on this image of the cluster, and ends it.
pub(crate) fn conclude_on<R: Termination>(
    cluster: &dyn Cluster,
    settings: &Settings,
    watch: StartWatch,
    body: fn() -> R,
) -> ExitCode {
    if let Err(error) = checked::adapt(settings.clone(), false) {
        refuse(error);
        cluster.abort(USAGE)
    }
    let codes = ExitCodes::default();
    let end = cluster::run(cluster, settings, watch, || conclude(body, &codes));
    match end {
        Ok(End::Finished(())) => {
            cluster.finish();
            ExitCode::SUCCESS
        }
        // A process that exits without finalising the fabric makes its launcher end the others.
        Ok(End::Failed(failure)) => match code_of(cluster.image(), codes) {
            Some(code) => code,
            None => cluster.abort(failure.code),
        },
        Err(error) => {
            refuse(error);
            cluster.abort(USAGE)
        }
    }
}
