//! The handlers of active messages.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::collective::barrier_between_nodes::handle_arrivals;
use crate::collective::request_between_nodes::handle_log_message;
use crate::collective::steps_between_nodes::handle_step;
use crate::collective::tuning::store_table;
use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::image::network::Network;
use crate::job::control::Failure;
use crate::messages::ends::{handle_end, handle_question};
use crate::messages::messaging::own_address;
use crate::messages::messaging::send_uncounted;
use crate::messages::pairs::handle_sync_images;
use crate::waiting::between_nodes::answer_probe;
use crate::waiting::between_nodes::handle_probe_answer;

/// Runs the handler of a message from image `from`.
///
/// # Safety
/// An image of the job of `image` has sent the message to it, by the functions of this crate. So an offset in the message is that of
/// the object which its kind names, in the part of `image`: images number what they share by the same offsets. The sender uses its
/// reference or coref to the object, or another image's, so no image has freed it.
pub(crate) unsafe fn handle_message(image: &Image, from: usize, message: &[u8]) {
    let Some(network) = &image.network else {
        return;
    };
    let (kind, mut reader) = Reader::open(message);
    if let Some(peers) = &network.peer_timeout {
        peers.note_heard(from);
    }
    match kind {
        MessageKind::Ping => send_uncounted(image, from, &Outgoing::new(MessageKind::Pong)),
        MessageKind::Pong => {}
        MessageKind::Probe => answer_probe(image, reader.word()),
        MessageKind::ProbeAnswer => handle_probe_answer(image, from, reader),
        _ => {
            network.dispatched.set(network.dispatched.get() + 1);
            // SAFETY: the contract of this function, passed on.
            unsafe { dispatch(image, network, kind, from, reader) };
        }
    }
}

/// Handles a message that may end a wait.
///
/// # Safety
/// As [`handle_message`].
unsafe fn dispatch(
    image: &Image,
    network: &Network,
    kind: MessageKind,
    from: usize,
    mut reader: Reader<'_>,
) {
    match kind {
        MessageKind::SyncImages => handle_sync_images(image, from, reader.word()),
        MessageKind::SetBits => {
            let place = own_address(image, reader.size()).cast::<AtomicU64>();
            // SAFETY: the caller vouches that the offset is that of a word of a release mask: aligned, mapped and atomic.
            let word = unsafe { &*place };
            word.fetch_or(reader.word(), Ordering::Release);
        }
        // SAFETY: the contract of this function, passed on.
        MessageKind::Arrivals => unsafe { handle_arrivals(image, reader) },
        // SAFETY: as above.
        MessageKind::Step => unsafe { handle_step(image, network, from, reader) },
        MessageKind::AskEnd => handle_question(image, network, from),
        MessageKind::Stopped => handle_end(image, network, from),
        MessageKind::TuningTable => store_table(image, &String::from_utf8_lossy(reader.bytes())),
        MessageKind::End => handle_job_end(image, from, reader),
        MessageKind::Posted | MessageKind::Watermark => handle_log_message(image, kind, reader),
        MessageKind::Ping | MessageKind::Pong | MessageKind::Probe | MessageKind::ProbeAnswer => {
            unreachable!("these let nobody go on")
        }
    }
}

fn handle_job_end(here: &Image, from: usize, mut reader: Reader<'_>) {
    let (image, code) = (reader.size(), reader.word() as u8);
    let text = String::from_utf8_lossy(reader.bytes()).into_owned();
    here.job.be_told_by(from);
    here.job.learn(&Failure { image, code, text });
}
