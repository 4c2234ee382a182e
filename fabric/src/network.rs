//! What images do for each other that share no memory.
//!
//! An image changes control structures only of images on its own node. For another node it sends a message to the
//! image whose structure it is, which carries it out when it comes by: in every wait, and whenever it calls for it. So a
//! structure is changed by processors of one node only, whoever asks for it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::apart::Place;
use crate::control::{Failure, Stage};
use crate::deadlock::Probe;
use crate::image::Image;
use crate::issued::Pending;
use crate::job::Job;
use crate::lock_apart::Answer;
use crate::message::{Kind, Letter, Reader};
use crate::posting_apart::Correspondences;
use crate::silence::Silence;
use crate::steps_apart::Subscriptions;
use crate::tally::Tally;
use crate::told::Told;
use crate::way;

/// The first sleep of an image that must look for messages.
pub(crate) const SHORTEST_NAP: Duration = Duration::from_micros(5);

/// The longest sleep of an image that must look for messages.
pub(crate) const NAP: Duration = Duration::from_micros(500);

/// What an image keeps of its traffic with other nodes.
#[derive(Debug, Default)]
pub(crate) struct Network {
    is_polling: Cell<bool>,
    /// How many messages the image has carried out.
    carried_out: Cell<u64>,
    pub(crate) subscriptions: Subscriptions,
    /// What passes with asynchronous collectives.
    pub(crate) posts: RefCell<Correspondences>,
    pub(crate) probe: Probe,
    /// None if silence has no limit.
    pub(crate) silence: Option<Silence>,
    /// The images that have said that they came to the end of the program: nothing will follow that they sent before.
    stopped: RefCell<BTreeSet<usize>>,
    pub(crate) told: Told,
    /// About the lock on another node that the image wants.
    pub(crate) answer: Answer,
}

impl Network {
    pub(crate) fn new(job: &Job, images: usize) -> Self {
        Self {
            silence: job.silence.map(|limit| Silence::new(limit, images)),
            ..Self::default()
        }
    }
}

impl Image {
    /// Carries out what others have asked for. Costs next to nothing where all images share memory.
    #[inline]
    pub fn poll(&self) {
        if let Some(network) = &self.network {
            self.poll_network(network);
        }
    }

    /// As [`poll`](Self::poll), but only now and then: for operations of which a program may make many while it waits
    /// for what others do.
    #[inline]
    pub fn come_by(&self) {
        if let Some(network) = &self.network
            && way::is_time_to_look()
        {
            self.poll_network(network);
        }
    }

    fn poll_network(&self, network: &Network) {
        if network.is_polling.replace(true) {
            return;
        }
        let mut are_there = false;
        // SAFETY: what the message asks for is carried out.
        while let Some(message) = unsafe { self.fabric().receive() } {
            are_there = true;
            self.carry_out(network, message.from, &message.bytes);
        }
        way::note_messages(are_there);
        network.is_polling.set(false);
    }

    /// Lets others see how many messages this image has carried out. An image that sleeps says so only when it
    /// has looked at what it waits for since.
    pub(crate) fn publish_traffic(&self) {
        if let Some(network) = &self.network {
            let carried_out = network.carried_out.get();
            let traffic = &self.control(self.index).traffic;
            traffic.carried_out.store(carried_out, Ordering::Release);
        }
    }

    /// Sends a message to an image on another node.
    pub(crate) fn send(&self, image: usize, letter: &Letter) {
        let sent = &self.control(self.index).traffic.sent;
        sent.store(sent.load(Ordering::Relaxed) + 1, Ordering::Release);
        self.send_uncounted(image, letter);
    }

    /// Sends a message that can wake nobody.
    pub(crate) fn send_uncounted(&self, image: usize, letter: &Letter) {
        debug_assert!(!self.job.nodes.share(self.index, image));
        if self.is_over() {
            // Whoever outlives the image, such as a coarray in a variable of the thread, has nobody to tell.
            return;
        }
        // SAFETY: letters are made in this crate only, for what the structures at that place need.
        unsafe { self.fabric().send(image, letter.as_bytes()) };
    }

    /// Sends a message to all images on other nodes.
    pub(crate) fn send_to_all(&self, letter: &Letter) {
        for image in 0..self.images {
            if !self.job.nodes.share(self.index, image) {
                self.send(image, letter);
            }
        }
    }

    /// Has a tally on another node raised to `count`.
    pub(crate) fn tell_to_raise(&self, place: Place, count: u64) {
        let letter = Letter::new(Kind::Raise).words(&[place.offset as u64, count]);
        self.send(place.image, &letter);
    }

    /// Has bits of a word on another node set.
    pub(crate) fn tell_to_set_bits(&self, place: Place, bits: u64) {
        let letter = Letter::new(Kind::SetBits).words(&[place.offset as u64, bits]);
        self.send(place.image, &letter);
    }

    fn carry_out(&self, network: &Network, from: usize, message: &[u8]) {
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
            Kind::Choices => self.take_choices(&String::from_utf8_lossy(reader.bytes())),
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

    /// Where this image's own part has that offset.
    pub(crate) fn own(&self, offset: usize) -> *mut u8 {
        self.job.region.part_address(self.index, offset)
    }

    fn tally(&self, offset: usize) -> &Tally {
        // SAFETY: who asks for it knows that its copy of this place is a tally, as is this one: images number what they
        // share by the same offsets.
        unsafe { &*self.own(offset).cast::<Tally>() }
    }

    /// Sets the stage of this image, for others to see.
    pub(crate) fn come_to(&self, stage: Stage) {
        self.control(self.index).set_stage(stage);
        if self.network.is_some() {
            self.send_to_all(&Letter::new(Kind::Stage).word(stage as u64));
        }
    }

    /// Whether that image has come to the end of the program, after all that it posted or sent.
    pub(crate) fn has_stopped(&self, image: usize) -> bool {
        match &self.network {
            // What it sent to this image may still be under way when another image of this node has heard of its end.
            Some(network) if !self.job.nodes.share(self.index, image) => {
                network.stopped.borrow().contains(&image)
            }
            _ => matches!(
                self.control(image).stage(),
                Stage::Stopped | Stage::Finished
            ),
        }
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

    /// Tells the other nodes that the job has ended.
    pub(crate) fn tell_end(&self, failure: &Failure) {
        let letter = Letter::new(Kind::End)
            .words(&[failure.image as u64, u64::from(failure.code)])
            .bytes(failure.text.as_bytes());
        self.send_to_all(&letter);
    }

    fn be_told(&self, from: usize, mut reader: Reader<'_>) {
        let (image, code) = (reader.size(), reader.word() as u8);
        let text = String::from_utf8_lossy(reader.bytes()).into_owned();
        self.job.be_told_by(from);
        self.job.learn(&Failure { image, code, text });
    }
}
