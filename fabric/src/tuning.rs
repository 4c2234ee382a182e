//! The table of choices that the job uses: image 0 reads it, before the program begins, and hands it to all others, so
//! that no two images can choose differently.

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::rc::Rc;

use crate::choice::Choices;
use crate::image::Image;
use crate::launch::USAGE;
use crate::message::{Kind, Letter};
use crate::tally::Tally;
use crate::text::Text;
use crate::waiting::Cause;

/// The file that is read if there is one and `COARRAY_COLLECTIVES` names no other.
const FILE: &str = "collectives.toml";

const VARIABLE: &str = "COARRAY_COLLECTIVES";

/// Most bytes of a table.
const MOST: usize = 1 << 14;

/// The table, in the memory of the job.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct ChoicesRecord {
    /// 1 once the text is there.
    ready: Tally,
    text: Text<MOST>,
}

impl Image {
    /// Reads the table of choices and hands it to all images; for image 0, at its beginning. If there is
    /// something wrong with it, the job ends with a report.
    pub(crate) fn publish_choices(&self) {
        let text = self.read_choices();
        if let Err(error) = Choices::parse(&text) {
            self.refuse_table("use", error);
        }
        if self.network.is_some() {
            self.send_to_all(&Letter::new(Kind::Choices).bytes(text.as_bytes()));
        }
        self.take_choices(&text);
    }

    /// Hands the table to the images of this node. If others did so before, it was the same.
    pub(crate) fn take_choices(&self, text: &str) {
        let record = &self.job.region.job().choices;
        if record.ready.count() == 0 {
            record.text.set(text);
            record.ready.raise_to(1);
        }
    }

    fn read_choices(&self) -> String {
        let path = path();
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error)
                if error.kind() == ErrorKind::NotFound && std::env::var_os(VARIABLE).is_none() =>
            {
                return String::new();
            }
            Err(error) => self.refuse_table("read", error),
        };
        if text.len() > MOST {
            let length = text.len();
            let why = format!("it has {length} bytes, and at most {MOST} are possible");
            self.refuse_table("use", why);
        }
        text
    }

    /// Ends the job as any wrong setting does.
    fn refuse_table(&self, verb: &str, why: impl Display) -> ! {
        let path = path();
        let origin = match std::env::var_os(VARIABLE) {
            Some(_) => VARIABLE,
            None => "in the folder where the job was started",
        };
        let table = path.display();
        self.stop(
            USAGE,
            format!("cannot {verb} the table of algorithms {table} ({origin}): {why}"),
        )
    }

    /// The table of choices; waits for image 0 to have read it.
    pub(crate) fn choices(&self) -> Rc<Choices> {
        let table = self.choices.get_or_init(|| {
            let record = &self.job.region.job().choices;
            // An image 0 that failed before it read the table leaves everyone with the built-in choices.
            let text = match self.wait(&record.ready, 1, Reading) {
                Ok(()) => record.text.get(),
                Err(_) => String::new(),
            };
            // Image 0 has made sure that it can be read.
            Rc::new(Choices::parse(&text).unwrap_or_default())
        });
        Rc::clone(table)
    }
}

fn path() -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| FILE.into(), PathBuf::from)
}

/// Waiting for the table.
struct Reading;

impl Cause for Reading {
    fn words(&self) -> String {
        "waits for image 0 to read the table of algorithms".into()
    }

    fn awaited(&self) -> Option<usize> {
        Some(0)
    }

    fn has_failed(&self) -> bool {
        Image::current().has_failed(0)
    }
}
