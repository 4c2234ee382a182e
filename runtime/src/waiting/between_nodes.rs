//! The deadlock search across nodes.
//!
//! If all images of a node sleep, only a message can wake one. When image 0 finds its node at a standstill, it asks the
//! *leader* of each node, its lowest image, twice: is the node at a standstill, in which sleeps, and how many messages
//! have its images sent and handled? Suppose that all answers are yes, that the second answers equal the first, and
//! that as many messages were handled as were sent. Then no message was in flight when the last of the first answers
//! was given, and no image was awake: nothing will ever happen again.
//!
//! An image counts a message as sent before it sends it, and as handled only after it has checked whether the message
//! ends its own sleep. Questions and answers are not counted: they wake no image. Nor are signals: an image completes its
//! own before it counts as asleep, so the second answer of the node that a signal goes to, which is given after the
//! first answer of the one that it comes from, sees it.
//!
//! # Source
//! F. Mattern, *Algorithms for distributed termination detection*, Distributed Computing 2 (1987), the four counter
//! method.

use std::mem::{offset_of, size_of};
use std::time::{Duration, Instant};

use crate::call::record::CallRecords;
use crate::deadlock::probe::{Answer, Probe};
use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::job::control::{ImageControl, Stage, WaitRecord};
use crate::messages::ends::note_stage;
use crate::messages::liveness::other_leaders;
use crate::messages::messaging::send_uncounted;
use coarray_fabric::memory::direct;

/// How long image 0 waits for answers before it asks again.
const END_TIMEOUT: Duration = Duration::from_millis(100);

/// Continues the search on other nodes, because this node is at a standstill. Returns whether the job has ended.
pub(crate) fn probe_other_nodes(image: &Image) -> bool {
    let Some(network) = &image.network else {
        return false;
    };
    if image.index != 0 {
        return false;
    }
    let probe = &network.probe;
    if probe
        .asked
        .get()
        .is_none_or(|asked| asked.elapsed() >= END_TIMEOUT)
    {
        probe.asked.set(Some(Instant::now()));
        probe_leaders(image, probe, (probe.question.get() + 2) & !1);
    }
    image.job.has_ended()
}

fn probe_leaders(image: &Image, probe: &Probe, question: u64) {
    probe.question.set(question);
    let answers = node_standstill(image).map(|answer| (image.index, answer));
    *probe.answers.borrow_mut() = Vec::from_iter(answers);
    for leader in other_leaders(image) {
        send_uncounted(
            image,
            leader,
            &Outgoing::new(MessageKind::Probe).word(question),
        );
    }
}

/// Handles a question of image 0, on the leader of a node.
pub(crate) fn answer_probe(image: &Image, question: u64) {
    if let Some(answer) = node_standstill(image) {
        let message = Outgoing::new(MessageKind::ProbeAnswer)
            .word(question)
            .words(&answer);
        send_uncounted(image, 0, &message);
    }
}

/// The answer for this node, if it is at a standstill.
fn node_standstill(here: &Image) -> Option<Answer> {
    let sleeps = here.job.find_all_asleep(here.index).ok().flatten();
    let standstill = &here.network.as_ref()?.probe.standstill;
    let sleeps = sleeps.filter(|sleeps| standstill.lasts(Some(sleeps)))?;
    let local = (0..here.images).filter(|&image| here.job.nodes.share(here.index, image));
    let [mut sent, mut carried_out] = [0; 2];
    for image in local {
        let traffic = &here.control(image).traffic;
        carried_out += traffic.carried_out();
        sent += traffic.sent();
    }
    let turns = sleeps.iter().flatten().map(|sleep| sleep.number());
    Some([turns.sum(), sent, carried_out])
}

/// Handles the answer of a leader, on image 0.
pub(crate) fn handle_probe_answer(image: &Image, leader: usize, mut reader: Reader<'_>) {
    let Some(network) = &image.network else {
        return;
    };
    let probe = &network.probe;
    let question = reader.word();
    if question != probe.question.get() {
        return;
    }
    probe.answers.borrow_mut().push((leader, reader.words()));
    if probe.answers.borrow().len() <= other_leaders(image).count() {
        return;
    }
    let mut answers = probe.answers.take();
    answers.sort_unstable();
    let sum = |word: usize| answers.iter().map(|(_, answer)| answer[word]).sum::<u64>();
    if sum(1) != sum(2) {
        return;
    }
    let is_second = question % 2 == 1;
    if !is_second {
        *probe.before.borrow_mut() = answers;
        probe_leaders(image, probe, question + 1);
    } else if *probe.before.borrow() == answers {
        refresh_waits(image);
        image.report_deadlock();
    }
}

/// Fetches the wait records and stages of images of other nodes into the shadows on this one.
fn refresh_waits(here: &Image) {
    let (start, length) = (offset_of!(ImageControl, waiting), size_of::<WaitRecord>());
    for image in (0..here.images).filter(|&image| !here.job.nodes.share(here.index, image)) {
        refresh_shadow(here, image, start, length);
        note_stage(here, image, fetch_stage(here, image));
    }
}

fn fetch_stage(here: &Image, image: usize) -> Stage {
    let mut stage = [0; size_of::<u32>()];
    // SAFETY: `stage` is valid for writes of its length; the source is a word of the control structure of the image.
    unsafe {
        let fabric = here.fabric();
        fabric.get(image, ImageControl::STAGE, stage.as_mut_ptr(), stage.len());
    }
    Stage::of(u32::from_ne_bytes(stage))
}

/// Fetches bytes of the control structure of an image on another node into its shadow. They may change meanwhile.
pub(crate) fn refresh_shadow(here: &Image, image: usize, offset: usize, length: usize) {
    if here.job.nodes.share(here.index, image) {
        return;
    }
    let mut bytes = vec![0; length];
    let shadow = here.job.region.part_address(image, offset);
    // SAFETY: source and target lie in the control structure of the image and in its shadow, which consist of atomics,
    // so any bytes are valid.
    unsafe {
        here.fabric().get(image, offset, bytes.as_mut_ptr(), length);
        direct::copy(shadow, bytes.as_ptr(), length);
    }
}

impl Image {
    /// Fetches the collective operation that an image on another node is in.
    #[cold]
    pub(crate) fn refresh_call(&self, image: usize) {
        let offset = offset_of!(ImageControl, calls);
        refresh_shadow(self, image, offset, size_of::<CallRecords>());
    }
}
