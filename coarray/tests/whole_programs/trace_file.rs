//! Reads timelines: as much of Perfetto's packets as they have, and nothing that they must not have.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// A slice, or an instant.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    pub name: String,
    /// The file and the line, or nothing.
    pub line: String,
    pub begin: u64,
    pub end: u64,
    /// How many slices are around it.
    pub depth: usize,
    pub is_instant: bool,
    pub has_not_ended: bool,
    pub awaited: Option<u64>,
    /// The numbers of arrows that come from it, and of the one that ends at it.
    pub arrows: Vec<u64>,
    pub arrow: Option<u64>,
}

impl Slice {
    pub fn length(&self) -> u64 {
        self.end - self.begin
    }
}

/// What a file has: the slices of each image in the order in which they begin, and the names of hosts.
#[derive(Debug, Default)]
pub struct Trace {
    pub images: BTreeMap<usize, Vec<Slice>>,
    pub hosts: BTreeSet<String>,
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    fn number(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Bytes(bytes) => panic!("{bytes:?} is no number"),
        }
    }

    fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Number(number) => panic!("{number} is no message"),
        }
    }

    fn text(self) -> String {
        String::from_utf8(self.bytes().into()).unwrap()
    }
}

/// The fields of a message, with their numbers.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Value<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut bytes)),
            1 => {
                let (number, rest) = bytes.split_first_chunk().expect("eight bytes");
                bytes = rest;
                Value::Number(u64::from_le_bytes(*number))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (value, rest) = bytes.split_at_checked(length).expect("a whole field");
                bytes = rest;
                Value::Bytes(value)
            }
            kind => panic!("field {} is of kind {kind}", tag >> 3),
        };
        fields.push((tag >> 3, value));
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().expect("a whole number");
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return number;
        }
    }
    panic!("a number of more than ten bytes");
}

/// The state of a sequence of packets.
#[derive(Debug, Default)]
struct Sequence {
    track: u64,
    texts: HashMap<(u64, u64), String>,
    open: Vec<usize>,
    time: u64,
    slices: Vec<Slice>,
}

/// How many packets a file has.
pub fn packets(path: &Path) -> usize {
    fields(&std::fs::read(path).unwrap()).len()
}

/// Reads a file.
///
/// # Panics
/// If it is no timeline.
pub fn read(path: &Path) -> Trace {
    let bytes = std::fs::read(path).unwrap();
    let mut trace = Trace::default();
    let mut sequences = BTreeMap::<u64, Sequence>::new();
    let mut tracks = HashMap::new();
    for (field, packet) in fields(&bytes) {
        assert_eq!(field, 1, "Trace.packet");
        let packet: HashMap<_, _> = fields(packet.bytes()).into_iter().collect();
        let sequence = sequences.entry(packet[&10].number()).or_default();
        if let Some(track) = packet.get(&60) {
            let track: HashMap<_, _> = fields(track.bytes()).into_iter().collect();
            let name = track[&2].text();
            match name.strip_prefix("image ") {
                Some(number) => drop(tracks.insert(track[&1].number(), number.parse().unwrap())),
                None => drop(trace.hosts.insert(name)),
            }
        }
        match packet.get(&13).map(|flags| flags.number()) {
            Some(1) => sequence.begin(packet[&59].bytes()),
            Some(2) => assert_ne!(sequence.track, 0, "the sequence has begun"),
            _ => assert!(packet.contains_key(&60)),
        }
        if let Some(texts) = packet.get(&12) {
            for (field, text) in fields(texts.bytes()) {
                let text: HashMap<_, _> = fields(text.bytes()).into_iter().collect();
                let key = (field, text[&1].number());
                sequence.texts.insert(key, text[&2].text());
            }
        }
        if let Some(event) = packet.get(&11) {
            sequence.add(packet[&8].number(), event.bytes());
        }
    }
    for sequence in sequences.into_values() {
        assert!(sequence.open.is_empty(), "all slices end");
        let known = trace
            .images
            .insert(tracks[&sequence.track], sequence.slices);
        assert!(known.is_none(), "each image has one sequence");
    }
    trace.check_arrows();
    trace
}

impl Sequence {
    /// The defaults of the packets that follow.
    fn begin(&mut self, defaults: &[u8]) {
        assert_eq!(self.track, 0, "a sequence begins once");
        for (field, event) in fields(defaults) {
            assert_eq!(field, 11, "TracePacketDefaults.track_event_defaults");
            let (_, track) = fields(event.bytes())[0];
            self.track = track.number();
        }
    }

    fn add(&mut self, time: u64, event: &[u8]) {
        assert!(time >= self.time, "times are in order");
        self.time = time;
        let fields_of_event = fields(event);
        let (_, kind) = fields_of_event
            .iter()
            .find(|(field, _)| *field == 9)
            .unwrap();
        match kind.number() {
            2 => {
                let slice = self.open.pop().expect("no slice ends twice");
                let slice = &mut self.slices[slice];
                slice.end = time;
                let arrow = fields_of_event.iter().find(|(field, _)| *field == 48);
                slice.arrow = arrow.map(|(_, arrow)| arrow.number());
            }
            kind => {
                let mut slice = Slice {
                    begin: time,
                    end: time,
                    depth: self.open.len(),
                    is_instant: kind == 3,
                    ..Slice::default()
                };
                for (field, value) in fields_of_event {
                    match field {
                        4 => self.annotate(&mut slice, value.bytes()),
                        9 => {}
                        10 => slice.name = self.texts[&(2, value.number())].clone(),
                        47 => slice.arrows.push(value.number()),
                        other => panic!("TrackEvent has field {other}"),
                    }
                }
                if kind == 1 {
                    self.open.push(self.slices.len());
                }
                self.slices.push(slice);
            }
        }
    }

    fn annotate(&self, slice: &mut Slice, note: &[u8]) {
        let note: HashMap<_, _> = fields(note).into_iter().collect();
        match self.texts[&(3, note[&1].number())].as_str() {
            "line" => slice.line = self.texts[&(29, note[&17].number())].clone(),
            "waited for image" => slice.awaited = Some(note[&3].number()),
            "has not ended" => slice.has_not_ended = note[&2].number() == 1,
            other => panic!("there is no note {other}"),
        }
    }
}

impl Trace {
    /// The slices of an image with this name.
    pub fn named(&self, image: usize, name: &str) -> Vec<&Slice> {
        let all = self.images[&image].iter();
        all.filter(|slice| slice.name == name).collect()
    }

    /// The image and the slice that an arrow to this slice comes from.
    pub fn source(&self, slice: &Slice) -> Option<(usize, &Slice)> {
        let arrow = slice.arrow?;
        self.images.iter().find_map(|(image, slices)| {
            let source = slices.iter().find(|slice| slice.arrows.contains(&arrow))?;
            Some((*image, source))
        })
    }

    /// Each arrow has two ends, and does not lead back in time.
    fn check_arrows(&self) {
        let all = || self.images.values().flatten();
        let mut from = BTreeMap::new();
        for slice in all() {
            for arrow in &slice.arrows {
                assert!(from.insert(*arrow, slice).is_none(), "one source: {arrow}");
            }
        }
        for slice in all() {
            if let Some(arrow) = slice.arrow {
                let source = from.remove(&arrow).expect("a source");
                assert!(source.begin <= slice.end, "{source:?} {slice:?}");
            }
        }
        assert!(from.is_empty(), "{from:?} lead nowhere");
    }
}
