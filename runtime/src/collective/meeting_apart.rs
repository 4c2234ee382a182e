//! Meetings of a team whose images are on several nodes.
//!
//! The images of a node show each other their cards as always. The first of them, the node's *leader* in this team,
//! waits until all have entered, and sends their cards in one message to the leader of each other node, who shows
//! them there. Then everyone looks at everyone's card on its own node: who disagrees is found as always, and nobody leaves
//! before all have entered. Cards of other nodes lie in their mirrors.

use std::mem::offset_of;

use crate::image::Image;
use crate::image::division::Division;
use crate::image::message::{Kind, Letter, Reader};
use crate::image::team::Team;
use crate::job::control::TeamControl;
use crate::lockfree::card::{Card, WORDS};
use crate::lockfree::rendezvous::{Passage, Place, Refusal, Station};

impl Team {
    /// Passes the barrier of a meeting that this image has entered.
    pub(crate) fn meet_apart<P: Place>(
        &self,
        division: &Division,
        passage: &Passage<P>,
    ) -> Result<(), Refusal<P::Stop>> {
        let me = self.index();
        if division.is_led_by(me) {
            for &neighbour in &division.neighbours()[1..] {
                self.look_at_card(passage, neighbour)?;
            }
            self.send_cards(division, passage.number);
        }
        (me + 1..self.images())
            .chain(0..me)
            .try_for_each(|index| self.look_at_card(passage, index))
    }

    fn look_at_card<P: Place>(
        &self,
        passage: &Passage<P>,
        index: usize,
    ) -> Result<(), Refusal<P::Stop>> {
        let card = passage.card(index);
        passage.wait(&card.signal, index)?;
        passage.compare(index, card)
    }

    fn send_cards(&self, division: &Division, number: u64) {
        let neighbours = division.neighbours();
        let mut letter =
            Letter::new(Kind::Cards).words(&[self.identity().0, number, neighbours.len() as u64]);
        for &index in neighbours {
            let card = &self.control(index).station.cards[(number & 1) as usize];
            letter = letter
                .word(u64::from(self.members()[index]))
                .words(&card.tag())
                .words(&card.words());
        }
        for leader in division.other_leaders() {
            self.image().send(self.members()[leader] as usize, &letter);
        }
    }
}

impl Image {
    /// Shows cards that were sent from another node, in the mirrors of this one.
    pub(crate) fn show_cards(&self, mut reader: Reader<'_>) {
        let [control, number, images] = reader.words();
        for _ in 0..images {
            let member = reader.size();
            let (tag, words): (_, [u64; WORDS]) = (reader.words(), reader.words());
            let card = self.mirrored_card(member, control as usize, number);
            card.bring(&words);
            card.enter(number, &tag);
        }
    }

    fn mirrored_card(&self, image: usize, control: usize, number: u64) -> &Card {
        let parity = (number & 1) as usize;
        let card = offset_of!(TeamControl, station)
            + offset_of!(Station, cards)
            + parity * size_of::<Card>();
        // SAFETY: the sender is in a meeting of the team whose structures are at that offset of each member's part. All
        // members have met since the mirrors of these structures were made here (`Team::form`), and they stay until this
        // image has left the team.
        unsafe {
            &*self
                .job
                .region
                .part_address(image, control + card)
                .cast::<Card>()
        }
    }
}
