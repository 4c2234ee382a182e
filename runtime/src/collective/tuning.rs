//! The tuning table of the job. Image 0 reads it before the program begins and hands it to all others, so no two images
//! can choose differently.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::call::tuning::{Placement, Plan, Rules};
use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing};
use crate::image::team::Team;
use crate::job::Job;
use crate::job::control::TableRecord;
use crate::job::report::USAGE;
use crate::job::settings::value_of;
use crate::lockfree::barrier::Barrier;
use crate::messages::messaging::send_to_all;
use crate::waiting::Cause;

/// Names the file that is read. It has to exist.
const VARIABLE: &str = "COARRAY_TUNING_FILE";

/// The file that is read if it exists and [`VARIABLE`] names no other. What is fast in shared memory is not between nodes, so a job that spans
/// nodes has one of its fabric.
fn file(job: &Job) -> String {
    match job.nodes.share_all() {
        true => "collectives.toml".into(),
        false => format!("collectives.{}.toml", job.fabric.name()),
    }
}

impl Team {
    /// The barrier algorithm of this team: that of the job's tuning table, or else the fastest for this number of
    /// images.
    #[inline]
    #[must_use]
    pub fn barrier_algorithm(&self) -> Barrier {
        self.barrier.get().unwrap_or_else(|| self.choose_barrier())
    }

    #[cold]
    fn choose_barrier(&self) -> Barrier {
        let images = self.images();
        let have_cores = self.has_cores_for_all();
        let built_in = || match self.node_map() {
            Some(node_map) => Barrier::for_leaders(node_map.count()),
            None => Barrier::for_images(images, have_cores),
        };
        let barrier = tuning_rules(self.image())
            .barrier(images)
            .unwrap_or_else(built_in);
        self.barrier.set(Some(barrier));
        barrier
    }

    /// Whether each image of the job has a core, if all are on one node: else whoever waits for others, waits for a core.
    #[inline]
    #[must_use]
    pub fn has_cores_for_all(&self) -> bool {
        self.image().job.region.dimensions().have_cores_for_all
    }

    /// The algorithms that the tuning table gives to operations of this team: the same on all images.
    #[inline]
    #[must_use]
    pub fn plan(&self) -> &Plan {
        self.plan.get_or_init(|| {
            let image = self.image();
            let placement = match self.node_map() {
                Some(_) if self.is_apart() => Placement::Apart,
                Some(_) => Placement::Nodes,
                None if self.has_cores_for_all() => Placement::Node,
                None => Placement::CrowdedNode,
            };
            tuning_rules(image).plan(self.images(), placement)
        })
    }
}

/// Reads the tuning table and hands it to all images. Image 0 calls this when it starts. If the table is wrong, the job
/// ends with a report.
pub(crate) fn publish_table(image: &Image) {
    let text = read_table(image);
    if let Err(error) = (image.tuning.read)(&text) {
        reject_table(image, "use", error);
    }
    if image.network.is_some() {
        send_to_all(
            image,
            &Outgoing::new(MessageKind::TuningTable).bytes(text.as_bytes()),
        );
    }
    store_table(image, &text);
}

/// Hands the table to the images of this node. If other nodes did so before, it was the same table.
pub(crate) fn store_table(image: &Image, text: &str) {
    let record = &image.job.region.job().table;
    if record.ready.count() == 0 {
        record.text.set(text);
        record.ready.advance_to(1);
    }
}

fn read_table(image: &Image) -> String {
    let is_asked_for = value_of(VARIABLE).is_some();
    let (text, length) = match read_at_most(&path(&image.job), TableRecord::MOST, is_asked_for) {
        Ok(read) => read,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::PermissionDenied
            ) && !is_asked_for =>
        {
            return String::new();
        }
        Err(error) => reject_table(image, "read", error),
    };
    if length > TableRecord::MOST as u64 {
        let why = format!(
            "it has {length} bytes, and at most {} are possible",
            TableRecord::MOST
        );
        reject_table(image, "use", why);
    }
    if text.len() > TableRecord::MOST {
        reject_table(
            image,
            "use",
            format!("it has more than {} bytes", TableRecord::MOST),
        );
    }
    text
}

/// Ends the job as any wrong setting does.
fn reject_table(image: &Image, verb: &str, why: impl Display) -> ! {
    let path = path(&image.job);
    let origin = match value_of(VARIABLE) {
        Some((name, _)) => name,
        None => "in the folder where the job was started",
    };
    let table = path.display();
    image.stop(
        USAGE,
        format!("cannot {verb} the table of algorithms {table} ({origin}): {why}"),
    )
}

/// The rules of the tuning table. Waits until image 0 has read it.
pub(crate) fn tuning_rules(image: &Image) -> Rc<Rules> {
    let rules = image.rules.get_or_init(|| {
        let record = &image.job.region.job().table;
        // If image 0 failed before it read the table, the built-in choices apply.
        let text = match image.wait(&record.ready, 1, Reading) {
            Ok(()) => record.text.get(),
            Err(_) => String::new(),
        };
        // Image 0 has made sure that the table can be parsed.
        Rc::new((image.tuning.read)(&text).unwrap_or_default())
    });
    Rc::clone(rules)
}

/// The text of a file and its length; at most `most` bytes and one more. A file that the user did not name may be
/// something else, such as a pipe, on which no image must wait.
fn read_at_most(path: &Path, most: usize, is_asked_for: bool) -> io::Result<(String, u64)> {
    let flags = if is_asked_for { 0 } else { libc::O_NONBLOCK };
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !is_asked_for && !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut text = String::new();
    file.take(most as u64 + 1).read_to_string(&mut text)?;
    Ok((text, metadata.len()))
}

fn path(job: &Job) -> PathBuf {
    value_of(VARIABLE).map_or_else(|| file(job).into(), |(_, file)| PathBuf::from(file))
}

/// Why an image waits for the table.
struct Reading;

impl Cause for Reading {
    fn describe(&self) -> String {
        "waits for image 0 to read the table of algorithms".into()
    }

    fn awaited(&self) -> Option<usize> {
        Some(0)
    }

    fn has_failed(&self) -> bool {
        Image::current().has_failed(0)
    }
}
