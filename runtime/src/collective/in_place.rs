//! Memory that an image lends to the others of its team, which read it where it is; `lockfree/lending.rs` has the protocol.

use std::mem::forget;
use std::ops::Range;
use std::ptr;

use crate::image::team::Team;
use crate::job::settings::FabricKind;
use crate::lockfree::lending::Lending;
use crate::primitives::yield_now;
use coarray_fabric::system::cross_memory;

/// Set in the place of memory in an image's part of the region; the other bits are its offset there.
const IN_PART: u64 = 1 << 63;

/// Set in the place of memory of an image's process that others read by the kernel; the other bits are its address there. A place
/// without these two bits is an address in the one process of all images.
const IN_PROCESS: u64 = 1 << 62;

/// Memory that this image lends to the others of the team. If this is dropped, the loan is withdrawn, and others have finished
/// reading.
#[derive(Debug)]
#[must_use = "nobody reads the memory when this is dropped"]
pub struct Loan<'a> {
    team: &'a Team,
    /// The number of the barrier that announces it.
    number: u64,
}

impl Team {
    /// Whether this image reads the memory of the processes of all others by the kernel: they are on its node, and let it.
    #[must_use]
    pub fn reads_processes(&self) -> bool {
        let image = self.image();
        let others = self.members().iter().map(|&member| member as usize);
        let mut others = others.filter(|&other| other != image.index());
        let processes = image.cross_memory.as_ref();
        let processes = processes.filter(|_| self.is_on_one_node());
        processes.is_some_and(|processes| {
            others.all(|other| processes.can_read(other, image.control(other)))
        })
    }

    /// Where all images of the team find these bytes of this image's memory, as a number that is not 0: those of its node by loads, or
    /// `by_kernel`, the others by the fabric. None if some do not reach them.
    #[must_use]
    pub fn place_for_all(&self, start: *const u8, length: usize, by_kernel: bool) -> Option<u64> {
        if length == 0 {
            return None;
        }
        // What others read is read through this pointer.
        let address = start.expose_provenance();
        let image = self.image();
        if image.job.fabric == FabricKind::Threads {
            // What a lender that unwinds writes, no thread of its process may read: those that are on simulated nodes are not waited for.
            return self.is_on_one_node().then_some(address as u64);
        }
        let own = image.locate(address).filter(|place| {
            place.image == image.index() && place.offset + length <= image.stride()
        });
        let in_process = by_kernel.then_some(IN_PROCESS | address as u64);
        own.map(|place| IN_PART | place.offset as u64)
            .or(in_process)
    }

    /// Whether memory at this place is read by the kernel.
    #[must_use]
    pub fn is_in_process(place: u64) -> bool {
        place & IN_PART == 0 && place & IN_PROCESS != 0
    }

    /// Lends memory of this image, which the next barrier of the team announces.
    ///
    /// # Safety
    /// Nobody writes what others read until the loan is [returned](Loan::returned) or dropped, which happens before the memory ends.
    pub unsafe fn lend(&self) -> Loan<'_> {
        let number = self.barriers() + 1;
        Loan { team: self, number }
    }

    /// Fetches bytes of what the image with this index has lent at `place`: from another node by the fabric, or from another
    /// process by the kernel. They are any bytes if a panic unwinds that image. Returns false if the kernel does not
    /// reach them any more, and some may have been copied then.
    ///
    /// # Safety
    /// As [`read_lent`](Self::read_lent), but `place` may be in a process; and `target` is valid for writes of as many bytes.
    #[cold]
    #[must_use]
    pub unsafe fn fetch_lent(
        &self,
        index: usize,
        place: u64,
        bytes: Range<usize>,
        target: *mut u8,
    ) -> bool {
        if place & IN_PART == 0 {
            let lender = self.image().control(self.members()[index] as usize);
            let start = (place & !IN_PROCESS) as usize + bytes.start;
            return lender.memory.offered().is_some_and(|(process, ..)| {
                // SAFETY: the caller vouches for the target.
                unsafe { cross_memory::read(process, start, target, bytes.len()) }.is_ok()
            });
        }
        let offset = (place & !IN_PART) as usize;
        // SAFETY: the caller vouches for the bytes, which lie in that image's part, and for the target.
        unsafe { self.get(index, offset + bytes.start..offset + bytes.end, target) }
        true
    }

    /// Reads what the image with this index has lent by barrier `number`, at `place`, by loads: calls `read` with its start, and
    /// returns whether that has read. Does not call it if the loan was withdrawn, as a panic unwinds that image.
    ///
    /// # Safety
    /// That image got `place`, which is not [in a process](Self::is_in_process), from [`place_for_all`](Self::place_for_all) for what it
    /// [lent](Self::lend) then. `read` reads from these
    /// bytes only, where nobody writes, and runs nothing of the program. No barrier after the loan's last has been passed.
    #[must_use]
    pub unsafe fn read_lent(
        &self,
        index: usize,
        number: u64,
        place: u64,
        read: impl FnOnce(*const u8),
    ) -> bool {
        struct Reading<'a>(&'a Lending);

        impl Drop for Reading<'_> {
            fn drop(&mut self) {
                self.0.end();
            }
        }

        let own = &self.control(self.index()).lending;
        let lender = &self.control(index).lending;
        let reading = Reading(own);
        let stands = own.begin(lender, index, number);
        if stands {
            read(self.reach_lent(index, place));
        }
        drop(reading);
        stands
    }

    fn reach_lent(&self, index: usize, place: u64) -> *const u8 {
        if place & IN_PART == 0 {
            return ptr::with_exposed_provenance(place as usize);
        }
        let lender = self.members()[index] as usize;
        let offset = (place & !IN_PART) as usize;
        self.image().job.region.part_address(lender, offset)
    }
}

impl Loan<'_> {
    /// Ends the loan: this image has passed a barrier of the team after that which announced it, or found out there who has failed.
    /// So all others have finished reading.
    ///
    /// # Safety
    /// It has.
    pub unsafe fn returned(self) {
        forget(self);
    }
}

impl Drop for Loan<'_> {
    #[cold]
    fn drop(&mut self) {
        let (team, me) = (self.team, self.team.index());
        if team.barriers() < self.number {
            // No barrier has announced it, so no image of this node reads.
            return;
        }
        team.control(me).lending.withdraw(self.number);
        // Those on other nodes are not waited for: they get any bytes of memory that stays, and pass no barrier of the job, which has ended.
        let near = (0..team.images()).filter(|&index| index != me && team.is_local(index));
        for index in near {
            while team.control(index).lending.is_reading(me) && !team.is_failed(index) {
                yield_now();
            }
        }
    }
}
