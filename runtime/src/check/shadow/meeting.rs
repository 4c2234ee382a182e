//! What an access meets in the shadow, and what is left there.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

use crate::check::shadow::blocks::{BLOCK, Cells, Locked, get, set};
use crate::check::shadow::{Granule, Judge, Shadow, Stamps, TABLES};
use crate::check::stamp::Stamp;

impl Shadow {
    /// Notes an access to all granules of a block, which begins with this one.
    pub(super) fn note_block(
        &self,
        locked: &Locked<'_>,
        first: Granule,
        mine: Stamp,
        judge: &impl Judge,
    ) {
        if !note_alike(locked, first, mine, judge) {
            for number in first.number..first.number + BLOCK {
                self.note_one(locked, first.image, number, mine, judge);
            }
        }
    }

    #[inline(always)]
    pub(super) fn note_one(
        &self,
        locked: &Locked<'_>,
        image: usize,
        number: usize,
        mine: Stamp,
        judge: &impl Judge,
    ) {
        let granule = Granule { image, number };
        let former = get(locked.cells(number));
        if is_noted(former, mine, granule, judge) {
            return;
        }
        let cells = locked.own_cells(number);
        match yields_both(former, mine, granule, judge) {
            true => {
                let [writes, reads] = left_after(former, mine);
                set(cells, writes, reads);
            }
            false => self.meet_both(cells, granule, mine, judge),
        }
    }

    #[cold]
    #[inline(never)]
    fn meet_both(&self, cells: &Cells, granule: Granule, mine: Stamp, judge: &impl Judge) {
        for (cell, of_writes) in cells.iter().zip([true, false]) {
            let former = Stamp(cell.load(Ordering::Relaxed));
            let left = self.meet(granule, of_writes, former, mine, judge);
            cell.store(left.0, Ordering::Relaxed);
        }
    }

    /// What is left in a cell after an access, which meets what was in it.
    fn meet(
        &self,
        granule: Granule,
        of_writes: bool,
        former: Stamp,
        mine: Stamp,
        judge: &impl Judge,
    ) -> Stamp {
        let joins = of_writes == mine.is_write();
        if former.is_none() {
            return if joins { mine } else { former };
        }
        if former.is_many() {
            return self.meet_many(granule, of_writes, mine, judge);
        }
        let left = left_of(former, mine, granule, judge);
        match (left.is_none(), joins) {
            (true, true) => mine,
            (_, false) => left,
            (false, true) => self.keep(granule, of_writes, vec![left, mine]),
        }
    }

    #[cold]
    fn meet_many(
        &self,
        granule: Granule,
        of_writes: bool,
        mine: Stamp,
        judge: &impl Judge,
    ) -> Stamp {
        let stamps = self
            .table(granule)
            .remove(&(granule, of_writes))
            .unwrap_or_default();
        let left = stamps
            .into_iter()
            .map(|stamp| left_of(stamp, mine, granule, judge));
        let mut left: Vec<Stamp> = left.filter(|left| !left.is_none()).collect();
        if of_writes == mine.is_write() {
            left.push(mine);
        }
        match *left {
            [] => Stamp::NONE,
            [stamp] => stamp,
            _ => self.keep(granule, of_writes, left),
        }
    }

    #[cold]
    fn keep(&self, granule: Granule, of_writes: bool, stamps: Vec<Stamp>) -> Stamp {
        self.table(granule).insert((granule, of_writes), stamps);
        Stamp::MANY
    }

    pub(super) fn table(&self, granule: Granule) -> MutexGuard<'_, Stamps> {
        let table = &self.tables[(granule.number / BLOCK + granule.image) % TABLES];
        table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes an access to all granules of a block, if nothing is to be judged, and all have the same stamps then. Returns whether it has.
#[inline]
fn note_alike(locked: &Locked<'_>, first: Granule, mine: Stamp, judge: &impl Judge) -> bool {
    let mut seen = None;
    let mut alike = None;
    let each = match locked.alike() {
        Some(all) => std::slice::from_ref(all),
        None => locked.each(),
    };
    for cells in each {
        let former = get(cells);
        if seen == Some(former) {
            continue;
        }
        seen = Some(former);
        // Words that were put alike are seen one by one.
        if Stamp(former[0]).is_flag() {
            return false;
        }
        let left = match is_noted(former, mine, first, judge) {
            true => former,
            false if yields_both(former, mine, first, judge) => left_after(former, mine),
            false => return false,
        };
        if *alike.get_or_insert(left) != left {
            return false;
        }
    }
    if let Some([writes, reads]) = alike {
        locked.set_all(writes, reads);
    }
    true
}

/// Whether the same is there already, and has seen what is there.
#[inline(always)]
fn is_noted([writes, reads]: [u64; 2], mine: Stamp, granule: Granule, judge: &impl Judge) -> bool {
    match mine.is_write() {
        true => writes == mine.0 && reads == 0,
        // A get that was noted late was noted beside what came after it.
        false => reads == mine.0 && yields(Stamp(writes), mine, granule, judge),
    }
}

/// Whether an access needs no judgement where it meets others, and leaves nothing of those of the same kind.
#[inline(always)]
fn yields_both(former: [u64; 2], mine: Stamp, granule: Granule, judge: &impl Judge) -> bool {
    let [writes, reads] = former.map(Stamp);
    yields(writes, mine, granule, judge) && yields(reads, mine, granule, judge)
}

/// What is left where all yield.
#[inline(always)]
fn left_after([writes, _]: [u64; 2], mine: Stamp) -> [u64; 2] {
    match mine.is_write() {
        true => [mine.0, 0],
        false => [writes, mine.0],
    }
}

/// Whether an access needs no judgement where it meets another one, and leaves nothing of it if that is of the same kind.
#[inline(always)]
fn yields(former: Stamp, mine: Stamp, granule: Granule, judge: &impl Judge) -> bool {
    former.is_none()
        || former.mask() & !mine.mask() == 0
            && !former.is_many()
            && former.is_atomic() == mine.is_atomic()
            && (former.image() == mine.image()
                || !mine.is_atomic()
                    && ((former.is_write() || mine.is_write()) && judge.permits(former, mine)
                        || judge.covers(former, granule)))
}

/// What is left to be known of an access after one that meets it, which is judged.
fn left_of(former: Stamp, mine: Stamp, granule: Granule, judge: &impl Judge) -> Stamp {
    let shared = former.mask() & mine.mask();
    if shared == 0 {
        return former;
    }
    let is_covered = judge.covers(former, granule);
    let are_atomic = former.is_atomic() && mine.is_atomic();
    let are_reads = !former.is_write() && !mine.is_write();
    if are_atomic && former.is_write() && former.image() != mine.image() {
        judge.finds(former, mine, granule);
    }
    if !(is_covered || are_atomic || are_reads) {
        judge.conflict(former, mine, granule);
    }
    // A read takes no write away, nor a read that others may be unordered with. An atomic access does not hide from other images' atomic ones that
    // its image made a plain one.
    let hides = mine.is_write() || are_reads && is_covered;
    let is_own = former.image() == mine.image();
    let tells_more = is_own && mine.is_atomic() && !former.is_atomic();
    match hides && !tells_more {
        true => former.without(mine.mask()),
        false => former,
    }
}
