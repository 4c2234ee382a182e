//! Random programs of puts and gets in which images do not race.

use proptest::prelude::*;
use proptest::sample::Index;

use crate::model::{Model, Place};
use crate::part::{Part, RawPart};
use crate::sample::{Sample, mix};

/// One operation of one image.
#[derive(Clone, Debug)]
pub struct Step<T> {
    /// The image that does it.
    pub by: usize,
    /// The image whose part it is about.
    pub image: usize,
    /// The part.
    pub part: Part,
    /// What is done with the part.
    pub action: Action<T>,
    /// Which of several ways to say the same is taken.
    pub way: usize,
}

/// What is done with a part.
#[derive(Clone, Debug)]
pub enum Action<T> {
    /// Gets these values.
    Get(Vec<T>),
    /// Puts these values.
    Put(Vec<T>),
    /// Puts this value everywhere.
    Fill(T),
    /// Copies from that image and part.
    Copy(usize, Part),
}

/// What happens between two `sync_all`.
#[derive(Clone, Debug)]
pub struct Round<T> {
    /// Each image does its steps in this order.
    pub steps: Vec<Step<T>>,
    /// All parts at the end.
    pub after: Model<T>,
}

/// A step for any number of images and elements.
#[derive(Clone, Debug)]
pub struct RawStep {
    by: Index,
    image: Index,
    part: RawPart,
    action: usize,
    source: [Index; 2],
    way: usize,
    seed: u64,
}

impl RawStep {
    /// Any step.
    pub fn any() -> impl Strategy<Value = Self> {
        let images = (any::<Index>(), any::<Index>());
        (
            images,
            RawPart::any(),
            0usize..5,
            any::<[Index; 2]>(),
            0usize..60,
            any::<u64>(),
        )
            .prop_map(|((by, image), part, action, source, way, seed)| Self {
                by,
                image,
                part,
                action,
                source,
                way,
                seed,
            })
    }

    /// The step for a coarray in this state.
    fn of<T: Sample>(&self, images: usize, elements: usize, now: &Model<T>) -> Step<T> {
        let (image, part) = (self.image.index(images), self.part.of(elements));
        let positions = part.elements(elements);
        let action = match self.action {
            0 => Action::Get(now.get(&Place {
                image,
                elements: positions,
            })),
            1 => Action::Fill(T::sample(self.seed)),
            2 => Action::Copy(
                self.source[0].index(images),
                part.twin(elements, self.source[1]),
            ),
            _ => Action::Put(
                (0..positions.len() as u64)
                    .map(|index| T::sample(mix(self.seed, index)))
                    .collect(),
            ),
        };
        Step {
            by: self.by.index(images),
            image,
            part,
            action,
            way: self.way,
        }
    }
}

/// The rounds of `steps` on a coarray that starts as `now`, without the steps that would race.
#[must_use]
pub fn plan<T: Sample>(
    steps: &[Vec<RawStep>],
    images: usize,
    elements: usize,
    mut now: Model<T>,
) -> Vec<Round<T>> {
    steps
        .iter()
        .map(|steps| {
            let mut uses = Uses::new(images, elements);
            let mut accepted = Vec::new();
            for raw in steps {
                let step = raw.of(images, elements, &now);
                let place = Place {
                    image: step.image,
                    elements: step.part.elements(elements),
                };
                let source = match &step.action {
                    Action::Copy(image, part) => Some(Place {
                        image: *image,
                        elements: part.elements(elements),
                    }),
                    _ => None,
                };
                let (reads, writes) = match &step.action {
                    Action::Get(_) => (Some(&place), None),
                    _ => (source.as_ref(), Some(&place)),
                };
                if !uses.allow(step.by, reads, writes) {
                    continue;
                }
                match (&step.action, &source) {
                    (Action::Put(values), _) => now.put(&place, values),
                    (Action::Fill(value), _) => now.fill(&place, *value),
                    (_, Some(source)) => now.copy(&place, source),
                    _ => {}
                }
                accepted.push(step);
            }
            Round {
                steps: accepted,
                after: now.clone(),
            }
        })
        .collect()
}

/// Who read and wrote each element of each image in a round.
struct Uses {
    elements: Vec<Vec<Use>>,
}

#[derive(Clone, Default)]
struct Use {
    readers: Vec<usize>,
    writer: Option<usize>,
}

impl Uses {
    fn new(images: usize, elements: usize) -> Self {
        Self {
            elements: vec![vec![Use::default(); elements]; images],
        }
    }

    /// Notes what image `by` reads and writes, unless that races with what others do in the round.
    fn allow(&mut self, by: usize, reads: Option<&Place>, writes: Option<&Place>) -> bool {
        let alone = |image: &Option<usize>| image.is_none_or(|image| image == by);
        let uses = |place: Option<&Place>| -> Vec<(usize, usize)> {
            place
                .into_iter()
                .flat_map(|place| place.elements.iter().map(|&element| (place.image, element)))
                .collect()
        };
        let (reads, writes) = (uses(reads), uses(writes));
        let may_read = reads
            .iter()
            .all(|&(image, element)| alone(&self.elements[image][element].writer));
        let may_write = writes.iter().all(|&(image, element)| {
            let used = &self.elements[image][element];
            alone(&used.writer) && used.readers.iter().all(|&reader| reader == by)
        });
        if !may_read || !may_write {
            return false;
        }
        reads
            .iter()
            .for_each(|&(image, element)| self.elements[image][element].readers.push(by));
        writes
            .iter()
            .for_each(|&(image, element)| self.elements[image][element].writer = Some(by));
        true
    }
}
