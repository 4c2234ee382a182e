//! What a message has its receiver do.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::image::network::Network;
use crate::job::control::{Failure, Stage};
use crate::lockfree::eventcount::Eventcount;
use coarray_fabric::transport::pending::Pending;

impl Image {
    /// Carries out a message from that image.
    pub(crate) fn handle(&self, from: usize, message: &[u8]) {
        let Some(network) = &self.network else {
            return;
        };
        let (kind, mut reader) = Reader::open(message);
        if let Some(peers) = &network.peer_timeout {
            peers.hear(from);
        }
        match kind {
            MessageKind::Hello => self.send_uncounted(from, &Outgoing::new(MessageKind::Here)),
            MessageKind::Here => {}
            MessageKind::Question => self.answer_question(reader.word()),
            MessageKind::Answer => self.hear_answer(from, reader),
            _ => {
                network.carried_out.set(network.carried_out.get() + 1);
                self.serve(network, kind, from, reader);
            }
        }
    }

    /// Carries out what may let an image go on.
    fn serve(&self, network: &Network, kind: MessageKind, from: usize, mut reader: Reader<'_>) {
        match kind {
            MessageKind::Raise => {
                let offset = reader.size();
                self.eventcount(offset).advance_to(reader.word());
            }
            MessageKind::SetBits => {
                let place = self.own(reader.size()).cast::<AtomicU64>();
                // SAFETY: who asks for it knows that its copy of this place is a word of a roll, as is this one.
                let word = unsafe { &*place };
                word.fetch_or(reader.word(), Ordering::Release);
            }
            MessageKind::Arrivals => self.show_arrivals(reader),
            MessageKind::AwaitStep => self.be_awaited(network, from, reader),
            MessageKind::Step => self.be_answered(network, reader),
            MessageKind::Stage => self.note_stage(network, from, reader.word()),
            MessageKind::TuningTable => self.take_table(&String::from_utf8_lossy(reader.bytes())),
            MessageKind::End => self.be_told(from, reader),
            MessageKind::Post => {
                let offset = reader.size();
                self.eventcount(offset).add(1);
                self.acknowledge(from, Pending::Posts);
            }
            MessageKind::Acknowledgement => self.note_acknowledged(reader.word()),
            MessageKind::Lock
            | MessageKind::Withdraw
            | MessageKind::Unlock
            | MessageKind::ClearPoison => {
                self.handle_lock(from, kind, reader);
            }
            MessageKind::LockAnswer => self.handle_lock_answer(reader),
            MessageKind::Posted | MessageKind::Watermark => self.take_log_message(kind, reader),
            MessageKind::Hello
            | MessageKind::Here
            | MessageKind::Question
            | MessageKind::Answer => {
                unreachable!("these let nobody go on")
            }
        }
    }

    fn eventcount(&self, offset: usize) -> &Eventcount {
        // SAFETY: who asks for it knows that its copy of this place is a eventcount, as is this one: images number what they
        // share by the same offsets.
        unsafe { &*self.own(offset).cast::<Eventcount>() }
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
