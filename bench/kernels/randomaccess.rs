//! RandomAccess of the HPC Challenge: how fast the images together update words at random places of a table that is
//! spread over them.
//!
//! ```text
//! table[r mod 2^LOG2SIZE] ^= r        for 4 * 2^LOG2SIZE random numbers r, a part of the sequence on each image
//! ```
//!
//! An image may look 1024 updates ahead. In each round it takes so many random numbers and sorts them by the images that
//! have the words: one packet for each. It puts each packet into a *mailbox* of its image together with an event
//! (`put_from_notify`), and when an event of everybody has come, it makes the updates of the packets that
//! it got. Only the image that has a word updates it, in plain local memory, and no update is lost.
//!
//! For each pair of images there are two mailboxes, and each image has two events, for even and odd rounds. A fast image
//! that is already in its next round puts into the other mailbox and posts the other event; it cannot get
//! two rounds ahead, because in between it needs a packet of everybody, even if an empty one. Who has sent
//! that has emptied the mailboxes of the round before, so the packets are also what tells that nothing is overwritten.
//!
//! Afterwards, and not timed, all updates are repeated one by one with atomic operations, which undoes them: every word must
//! have its first value again.

use coarray::OwnedOpen;
use coarray::prelude::*;
use prk::table::{Table, update_atomically};
use prk::{Clock, Parameter, Program, Wrong, check, conclude, describe, sequence, share};

const PROGRAM: Program = Program {
    name: "hpcc-randomaccess",
    about: "RandomAccess of the HPC Challenge on coarrays: updates of a table at random",
    parameters: &[Parameter::new(
        "LOG2SIZE",
        "the table has 2^LOG2SIZE words; at least 1 for each image",
        (1, 32),
    )],
};

/// How many updates an image may look ahead.
const AHEAD: usize = 1024;

/// How many updates, and their random numbers.
type Packet = [u64; 1 + AHEAD];

#[coarray::main]
fn main() {
    let Some([bits]) = PROGRAM.arguments() else {
        return;
    };
    PROGRAM.need(1, "words", 1 << bits);
    describe(&PROGRAM, &[bits]);
    let (table, seconds) = run(bits as u32);
    let updates = (4_u64 << bits) as f64;
    conclude(validate(&table), (updates / 1e9, "GUPS/s"), 1, seconds);
}

/// Collective. Updates a new table and undoes it; returns it, and the time of the updates.
fn run(bits: u32) -> (Table, f64) {
    let (me, images) = (this_image(), num_images());
    let updates = |image| share(4 << bits, images, image);
    let numbers =
        || sequence::after(sequence::at(updates(me).start as u64)).take(updates(me).len());
    let mut table = Table::new(bits);
    let mut post = Post::new();
    // Image 0 has the most.
    let rounds = updates(0).len().div_ceil(AHEAD);
    let clock = Clock::start();
    let mut left = numbers();
    for round in 0..rounds {
        post.exchange(round, &mut table, left.by_ref().take(AHEAD));
    }
    let seconds = clock.seconds();
    drop(post);
    let layout = table.layout();
    update_atomically(&table.open(), layout, numbers());
    (table, seconds)
}

/// The mailboxes through which packets travel.
struct Post {
    /// Of each image two, for even and odd rounds.
    packets: OwnedOpen<Coarray<[[Packet; 2]]>>,
    arrived: Coarray<[Coevent; 2]>,
    /// For each image.
    leaving: Vec<Packet>,
    arriving: Packet,
}

impl Post {
    /// Collective.
    fn new() -> Self {
        Self {
            packets: Coarray::<[[Packet; 2]]>::zeroed(num_images()).into_open(),
            arrived: Coarray::new([Coevent::new(), Coevent::new()]),
            leaving: vec![[0; 1 + AHEAD]; num_images()],
            arriving: [0; 1 + AHEAD],
        }
    }

    /// Updates the table by this image's numbers, at most [`AHEAD`], and by those of all others for this image's words; to be
    /// called by all images.
    fn exchange(&mut self, round: usize, table: &mut Table, numbers: impl Iterator<Item = u64>) {
        let (me, images, turn) = (this_image(), num_images(), round % 2);
        let others = || (1..images).map(|distance| (me + distance) % images);
        self.sort(table, numbers);
        for image in others() {
            let packet = filled(&self.leaving[image]);
            self.packets.at(image)[me][turn][..packet.len()]
                .put_from_notify(packet, &self.arrived.at(image)[turn]);
        }
        table.update_own(&filled(&self.leaving[me])[1..]);
        self.arrived[turn].wait_for(images as u64 - 1);
        for image in others() {
            let mailbox = &self.packets.here()[image][turn];
            let numbers = &mut self.arriving[..mailbox[0].get() as usize];
            mailbox[1..=numbers.len()].get_into(numbers);
            table.update_own(numbers);
        }
    }

    fn sort(&mut self, table: &Table, numbers: impl Iterator<Item = u64>) {
        let layout = table.layout();
        self.leaving.iter_mut().for_each(|packet| packet[0] = 0);
        for number in numbers {
            let packet = &mut self.leaving[layout.place(number).0];
            packet[0] += 1;
            packet[packet[0] as usize] = number;
        }
    }
}

/// The part of a packet that is in use.
fn filled(packet: &Packet) -> &[u64] {
    &packet[..=packet[0] as usize]
}

/// Collective. Counts the words that are not what they were at first.
fn validate(table: &Table) -> Result<(), Wrong> {
    check("the number of wrong words", table.errors() as f64, 0.0, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[coarray::test(images = [1, 2, 3, 4])]
    fn a_right_result_is_accepted_and_a_wrong_one_is_not() {
        for bits in [2, 5, 13] {
            let (mut table, _) = run(bits);
            assert_eq!(validate(&table), Ok(()));
            let layout = table.layout();
            let one = (3..4).filter(|_| this_image() == 0);
            update_atomically(&table.open(), layout, one);
            assert!(validate(&table).is_err());
        }
    }
}
