//! What an image keeps of the asynchronous collectives of a team: what it has posted, and how far it has come along the
//! records of the others.
//!
//! The asynchronous collectives of a team are numbered from 0, in the order of the calls, which is the same on all
//! images. Every call posts a record, also where the image contributes nothing, so that all can check that all make
//! the same calls. After that the others need nothing from the image: it may compute, or wait for something else,
//! for as long as it likes.

use std::rc::Rc;

use crate::call::Call;
use crate::collective::posting::Posting;
use crate::image::Image;
use crate::image::book::{Book, CHORES};
use crate::image::correspondence::Member;
use crate::image::notice::Posted;
use crate::image::orphan::Orphan;
use crate::image::record::{ALIGN, Draft, Record};
use crate::image::records::{SUBJECT, Taken};
use crate::image::team::Team;
use crate::lockfree::posts::{Board, Trail, Unneeded};
use crate::lockfree::tally::Tally;
use crate::messages::complete::complete;

/// While so many bytes of payloads are not taken back, every meeting is an occasion to look.
const MANY: usize = 1 << 20;

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
            self.correspond();
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
        if let Some(correspondence) = self.correspondence.get() {
            let in_part = |offset| image.job.region.heap_offset() + offset;
            let inside = taken.record + Record::INSIDE;
            let posted = Posted {
                number,
                tag: call.tag(),
                record: in_part(taken.record),
                payload: in_part(taken.payload.unwrap_or(inside)),
                pieces,
                length: draft.payload_size(),
            };
            correspondence.tell_posted(image, &posted);
        }
        book.begun += 1;
        book.is_over.push_back(false);
        Posting::new(Rc::clone(self), *call, number)
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
        if let Some(member) = self.far(index) {
            let compared = member.compare(end, |number| *self.own_record(book, number).tag());
            return compared.map_err(|number| Mismatch { index, number });
        }
        let mut bytes = 0;
        while book.trails[index].found() < end {
            let trail = &book.trails[index];
            let link = |offset| self.record(index, offset).link();
            let Some(offset) = trail.next(self.board(index), link) else {
                break;
            };
            let number = trail.found();
            let record = self.record(index, offset);
            if record.tag() != self.own_record(book, number).tag() {
                return Err(Mismatch { index, number });
            }
            bytes += record.payload_size();
            book.trails[index].push(offset);
        }
        book.chores.1 = book.chores.1.saturating_add(bytes);
        Ok(())
    }

    /// The record of this image with that number, which is not taken back.
    fn own_record(&self, book: &Book, number: u64) -> Record<'_> {
        self.record(self.index(), book.trails[self.index()].place(number))
    }

    /// How many records of an image this one has found.
    fn found(&self, book: &Book, index: usize) -> u64 {
        self.far(index)
            .map_or_else(|| book.trails[index].found(), Member::found)
    }

    /// How many records an image has posted, as far as this one has heard.
    #[inline]
    pub(crate) fn posted(&self, index: usize) -> &Tally {
        self.far(index)
            .map_or_else(|| &self.board(index).posted, Member::posted)
    }

    /// Finds the record of an image with that number, which is posted, and compares it; if it is of another call, the job
    /// ends with a report.
    pub(crate) fn find(&self, index: usize, number: u64) {
        let mut book = self.book.borrow_mut();
        if let Err(mismatch) = self.follow(&mut book, index, number + 1) {
            self.report(&book, &mismatch);
        }
    }

    /// What an image that shares memory with this one contributes to the collective with that number, whose record was
    /// found.
    ///
    /// # Safety
    /// This image does not finish with that collective as long as the bytes are used.
    pub(crate) unsafe fn payload(&self, index: usize, number: u64) -> &[u8] {
        let place = self.book.borrow().trails[index].place(number);
        // SAFETY: the owner does not take the payload back before this image has finished with it.
        unsafe { self.record(index, place).payload() }
    }

    /// Notes that this image has finished with the collective with that number.
    pub(crate) fn finish_with(&self, number: u64) {
        let mut book = self.book.borrow_mut();
        book.end(number);
        self.board(self.index()).finish(book.settled);
        if let Some(correspondence) = self.correspondence.get() {
            correspondence.finish(self.image(), book.settled);
        }
        if book.note(0) && self.do_chores(&mut book).is_err() {
            // The next call will find the mismatch again, and can report it.
            book.chores = CHORES;
        }
    }

    /// Looks at what the others have posted so far, tells them what this image needs no more, and takes back what
    /// nobody needs.
    #[cold]
    fn do_chores(&self, book: &mut Book) -> Result<(), Mismatch> {
        let image = self.image();
        image.poll();
        let (mut result, mut released) = (Ok(()), book.settled);
        for index in (0..self.images()).filter(|&index| index != self.index()) {
            let followed = self.follow(book, index, book.begun);
            // A failed image posts no more, so that this was all of it, and its memory stays as it is.
            if followed.is_err() || !self.is_failed(index) {
                released = released.min(self.found(book, index));
            }
            result = result.and(followed);
        }
        book.trails
            .iter_mut()
            .for_each(|trail| trail.forget(released));
        self.board(self.index()).release(released);
        if let Some(correspondence) = self.correspondence.get() {
            correspondence.release(image, released);
        }
        self.take_back(book);
        book.chores = (0, 0);
        image.collect_orphans();
        result
    }

    /// Takes back what nobody needs, as far as the others have said so.
    fn take_back(&self, book: &mut Book) {
        let left =
            (0..self.images()).filter(|&index| self.far(index).is_none() && !self.is_failed(index));
        let mut unneeded = Unneeded::by(left.map(|index| self.board(index)));
        if let Some(correspondence) = self.correspondence.get() {
            unneeded = correspondence.narrow(unneeded);
        }
        book.records.take_back(self.image(), unneeded);
    }

    #[cold]
    fn report(&self, book: &Book, mismatch: &Mismatch) -> ! {
        let &Mismatch { index, number } = mismatch;
        let mine = self.own_record(book, number).describe(self);
        let theirs = if let Some(member) = self.far(index) {
            // SAFETY: its notice has come, and was found to be of another call, so that this image has not released it.
            unsafe { member.describe(self, number) }
        } else {
            let link = |offset| self.record(index, offset).link();
            let found = book.trails[index].next(self.board(index), link);
            let offset = found.expect("a record was found there");
            self.record(index, offset).describe(self)
        };
        let numbers = [self.index(), index].map(|index| self.members()[index] as usize);
        self.disagree([(numbers[0], mine), (numbers[1], theirs)])
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
        self.leave_correspondence();
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
            correspondence: self.correspondence.get().map(Rc::clone),
        };
        let is_kept = image.adopt(orphan).is_none();
        image.collect_orphans();
        is_kept
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
        self.poll();
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
