//! The race check: which accesses of a job's images no rule of the memory model orders.
//!
//! It is for jobs whose images are threads, so that all of it is memory of one process. Each access that is not a plain load or store passes
//! here, and each synchronisation. What orders two accesses is what the rules promise, whatever this machine does.

pub(crate) mod clock;
pub(crate) mod element;
pub(crate) mod order;
pub(crate) mod origins;
pub(crate) mod policy;
pub(crate) mod races;
pub(crate) mod record;
pub(crate) mod shadow;
pub(crate) mod sites;
pub(crate) mod sparse;
pub(crate) mod stamp;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::check::element::element;
use crate::check::order::Order;
use crate::check::origins::Origins;
use crate::check::policy::Check;
use crate::check::races::Races;
use crate::check::record::{CheckRecord, OrderingLines};
use crate::check::shadow::{Shadow, Span};
use crate::check::sites::{Line, Short, Sites};
use coarray_fabric::system::type_name::short;

/// What the images of a checked job share.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) policy: Check,
    pub(crate) shadow: Shadow,
    pub(crate) order: Order,
    pub(crate) sites: Sites,
    pub(crate) races: Races,
    /// The lines that synchronise, if they are to be known.
    pub(crate) ordering_lines: Option<OrderingLines>,
    /// What gets have got, if that is to be known.
    pub(crate) origins: Option<Origins>,
    /// Whether an image has called a fence: by words that are put after one, others may learn what came before it. So accesses that may race, too, are noted
    /// from then on.
    pub(crate) has_fenced: AtomicBool,
    /// Where the heap begins in each part.
    pub(crate) heap: usize,
    objects: Mutex<BTreeMap<(usize, usize), Object>>,
}

/// What is at some bytes of a heap.
#[derive(Clone, Copy, Debug)]
struct Object {
    size: usize,
    subject: &'static str,
    line: Line,
}

impl Checked {
    /// For heaps of so many bytes, which begin at `heap` in each part.
    pub(crate) fn new(images: usize, heap: usize, heap_bytes: usize, policy: &Check) -> Self {
        Self {
            policy: policy.clone(),
            shadow: Shadow::new(images, heap_bytes),
            order: Order::new(images),
            sites: Sites::default(),
            races: Races::new(policy.tells),
            ordering_lines: policy.record.as_ref().map(|_| OrderingLines::default()),
            origins: policy.origins.then(|| Origins::new(images)),
            has_fenced: AtomicBool::new(false),
            heap,
            objects: Mutex::default(),
        }
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<(usize, usize), Object>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An object begins at these bytes of the heap of an image, whose accesses to what was there before concern nobody.
    pub(crate) fn begin_object(
        &self,
        image: usize,
        bytes: Range<usize>,
        subject: &'static str,
        line: Line,
    ) {
        let (offset, length) = (bytes.start, bytes.len());
        self.shadow.clear(Span {
            image,
            offset,
            length,
        });
        let in_part = self.heap + bytes.start..self.heap + bytes.end;
        self.order.forget(image, &in_part, self.heap);
        let object = Object {
            size: length,
            subject,
            line,
        };
        let mut objects = self.objects();
        let former = (image, bytes.start)..(image, bytes.end.max(bytes.start + 1));
        let former: Vec<_> = objects.range(former).map(|(&place, _)| place).collect();
        for place in former {
            objects.remove(&place);
        }
        objects.insert((image, bytes.start), object);
    }

    /// What the job leaves for the process that has asked for it.
    pub(crate) fn record(&self) -> CheckRecord {
        let site = |number| self.sites.site(number);
        let race = self.races.first();
        CheckRecord {
            lines: self
                .ordering_lines
                .as_ref()
                .map(OrderingLines::all)
                .unwrap_or_default(),
            race: race.map(|(one, other)| format!("{} and {}", site(one), site(other))),
        }
    }

    /// "[3][4] of image 2 in the coarray of [[i32; 20]; 10] created at src/main.rs:9".
    pub(crate) fn describe(&self, image: usize, offset: usize) -> String {
        let objects = self.objects();
        let object = objects.range((image, 0)..=(image, offset)).next_back();
        let Some((&(_, start), object)) = object else {
            return format!("memory of image {image}");
        };
        let subject = short(object.subject);
        let element = element(&subject, object.size, offset - start);
        let is_named =
            ["HaloArray<", "Ragged<", "RaggedRows<"].map(|name| subject.starts_with(name));
        let kind = if is_named.contains(&true) {
            ""
        } else {
            "coarray of "
        };
        format!(
            "{element} of image {image} in the {kind}{subject} created at {}",
            Short(object.line)
        )
    }
}
