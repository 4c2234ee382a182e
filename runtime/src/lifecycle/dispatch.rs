//! What a message has its receiver do.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::collective::barrier_between_nodes::show_arrivals;
use crate::collective::request_between_nodes::take_log_message;
use crate::collective::steps_between_nodes::be_answered;
use crate::collective::steps_between_nodes::be_awaited;
use crate::collective::tuning::take_table;
use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::image::network::Network;
use crate::job::control::{Failure, Stage};
use crate::lock::between_nodes::handle_lock;
use crate::lock::between_nodes::handle_lock_answer;
use crate::lockfree::eventcount::Eventcount;
use crate::messages::acks::acknowledge;
use crate::messages::acks::note_acknowledged;
use crate::messages::messaging::own_address;
use crate::messages::messaging::send_uncounted;
use crate::waiting::between_nodes::answer_question;
use crate::waiting::between_nodes::take_answer;
use coarray_fabric::transport::pending::Pending;

/// Carries out a message from that image.
pub(crate) fn handle_message(image: &Image, from: usize, message: &[u8]) {
    let Some(network) = &image.network else {
        return;
    };
    let (kind, mut reader) = Reader::open(message);
    if let Some(peers) = &network.peer_timeout {
        peers.hear(from);
    }
    match kind {
        MessageKind::Hello => send_uncounted(image, from, &Outgoing::new(MessageKind::Here)),
        MessageKind::Here => {}
        MessageKind::Question => answer_question(image, reader.word()),
        MessageKind::Answer => take_answer(image, from, reader),
        _ => {
            network.carried_out.set(network.carried_out.get() + 1);
            serve_message(image, network, kind, from, reader);
        }
    }
}

/// Carries out what may let an image go on.
fn serve_message(
    image: &Image,
    network: &Network,
    kind: MessageKind,
    from: usize,
    mut reader: Reader<'_>,
) {
    match kind {
        MessageKind::Raise => {
            let offset = reader.size();
            eventcount_at(image, offset).advance_to(reader.word());
        }
        MessageKind::SetBits => {
            let place = own_address(image, reader.size()).cast::<AtomicU64>();
            // SAFETY: who asks for it knows that its copy of this place is a word of a roll, as is this one.
            let word = unsafe { &*place };
            word.fetch_or(reader.word(), Ordering::Release);
        }
        MessageKind::Arrivals => show_arrivals(image, reader),
        MessageKind::AwaitStep => be_awaited(image, network, from, reader),
        MessageKind::Step => be_answered(image, network, reader),
        MessageKind::Stage => note_stage(image, network, from, reader.word()),
        MessageKind::TuningTable => take_table(image, &String::from_utf8_lossy(reader.bytes())),
        MessageKind::End => take_failure(image, from, reader),
        MessageKind::Post => {
            let offset = reader.size();
            eventcount_at(image, offset).add(1);
            acknowledge(image, from, Pending::Posts);
        }
        MessageKind::Acknowledgement => note_acknowledged(image, reader.word()),
        MessageKind::Lock
        | MessageKind::Withdraw
        | MessageKind::Unlock
        | MessageKind::ClearPoison => {
            handle_lock(image, from, kind, reader);
        }
        MessageKind::LockAnswer => handle_lock_answer(image, reader),
        MessageKind::Posted | MessageKind::Watermark => take_log_message(image, kind, reader),
        MessageKind::Hello | MessageKind::Here | MessageKind::Question | MessageKind::Answer => {
            unreachable!("these let nobody go on")
        }
    }
}

fn eventcount_at(image: &Image, offset: usize) -> &Eventcount {
    // SAFETY: who asks for it knows that its copy of this place is a eventcount, as is this one: images number what they
    // share by the same offsets.
    unsafe { &*own_address(image, offset).cast::<Eventcount>() }
}

fn note_stage(here: &Image, network: &Network, image: usize, stage: u64) {
    let stages = [Stage::Running, Stage::Stopped, Stage::Finished];
    let stage = stages.into_iter().find(|&known| known as u64 == stage);
    if matches!(stage, Some(Stage::Stopped | Stage::Finished)) {
        network.stopped.borrow_mut().insert(image);
    }
    // It may have heard of a later one from another image of this node.
    if let Some(stage) = stage
        && stage as u32 > here.control(image).stage() as u32
    {
        here.control(image).set_stage(stage);
    }
}

fn take_failure(here: &Image, from: usize, mut reader: Reader<'_>) {
    let (image, code) = (reader.size(), reader.word() as u8);
    let text = String::from_utf8_lossy(reader.bytes()).into_owned();
    here.job.be_told_by(from);
    here.job.learn(&Failure { image, code, text });
}
