//! Meetings of a team whose images are on several nodes.
//!
//! The images of a node show each other their cards as always. The first of them, the node's *leader* in this team,
//! waits until all have entered, and sends their cards in one message to the leader of each other node, who shows
//! them there. Then everyone looks at everyone's card on its own node: who disagrees is found as always, and nobody leaves
//! before all have entered. Cards of other nodes lie in their mirrors.

use std::mem::offset_of;

use crate::card::{Card, WORDS};
use crate::control::TeamControl;
use crate::image::Image;
use crate::message::{Kind, Letter, Reader};
use crate::rendezvous::{Passage, Place, Refusal, Station};
use crate::team::Team;

/// How the images of a team are divided among nodes.
#[derive(Debug)]
pub(crate) struct Division {
    /// The indices of the images on each node, in increasing order.
    nodes: Box<[Box<[usize]>]>,
    /// The node of this image.
    mine: usize,
}

impl Division {
    /// That of a team with these members, if they do not all share memory.
    pub(crate) fn of(image: &Image, index: usize, members: &[u32]) -> Option<Self> {
        let nodes = &image.job.nodes;
        let is_here = |&member: &u32| nodes.share(image.index, member as usize);
        if members.iter().all(is_here) {
            return None;
        }
        let mut numbers: Vec<usize> = members.iter().map(|&m| nodes.of(m as usize)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let on = |&node: &usize| {
            (0..members.len())
                .filter(|&index| nodes.of(members[index] as usize) == node)
                .collect()
        };
        let mine = nodes.of(members[index] as usize);
        Some(Self {
            mine: numbers.iter().position(|&node| node == mine)?,
            nodes: numbers.iter().map(on).collect(),
        })
    }

    /// The images of this image's node.
    pub(crate) fn neighbours(&self) -> &[usize] {
        &self.nodes[self.mine]
    }

    /// Whether that image is the leader of this image's node.
    pub(crate) fn is_led_by(&self, index: usize) -> bool {
        self.neighbours()[0] == index
    }

    /// The leaders of the other nodes.
    pub(crate) fn other_leaders(&self) -> impl Iterator<Item = usize> {
        let others = self.nodes.iter().enumerate();
        others.filter_map(|(node, images)| (node != self.mine).then_some(images[0]))
    }
}

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
