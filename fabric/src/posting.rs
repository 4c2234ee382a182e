//! Asynchronous collectives: each image posts what it contributes, and takes what it needs from the others when it
//! is there.
//!
//! The asynchronous collectives of a team are numbered from 0, in the order of the calls, which is the same on all
//! images. Every call posts a record, also where the image contributes nothing, so that all can check that all make
//! the same calls. After that the others need nothing from the image: it may compute, or wait for something else,
//! for as long as it likes.

use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::call::Call;
use crate::image::Image;
use crate::orphan::Orphan;
use crate::posts::{Board, Trail, Unneeded};
use crate::record::{ALIGN, Draft, Record};
use crate::records::{Records, SUBJECT, Taken};
use crate::shared_memory::complete;
use crate::status::ImageFailed;
use crate::team::Team;
use crate::waiting::{Cause, Interruption};

/// After so many records, or so many bytes of them, an image looks what may be taken back.
const CHORES: (usize, usize) = (32, 1 << 20);

/// While so many bytes of payloads are not taken back, every meeting is an occasion to look.
const MANY: usize = 1 << 20;

/// What an image keeps of the asynchronous collectives of a team.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// How many it has begun.
    begun: u64,
    /// For each from number `settled` on, whether it is over on this image.
    is_over: VecDeque<bool>,
    /// All before are over on this image.
    settled: u64,
    /// The records of each image, by index; none before the first call.
    trails: Vec<Trail>,
    records: Records,
    chores: (usize, usize),
    /// Whether the image looks after the payloads of this team.
    is_creditor: bool,
}

impl Book {
    /// Notes that a record was written or read. Returns whether it is time to look what may be taken back.
    fn note(&mut self, bytes: usize) -> bool {
        self.chores.0 += 1;
        self.chores.1 = self.chores.1.saturating_add(bytes);
        self.chores.0 >= CHORES.0 || self.chores.1 >= CHORES.1
    }

    fn end(&mut self, number: u64) {
        self.is_over[(number - self.settled) as usize] = true;
        while self.is_over.front() == Some(&true) {
            self.is_over.pop_front();
            self.settled += 1;
        }
    }
}

/// That image is in another asynchronous collective of that number.
struct Mismatch {
    index: usize,
    number: u64,
}

impl Team {
    /// Collective. Begins an asynchronous collective, to which this image contributes these bytes, one piece after
    /// the other. Never waits for another image.
    ///
    /// If an image is found to make another call than this one, the job ends with a report. If the job has ended,
    /// the image unwinds.
    ///
    /// # Panics
    /// If the heap has no room for the bytes.
    ///
    /// # Safety
    /// Other layers rely on what an image contributes to this call: it is what the operation says.
    #[must_use = "who drops it does not want what the others contribute"]
    pub unsafe fn post(self: &Rc<Self>, call: &Call, pieces: &[&[u8]]) -> Posting {
        let image = self.image();
        image.check_in();
        complete();
        let draft = Draft::new(call, pieces);
        let mut book = self.book.borrow_mut();
        let book = &mut *book;
        if book.trails.is_empty() {
            book.trails.resize_with(self.images(), Trail::default);
        }
        if book.note(draft.bare_size() + draft.payload_size())
            && let Err(mismatch) = self.do_chores(book)
        {
            self.report(book, &mismatch);
        }
        let taken = match book.records.take(image, &draft, call) {
            Ok(taken) => taken,
            Err(_) => self.make_room(book, &draft, call),
        };
        // SAFETY: the offsets are those of blocks in this image's heap, which is mapped.
        let place = |offset| unsafe { image.heap(image.index).add(offset) };
        // SAFETY: the blocks are at least as large as the draft asks for, aligned likewise, and unknown to all others.
        unsafe { draft.write(place(taken.record), taken.payload.map(place)) };
        if taken.payload.is_some() && !book.is_creditor {
            book.is_creditor = true;
            image.creditors.borrow_mut().push(Rc::downgrade(self));
        }
        let number = book.begun;
        let trail = &mut book.trails[self.index()];
        let last = trail.last().map(|last| self.record(self.index(), last));
        let board = self.board(self.index());
        board.post(last.map(Record::link), taken.record as u64, number);
        trail.push(taken.record as u64);
        book.begun += 1;
        book.is_over.push_back(false);
        Posting {
            team: Rc::clone(self),
            call: *call,
            number,
        }
    }

    /// Places for a record, after there were none.
    #[cold]
    fn make_room(&self, book: &mut Book, draft: &Draft<'_>, call: &Call) -> Taken {
        let image = self.image();
        if let Err(mismatch) = self.do_chores(book) {
            self.report(book, &mismatch);
        }
        book.records.give_up_spares(image);
        let size = match book.records.take(image, draft, call) {
            Ok(taken) => return taken,
            Err(size) => size,
        };
        match image.allocate_ragged(size, ALIGN, SUBJECT, call.caller()) {
            Ok(_) => unreachable!("it was just refused"),
            Err(error) => panic!("{}: {error}", call.describe(self)),
        }
    }

    fn board(&self, index: usize) -> &Board {
        &self.control(index).board
    }

    /// The record at that offset of that image's heap.
    #[inline]
    fn record(&self, index: usize, offset: u64) -> Record<'_> {
        let heap = self.image().heap(self.members()[index] as usize);
        // SAFETY: who asks for it knows the offset from a trail or from a link that it needs and has therefore not
        // released; the owner leaves the record where it is.
        unsafe { Record::at(heap.add(offset as usize)) }
    }

    /// Finds the records of an image before number `end`, as far as they are posted, and compares their tags.
    fn follow(&self, book: &mut Book, index: usize, end: u64) -> Result<(), Mismatch> {
        let mut bytes = 0;
        while book.trails[index].found() < end {
            let trail = &book.trails[index];
            let link = |offset| self.record(index, offset).link();
            let Some(offset) = trail.next(self.board(index), link) else {
                break;
            };
            let number = trail.found();
            let record = self.record(index, offset);
            let mine = self.record(self.index(), book.trails[self.index()].place(number));
            if record.tag() != mine.tag() {
                return Err(Mismatch { index, number });
            }
            bytes += record.payload_size();
            book.trails[index].push(offset);
        }
        book.chores.1 = book.chores.1.saturating_add(bytes);
        Ok(())
    }

    /// Looks at what the others have posted so far, tells them what this image needs no more, and takes back what
    /// nobody needs.
    #[cold]
    fn do_chores(&self, book: &mut Book) -> Result<(), Mismatch> {
        let image = self.image();
        let (mut result, mut released) = (Ok(()), book.settled);
        for index in (0..self.images()).filter(|&index| index != self.index()) {
            let followed = self.follow(book, index, book.begun);
            // A failed image posts no more, so that this was all of it, and its memory stays as it is.
            if followed.is_err() || !self.is_failed(index) {
                released = released.min(book.trails[index].found());
            }
            result = result.and(followed);
        }
        book.trails
            .iter_mut()
            .for_each(|trail| trail.forget(released));
        self.board(self.index()).release(released);
        self.take_back(book);
        book.chores = (0, 0);
        image.collect_orphans();
        result
    }

    /// Takes back what nobody needs, as far as the others have said so.
    fn take_back(&self, book: &mut Book) {
        let left = (0..self.images()).filter(|&index| !self.is_failed(index));
        let unneeded = Unneeded::by(left.map(|index| self.board(index)));
        book.records.take_back(self.image(), unneeded);
    }

    #[cold]
    fn report(&self, book: &Book, mismatch: &Mismatch) -> ! {
        let &Mismatch { index, number } = mismatch;
        let describe = |index: usize, offset| {
            let record = self.record(index, offset);
            (self.members()[index] as usize, record.describe(self))
        };
        let mine = describe(self.index(), book.trails[self.index()].place(number));
        let link = |offset| self.record(index, offset).link();
        match book.trails[index].next(self.board(index), link) {
            Some(offset) => self.disagree([mine, describe(index, offset)]),
            None => unreachable!("a record was found there"),
        }
    }

    /// Takes leave of the asynchronous collectives of a team that this image drops. Returns whether other images
    /// still need what it has posted; then the team's block is taken care of.
    pub(crate) fn leave_posts(&mut self) -> bool {
        let mut book = self.book.take();
        let Some(origin) = &self.origin else {
            return false;
        };
        let image = self.image();
        let board = self.board(self.index());
        board.finish(u64::MAX);
        board.release(u64::MAX);
        book.records.give_up_spares(image);
        if book.records.is_empty() {
            return false;
        }
        let orphan = Orphan {
            records: book.records,
            parent: Rc::clone(&origin.parent),
            block: origin.block,
            members: Rc::clone(self.members()),
            control: self.identity().0 as usize,
        };
        let is_kept = image.adopt(orphan).is_none();
        image.collect_orphans();
        is_kept
    }
}

/// An asynchronous collective that this image has begun; see [`Team::post`].
///
/// Who drops it needs nothing more from the others.
pub struct Posting {
    team: Rc<Team>,
    call: Call,
    number: u64,
}

impl Posting {
    /// The team whose images take part.
    #[must_use]
    pub fn team(&self) -> &Rc<Team> {
        &self.team
    }

    /// This image's call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Whether the image with that index has made its contribution.
    ///
    /// If it has failed before, the job ends with a report. If the job has ended, the image unwinds.
    #[must_use]
    pub fn is_here(&self, index: usize) -> bool {
        let team = &*self.team;
        let posted = &team.board(index).posted;
        if posted.has_reached(self.number + 1) {
            return true;
        }
        team.image().check_in();
        if !team.is_failed(index) {
            return false;
        }
        if !posted.has_reached(self.number + 1) {
            self.miss(index);
        }
        true
    }

    /// What the image with that index contributes, when it is there; aligned to a cache line.
    ///
    /// If the image is in another collective, or has failed, the job ends with a report. If the job has ended, the
    /// image unwinds.
    #[must_use]
    pub fn from(&self, index: usize) -> &[u8] {
        let team = &*self.team;
        let posted = &team.board(index).posted;
        let cause = Absence {
            posting: self,
            index,
            deadline: None,
        };
        if !posted.has_reached(self.number + 1)
            && team.image().wait(posted, self.number + 1, cause).is_err()
        {
            self.miss(index);
        }
        let mut book = team.book.borrow_mut();
        if let Err(mismatch) = team.follow(&mut book, index, self.number + 1) {
            team.report(&book, &mismatch);
        }
        let record = team.record(index, book.trails[index].place(self.number));
        // SAFETY: the owner does not take the payload back before this image has finished with it, when `self` is
        // dropped.
        unsafe { record.payload() }
    }

    /// Waits until the image with that index has made its contribution, but at most for so long.
    ///
    /// If it has failed before, the job ends with a report. If the job has ended, the image unwinds.
    pub fn nap(&self, index: usize, longest: Duration) {
        let cause = Absence {
            posting: self,
            index,
            deadline: Instant::now().checked_add(longest),
        };
        let posted = &self.team.board(index).posted;
        let end = self.team.image().wait(posted, self.number + 1, cause);
        if end == Err(Interruption::Failed) {
            self.miss(index);
        }
    }

    #[cold]
    fn miss(&self, index: usize) -> ! {
        let failed = ImageFailed::new(vec![index]);
        self.team
            .fail_because(&failed, &self.call.describe(&self.team))
    }
}

impl Drop for Posting {
    fn drop(&mut self) {
        let mut book = self.team.book.borrow_mut();
        book.end(self.number);
        self.team.board(self.team.index()).finish(book.settled);
        if book.note(0) && self.team.do_chores(&mut book).is_err() {
            // The next call will find the mismatch again, and can report it.
            book.chores = CHORES;
        }
    }
}

impl Image {
    /// Takes back the payloads that nobody needs any more, if they are many.
    #[inline]
    pub(crate) fn collect_many_payloads(&self) {
        if self.owed.get() >= MANY {
            self.collect_payloads();
        }
    }

    /// Takes back the payloads that nobody needs any more, of all teams.
    #[cold]
    pub(crate) fn collect_payloads(&self) {
        if self.owed.get() == 0 {
            return;
        }
        self.creditors.borrow_mut().retain(|team| {
            let Some(team) = team.upgrade() else {
                return false;
            };
            // The team may be about to post, and then looks itself.
            if let Ok(mut book) = team.book.try_borrow_mut() {
                team.take_back(&mut book);
                book.is_creditor = book.records.has_payloads();
                book.is_creditor
            } else {
                true
            }
        });
        self.collect_orphans();
    }
}

impl fmt::Debug for Posting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Posting")
            .field("call", &self.call)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// Why an image waits for an asynchronous collective: for the image with that index.
struct Absence<'a> {
    posting: &'a Posting,
    index: usize,
    deadline: Option<Instant>,
}

impl Cause for Absence<'_> {
    fn words(&self) -> String {
        let Posting { call, team, .. } = self.posting;
        format!("is in {}", call.describe(team))
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.posting.team.members()[self.index] as usize)
    }

    fn has_failed(&self) -> bool {
        self.posting.team.is_failed(self.index)
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}
