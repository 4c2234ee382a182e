//! What a message has its receiver do.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::image::Image;
use crate::image::message::{Kind, Letter, Reader};
use crate::image::network::Network;
use crate::job::control::{Failure, Stage};
use crate::lockfree::tally::Tally;
use coarray_fabric::transport::pending::Pending;

impl Image {
    /// Carries out a message from that image.
    pub(crate) fn carry_out(&self, from: usize, message: &[u8]) {
        let Some(network) = &self.network else {
            return;
        };
        let (kind, mut reader) = Reader::open(message);
        if let Some(silence) = &network.silence {
            silence.hear(from);
        }
        match kind {
            Kind::Hello => self.send_uncounted(from, &Letter::new(Kind::Here)),
            Kind::Here => {}
            Kind::Question => self.answer_question(reader.word()),
            Kind::Answer => self.hear_answer(from, reader),
            _ => {
                network.carried_out.set(network.carried_out.get() + 1);
                self.serve(network, kind, from, reader);
            }
        }
    }

    /// Carries out what may let an image go on.
    fn serve(&self, network: &Network, kind: Kind, from: usize, mut reader: Reader<'_>) {
        match kind {
            Kind::Raise => {
                let offset = reader.size();
                self.tally(offset).raise_to(reader.word());
            }
            Kind::SetBits => {
                let place = self.own(reader.size()).cast::<AtomicU64>();
                // SAFETY: who asks for it knows that its copy of this place is a word of a roll, as is this one.
                let word = unsafe { &*place };
                word.fetch_or(reader.word(), Ordering::Release);
            }
            Kind::Cards => self.show_cards(reader),
            Kind::AwaitStep => self.be_awaited(network, from, reader),
            Kind::Step => self.be_answered(network, reader),
            Kind::Stage => self.note_stage(network, from, reader.word()),
            Kind::TuningTable => self.take_table(&String::from_utf8_lossy(reader.bytes())),
            Kind::End => self.be_told(from, reader),
            Kind::Post => {
                let offset = reader.size();
                self.tally(offset).add(1);
                self.acknowledge(from, Pending::Posts);
            }
            Kind::Acknowledgement => self.note_acknowledged(reader.word()),
            Kind::Lock | Kind::Withdraw | Kind::Unlock | Kind::ClearPoison => {
                self.serve_lock(from, kind, reader);
            }
            Kind::LockAnswer => self.hear_about_lock(reader),
            Kind::Posted | Kind::Over => self.take_news(kind, reader),
            Kind::Hello | Kind::Here | Kind::Question | Kind::Answer => {
                unreachable!("these let nobody go on")
            }
        }
    }

    fn tally(&self, offset: usize) -> &Tally {
        // SAFETY: who asks for it knows that its copy of this place is a tally, as is this one: images number what they
        // share by the same offsets.
        unsafe { &*self.own(offset).cast::<Tally>() }
    }

    fn note_stage(&self, network: &Network, image: usize, stage: u64) {
        let stages = [Stage::Running, Stage::Stopped, Stage::Finished];
        let stage = stages.into_iter().find(|&known| known as u64 == stage);
        if matches!(stage, Some(Stage::Stopped | Stage::Finished)) {
            network.stopped.borrow_mut().insert(image);
        }
        // It may have heard of a later one from another image of this node.
        if let Some(stage) = stage
            && stage as u32 > self.control(image).stage() as u32
        {
            self.control(image).set_stage(stage);
        }
    }

    fn be_told(&self, from: usize, mut reader: Reader<'_>) {
        let (image, code) = (reader.size(), reader.word() as u8);
        let text = String::from_utf8_lossy(reader.bytes()).into_owned();
        self.job.be_told_by(from);
        self.job.learn(&Failure { image, code, text });
    }
}
