//! Memory that an image lends to the others of its team, which read it where it is; `lockfree/lending.rs` has the protocol.

use std::io;
use std::mem::forget;
use std::ptr;

use crate::image::team::Team;
use crate::job::settings::FabricKind;
use crate::lockfree::lending::Lending;
use crate::primitives::yield_now;
use coarray_fabric::direct;
use coarray_fabric::system::cross_memory;

/// Set in the place of memory in an image's part of the region; the other bits are its offset there.
const IN_PART: u64 = 1 << 63;

/// Set in the place of memory of an image's process that others read by the kernel; the other bits are its address there. A place
/// without these two bits is an address in the one process of all images.
const IN_PROCESS: u64 = 1 << 62;

/// Memory that an image has lent, as another image reaches it.
#[derive(Debug)]
pub enum Lent {
    /// By loads, at this address.
    Mapped(*const u8),
    /// By the kernel.
    InProcess {
        /// The process.
        process: u32,
        /// Where it is there.
        address: usize,
    },
}

impl Lent {
    /// Copies `length` bytes from `offset` on.
    ///
    /// # Errors
    /// The kernel does not reach them any more: that image is gone. Some of the bytes may have been copied.
    ///
    /// # Safety
    /// So many bytes are lent, and `target` is valid for writes of `length` bytes.
    pub unsafe fn copy(&self, offset: usize, target: *mut u8, length: usize) -> io::Result<()> {
        match *self {
            // SAFETY: the caller vouches for both, and nobody writes to what is lent. Long copies go past the caches.
            Self::Mapped(start) => unsafe { direct::copy(target, start.add(offset), length) },
            // SAFETY: the caller vouches for the target.
            Self::InProcess { process, address } => unsafe {
                cross_memory::read(process, address + offset, target, length)?;
            },
        }
        Ok(())
    }
}

/// Memory that this image lends to the others of the team. If this is dropped, the loan is withdrawn, and others have finished
/// reading.
#[derive(Debug)]
#[must_use = "nobody reads the memory when this is dropped"]
pub struct Loan<'a> {
    team: &'a Team,
}

impl Team {
    /// Whether this image reads the memory of the processes of all others.
    #[must_use]
    pub fn reads_processes(&self) -> bool {
        let image = self.image();
        let others = self.members().iter().map(|&member| member as usize);
        let mut others = others.filter(|&other| other != image.index());
        let processes = image.cross_memory.as_ref();
        processes.is_some_and(|processes| {
            others.all(|other| processes.can_read(other, image.control(other)))
        })
    }

    /// Where all images of the team find these bytes of this image's memory, as a number that is not 0; none if some do not reach
    /// them by loads, nor `by_process`.
    #[must_use]
    pub fn place_for_all(&self, start: *const u8, length: usize, by_process: bool) -> Option<u64> {
        if self.node_map().is_some() || length == 0 {
            return None;
        }
        // What others read is read through this pointer.
        let address = start.expose_provenance();
        let image = self.image();
        if image.job.fabric == FabricKind::Threads {
            return Some(address as u64);
        }
        let own = image.locate(address).filter(|place| {
            place.image == image.index() && place.offset + length <= image.stride()
        });
        let in_process = by_process.then_some(IN_PROCESS | address as u64);
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
        self.control(self.index()).lending.lend(self.barriers() + 1);
        Loan { team: self }
    }

    /// Reads what the image with this index has lent by barrier `number`, at `place`: calls `read`, and returns whether that has read.
    /// Does not call it if the loan was withdrawn, as a panic unwinds that image.
    ///
    /// # Safety
    /// That image got `place` from [`place_for_all`](Self::place_for_all) for what it [lent](Self::lend) then. `read` reads from these
    /// bytes only, where nobody writes, and runs nothing of the program. No barrier after the loan's last has been passed.
    #[must_use]
    pub unsafe fn read_lent(
        &self,
        index: usize,
        number: u64,
        place: u64,
        read: impl FnOnce(&Lent) -> bool,
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
        let has_read = stands
            && self
                .reach_lent(index, place)
                .is_some_and(|lent| read(&lent));
        drop(reading);
        has_read
    }

    fn reach_lent(&self, index: usize, place: u64) -> Option<Lent> {
        let (image, lender) = (self.image(), self.members()[index] as usize);
        if place & IN_PART != 0 {
            let offset = (place & !IN_PART) as usize;
            return Some(Lent::Mapped(image.job.region.part_address(lender, offset)));
        }
        if Self::is_in_process(place) {
            let (process, ..) = image.control(lender).memory.offered()?;
            let address = (place & !IN_PROCESS) as usize;
            return Some(Lent::InProcess { process, address });
        }
        let address = ptr::with_exposed_provenance(place as usize);
        Some(Lent::Mapped(address))
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
        team.control(me).lending.withdraw();
        for index in (0..team.images()).filter(|&index| index != me) {
            while team.control(index).lending.is_reading(me) && !team.is_failed(index) {
                yield_now();
            }
        }
    }
}
