//! The command line of `work_queue`.

use std::path::PathBuf;

use program::command_line::{Long, follow};

use crate::bands::Division;

const HELP: &str = "\
A picture of the Mandelbrot set, whose rows are handed out to images that have nothing to do.

usage: work_queue [--size WIDTHxHEIGHT] [--limit N] [--band N] [--queue counter|stealing] [--png FILE]

  --size WIDTHxHEIGHT   pixels of the picture (default: 960x640)
  --limit N             iterations after which a point counts as one of the set (default: 2000)
  --band N              rows that are handed out together (default: 8)
  --queue KIND          counter: the next band is that of a counter on image 0 (default)
                        stealing: each image has bands, and takes some of another's when it is done
  --png FILE            draw the picture, with a colour for each image that computed some of it

It is computed twice: first in equal parts, then from the queue. For each it tells how much work the image
with most of it did, and how long it took.

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N work_queue ...`.";

/// What the user asked for.
pub(crate) struct Options {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) limit: u32,
    /// How many rows are handed out together.
    pub(crate) band: usize,
    pub(crate) queue: Division,
    pub(crate) png: Option<PathBuf>,
}

impl Options {
    /// The options of this image's command line; none after `--help`. An error in it ends the job.
    pub(crate) fn from_command_line() -> Option<Self> {
        let mut options = Options {
            width: 960,
            height: 640,
            limit: 2000,
            band: 8,
            queue: Division::Counter,
            png: None,
        };
        let goes_on = follow(HELP, |option, arguments| {
            match option {
                Long("size") => {
                    let form = "WIDTHxHEIGHT in pixels, such as 960x640";
                    [options.width, options.height] = arguments.extents(form, 1 << 14)?;
                }
                Long("limit") => options.limit = arguments.count(1 << 24)? as u32,
                Long("band") => options.band = arguments.count(usize::MAX)?,
                Long("queue") => {
                    let kinds = [
                        ("counter", Division::Counter),
                        ("stealing", Division::Stealing),
                    ];
                    options.queue = arguments.one_of(kinds)?;
                }
                Long("png") => options.png = Some(arguments.path()?),
                _ => return Err(option.unexpected()),
            }
            Ok(())
        });
        goes_on.then_some(options)
    }
}
