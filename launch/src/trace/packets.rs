//! A timeline as packets of Perfetto: each image is a track, and has a sequence of packets that depends on no other one.
//!
//! Source: `perfetto_trace.proto`, and <https://perfetto.dev/docs/reference/synthetic-track-event>. The numbers of fields are of the messages that are
//! named beside them.

use crate::trace::arrows::Arrows;
use crate::trace::protobuf::Message;
use coarray_runtime::{Activity, Step, Steps};

/// The tracks of images have their numbers, plus 1; those of hosts begin here.
const HOSTS: u64 = 1 << 32;

/// What is noted on slices, and the number of its name.
const LINE: (u64, &str) = (1, "line");
const AWAITED: (u64, &str) = (2, "waited for image");
const UNFINISHED: (u64, &str) = (3, "has not ended");

/// Packets, whole ones, as bytes.
#[derive(Debug, Default)]
pub(super) struct Packets(Message);

/// What is known of an image.
#[derive(Debug)]
pub(super) struct Track<'a> {
    pub(super) number: usize,
    /// Its process, if that is known.
    pub(super) process: Option<u32>,
    /// The number of its host, which is that of an image there.
    pub(super) host: usize,
    pub(super) host_name: &'a str,
    pub(super) steps: &'a Steps,
    /// What is added to its times: the clocks of two machines differ.
    pub(super) shift: i64,
}

/// A slice that has not ended.
struct Open {
    end: u64,
    line: usize,
    is_leaked: bool,
    /// The number of an arrow that leads to its end.
    arrow: Option<u64>,
}

impl Packets {
    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// `Trace.packet`.
    fn add(&mut self, packet: &Message) {
        self.0.message(1, packet);
    }

    /// Adds the track of the host of an image, which may be known already.
    pub(super) fn add_host(&mut self, image: &Track<'_>) {
        // `TrackDescriptor.uuid`, `.name`, and `.child_ordering`, which is explicit.
        let mut track = Message::default();
        track.number(1, HOSTS + image.host as u64);
        track.text(2, image.host_name).number(11, 3);
        let mut packet = Message::default();
        packet
            .number(10, sequence(image.number))
            .message(60, &track);
        self.add(&packet);
    }

    /// Adds an image. `write` is called after each packet or two, and may take the bytes.
    pub(super) fn add_image<E>(
        &mut self,
        image: &Track<'_>,
        arrows: &Arrows,
        mut write: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.add_host(image);
        self.add_track(image);
        self.add_names(image);
        let ends = image.steps.steps.iter().filter_map(|step| step.end);
        let begins = image.steps.steps.iter().map(|step| step.begin);
        // What has not ended lasts until the last time that is known.
        let last = ends
            .chain(begins)
            .chain([image.steps.latest])
            .max()
            .unwrap_or(0);
        let mut open: Vec<Open> = Vec::new();
        for (index, step) in image.steps.steps.iter().enumerate() {
            let is_leaked = step.end.is_none();
            // A region that is leaked again and again ends when it begins anew.
            let ends = |one: &Open| {
                one.end <= step.begin || is_leaked && one.is_leaked && one.line == step.line
            };
            let ended = open.iter().position(ends).unwrap_or(open.len());
            for one in open.drain(ended..).rev() {
                self.add_end(image, one.end.min(step.begin), one.arrow);
            }
            self.add_begin(image, index, arrows);
            if !is_instant(image.steps, step) {
                let around = open.last().map_or(u64::MAX, |one| one.end);
                let arrow = arrows.to.contains_key(&(image.number, index));
                open.push(Open {
                    end: step.end.unwrap_or(last).clamp(step.begin, around),
                    line: step.line,
                    is_leaked,
                    arrow: arrow.then(|| arrow_to((image.number, index))),
                });
            }
            write(self)?;
        }
        for one in open.into_iter().rev() {
            self.add_end(image, one.end, one.arrow);
        }
        write(self)
    }

    fn add_track(&mut self, image: &Track<'_>) {
        // `TrackDescriptor.uuid`, `.name`, `.parent_uuid`, `.sibling_order_rank`, `.description`.
        let mut track = Message::default();
        track.number(1, uuid(image.number));
        track.text(2, &format!("image {}", image.number));
        track.number(5, HOSTS + image.host as u64);
        track.number(12, image.number as u64);
        if let Some(process) = image.process {
            track.text(14, &format!("process {process} on {}", image.host_name));
        }
        // `TracePacketDefaults.track_event_defaults`: `TrackEvent.track_uuid`.
        let (mut event, mut defaults) = (Message::default(), Message::default());
        event.number(11, uuid(image.number));
        defaults.message(11, &event);
        // `TracePacket.trusted_packet_sequence_id`, and `.sequence_flags`: the sequence begins.
        let mut packet = Message::default();
        packet.number(10, sequence(image.number)).number(13, 1);
        packet.message(60, &track).message(59, &defaults);
        self.add(&packet);
    }

    /// Adds the texts that slices name by their numbers: those of lines are their numbers, plus 1.
    fn add_names(&mut self, image: &Track<'_>) {
        let mut texts = Message::default();
        let mut add = |field, number, text: &str| {
            let mut entry = Message::default();
            entry.number(1, number).text(2, text);
            texts.message(field, &entry);
        };
        // `InternedData.debug_annotation_names`, `.event_names`, `.debug_annotation_string_values`.
        for (number, name) in [LINE, AWAITED, UNFINISHED] {
            add(3, number, name);
        }
        for (number, line) in (1..).zip(&image.steps.lines) {
            let Some((place, _)) = line else { continue };
            add(2, number, &place.activity);
            if !place.file.is_empty() {
                add(29, number, &format!("{}:{}", place.file, place.line));
            }
        }
        let mut packet = packet_of(image);
        packet.message(12, &texts);
        self.add(&packet);
    }

    fn add_begin(&mut self, image: &Track<'_>, index: usize, arrows: &Arrows) {
        let step = &image.steps.steps[index];
        // `TrackEvent.type`, `.name_iid`.
        let mut event = Message::default();
        event.number(9, if is_instant(image.steps, step) { 3 } else { 1 });
        event.number(10, step.line as u64 + 1);
        // `DebugAnnotation.name_iid`, and `.string_value_iid`, `.uint_value` or `.bool_value`.
        let mut note = |(name, _): (u64, &str), field, value| {
            let mut note = Message::default();
            note.number(1, name).number(field, value);
            event.message(4, &note);
        };
        if let Some(Some((place, _))) = image.steps.lines.get(step.line)
            && !place.file.is_empty()
        {
            note(LINE, 17, step.line as u64 + 1);
        }
        if let Some(awaited) = step.partner {
            note(AWAITED, 3, awaited as u64);
        }
        if step.end.is_none() {
            note(UNFINISHED, 2, 1);
        }
        // `TrackEvent.flow_ids`.
        let to = arrows.from.get(&(image.number, index));
        for to in to.into_iter().flatten() {
            event.fixed(47, arrow_to(*to));
        }
        self.add_event(image, step.begin, &event);
    }

    fn add_end(&mut self, image: &Track<'_>, time: u64, arrow: Option<u64>) {
        let mut event = Message::default();
        event.number(9, 2);
        // `TrackEvent.terminating_flow_ids`.
        if let Some(arrow) = arrow {
            event.fixed(48, arrow);
        }
        self.add_event(image, time, &event);
    }

    /// `TracePacket.timestamp`, `.track_event`.
    fn add_event(&mut self, image: &Track<'_>, time: u64, event: &Message) {
        let mut packet = packet_of(image);
        packet.number(8, time.saturating_add_signed(image.shift));
        packet.message(11, event);
        self.add(&packet);
    }
}

/// A packet of an image that needs what came before: `TracePacket.trusted_packet_sequence_id`, `.sequence_flags`.
fn packet_of(image: &Track<'_>) -> Message {
    let mut packet = Message::default();
    packet.number(10, sequence(image.number)).number(13, 2);
    packet
}

fn is_instant(steps: &Steps, step: &Step) -> bool {
    use Activity::{Post, Unlock};
    let line = steps.lines.get(step.line);
    matches!(line, Some(Some((_, Some(Post | Unlock)))))
}

/// The number of the track of an image.
fn uuid(image: usize) -> u64 {
    image as u64 + 1
}

/// The number of its packets.
fn sequence(image: usize) -> u64 {
    image as u64 + 1
}

/// The number of the arrow to a step of an image: no step has two.
fn arrow_to((image, step): (usize, usize)) -> u64 {
    uuid(image) << 32 | step as u64
}
