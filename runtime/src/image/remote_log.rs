//! What an image keeps of the asynchronous collectives of a team on other nodes; `request_between_nodes.rs` has the
//! protocol.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use crate::image::contribution::Contribution;
use crate::image::eager::{EagerDescriptor, LogMessage, Payload, Watermark};
use crate::image::node_map::NodeMap;
use crate::lockfree::arrival::Signature;
use crate::lockfree::eventcount::Eventcount;
use crate::lockfree::log::Reclaimable;
use coarray_fabric::transport::fabric::Fabric;

/// An image's state for the asynchronous collectives of all teams that span nodes.
#[derive(Debug, Default)]
pub(crate) struct RemoteLogs {
    /// By the identity of the team.
    pub(crate) open: BTreeMap<u64, Rc<TeamLogs>>,
    /// Messages for teams to which this image has posted nothing so far, each with the index of its sender.
    pub(crate) early: BTreeMap<u64, Vec<(usize, LogMessage)>>,
}

/// The state for one team.
#[derive(Debug)]
pub(crate) struct TeamLogs {
    pub(crate) team: u64,
    /// This image's index.
    pub(crate) index: usize,
    /// By index; none for those that share memory with this image.
    pub(crate) members: Box<[Option<RemoteLog>]>,
    /// This image's watermark.
    pub(crate) watermark: Cell<Watermark>,
    /// The watermark that it has announced to all members.
    pub(crate) announced: Cell<Watermark>,
    /// Whether it has dropped the team.
    pub(crate) is_closed: Cell<bool>,
}

/// The log of a member on another node.
#[derive(Debug)]
pub(crate) struct RemoteLog {
    /// Its number in the job.
    pub(crate) image: usize,
    /// How many eager descriptors have arrived from it.
    pub(crate) posted: Eventcount,
    /// The last of these.
    pub(crate) descriptors: RefCell<VecDeque<EagerDescriptor>>,
    /// How many were found to be of the same calls as this image's.
    pub(crate) compared: Cell<u64>,
    /// The watermark that it has announced.
    pub(crate) watermark: Cell<Watermark>,
    /// Bytes of its payloads that this image has consumed and not acknowledged.
    pub(crate) unacknowledged_bytes: Cell<usize>,
}

impl RemoteLog {
    pub(crate) fn new(image: usize) -> Self {
        Self {
            image,
            posted: Eventcount::default(),
            descriptors: RefCell::default(),
            compared: Cell::new(0),
            watermark: Cell::new(Watermark::NONE),
            unacknowledged_bytes: Cell::new(0),
        }
    }

    /// How many eager descriptors have arrived.
    pub(crate) fn posted(&self) -> &Eventcount {
        &self.posted
    }

    /// How many of its descriptors this image has found and compared.
    pub(crate) fn found(&self) -> u64 {
        self.compared.get()
    }

    /// The number of the first eager descriptor that is kept.
    pub(crate) fn first_kept(&self) -> u64 {
        self.posted.count() - self.descriptors.borrow().len() as u64
    }

    /// Calls `read` with eager descriptor `number`, which has arrived and is kept.
    pub(crate) fn with_descriptor<R>(
        &self,
        number: u64,
        read: impl FnOnce(&EagerDescriptor) -> R,
    ) -> R {
        let index = (number - self.first_kept()) as usize;
        read(&self.descriptors.borrow()[index])
    }

    /// Compares the eager descriptors before number `end`, as far as they have arrived, with the signatures of this
    /// image.
    ///
    /// # Errors
    /// The number of the first that is of another call.
    pub(crate) fn compare(&self, end: u64, mine: impl Fn(u64) -> Signature) -> Result<(), u64> {
        let end = end.min(self.posted.count());
        for number in self.compared.get()..end {
            if self.with_descriptor(number, |eager| eager.signature != mine(number)) {
                return Err(number);
            }
            self.compared.set(number + 1);
        }
        Ok(())
    }

    /// The length of its contribution to collective `number`.
    pub(crate) fn length(&self, number: u64) -> usize {
        self.with_descriptor(number, EagerDescriptor::length)
    }

    /// A range of its contribution to collective `number`.
    ///
    /// # Safety
    /// This image has not finished that collective.
    ///
    /// # Panics
    /// If the contribution is shorter.
    pub(crate) unsafe fn fetch(
        &self,
        fabric: &dyn Fabric,
        number: u64,
        range: Range<usize>,
    ) -> Contribution<'static> {
        let offset = self.with_descriptor(number, |eager| match &eager.payload {
            Payload::Inline(bytes) => Err(Contribution::copied(&bytes[range.clone()])),
            &Payload::Remote(offset, length) => {
                assert!(
                    range.start <= range.end && range.end <= length,
                    "bytes {range:?} of {length}"
                );
                Ok(offset + range.start)
            }
        });
        match offset {
            // SAFETY: the owner wrote the payload there before it sent the eager descriptor, and reclaims it only after
            // this image has announced that it has finished with it.
            Ok(offset) => unsafe { Contribution::fetched(fabric, self.image, offset, range.len()) },
            Err(copy) => copy,
        }
    }

    pub(crate) fn forget(&self, number: u64) {
        let number = number.min(self.compared.get());
        let mut first = self.first_kept();
        let mut descriptors = self.descriptors.borrow_mut();
        while first < number && descriptors.pop_front().is_some() {
            first += 1;
        }
    }
}

impl TeamLogs {
    /// The state of image `index` for the team with this identity and these members.
    pub(crate) fn new(team: u64, index: usize, members: &[u32], node_map: &NodeMap) -> Self {
        let member = |index: usize| {
            let is_remote = !node_map.local_peers().contains(&index);
            is_remote.then(|| RemoteLog::new(members[index] as usize))
        };
        Self {
            team,
            index,
            members: (0..members.len()).map(member).collect(),
            watermark: Cell::new(Watermark::NONE),
            announced: Cell::new(Watermark::NONE),
            is_closed: Cell::new(false),
        }
    }

    /// The log of the member with this index, if it is on another node.
    #[inline]
    pub(crate) fn member(&self, index: usize) -> Option<&RemoteLog> {
        self.members[index].as_ref()
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = &RemoteLog> {
        self.members.iter().flatten()
    }

    /// What is reclaimable for the members on other nodes too.
    pub(crate) fn narrow(&self, reclaimable: Reclaimable) -> Reclaimable {
        self.members()
            .map(|member| member.watermark.get())
            .fold(reclaimable, |reclaimable, released| {
                reclaimable.and(released.descriptors, released.payloads)
            })
    }

    /// Forgets the eager descriptors: this image has dropped the team.
    pub(crate) fn close(&self) {
        self.is_closed.set(true);
        self.members()
            .for_each(|member| member.descriptors.borrow_mut().clear());
    }
}
