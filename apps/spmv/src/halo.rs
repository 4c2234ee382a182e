//! The elements of a vector that other images have and this one needs.
//!
//! Each owner puts them into this image's halo and posts its event `arrived`. When this image has copied them
//! it posts each owner's event `taken`; an owner waits for these posts before it puts again. So an image waits
//! only for images with which it shares elements.

use coarray::OpenRagged;
use coarray::collectives::{co_alltoall, co_alltoallv};
use coarray::prelude::*;

use crate::division::Division;

/// Which elements travel between which images.
pub(crate) struct Plan {
    /// For each image, its elements that are needed here: global numbers, rising.
    needed: Vec<Vec<u32>>,
    /// For each image that needs elements of this one: their local numbers, and their place in its halo.
    wanted: Vec<Wanted>,
}

struct Wanted {
    image: usize,
    elements: Vec<u32>,
    /// Where in the image's halo they begin.
    start: usize,
}

/// The events of the exchange; see the head of this file.
pub(crate) struct Events {
    arrived: Coarray<Coevent>,
    taken: Coarray<Coevent>,
}

/// The exchange of halos while they are open.
pub(crate) struct Halo<'a> {
    outgoing: Vec<Outgoing<'a>>,
    incoming: Vec<usize>,
    events: &'a Events,
    here: &'a coarray::Coref<[f64]>,
    values: Vec<f64>,
    /// Whether elements were sent whose `taken` posts were not waited for.
    under_way: bool,
}

struct Outgoing<'a> {
    image: usize,
    elements: &'a [u32],
    place: &'a coarray::Coref<[f64]>,
    packed: Vec<f64>,
}

impl Plan {
    /// Collective. Tells owners that these elements are needed here: global numbers, rising.
    pub(crate) fn new(elements: &[u32], division: &Division) -> Self {
        let mut needed = Vec::with_capacity(num_images());
        let mut starts = Vec::with_capacity(num_images());
        for image in 0..num_images() {
            let range = division.of(image);
            let from = elements.partition_point(|&element| (element as usize) < range.start);
            let to = elements.partition_point(|&element| (element as usize) < range.end);
            starts.push(from);
            needed.push(elements[from..to].to_vec());
        }
        let mut wanted_starts = vec![0; num_images()];
        co_alltoall(&starts, &mut wanted_starts);
        let first = division.of(this_image()).start as u32;
        let wanted = co_alltoallv(&needed).into_iter().zip(wanted_starts);
        let wanted = wanted.enumerate().map(|(image, (elements, start))| Wanted {
            image,
            elements: elements.iter().map(|element| element - first).collect(),
            start,
        });
        Self {
            needed,
            wanted: wanted
                .filter(|wanted| !wanted.elements.is_empty())
                .collect(),
        }
    }

    /// How many elements are needed here.
    pub(crate) fn len(&self) -> usize {
        self.needed.iter().map(Vec::len).sum()
    }
}

impl Events {
    /// Collective.
    pub(crate) fn new() -> Self {
        Self {
            arrived: Coarray::new(Coevent::new()),
            taken: Coarray::new(Coevent::new()),
        }
    }
}

impl<'a> Halo<'a> {
    /// The exchange by a plan, through memory for [`Plan::len`] elements on each image.
    pub(crate) fn new(plan: &'a Plan, memory: &'a OpenRagged<'_, f64>, events: &'a Events) -> Self {
        let outgoing = plan.wanted.iter().map(|wanted| Outgoing {
            image: wanted.image,
            elements: &wanted.elements,
            place: &memory.at(wanted.image)[wanted.start..][..wanted.elements.len()],
            packed: Vec::new(),
        });
        let incoming = (0..num_images()).filter(|&image| !plan.needed[image].is_empty());
        Self {
            outgoing: outgoing.collect(),
            incoming: incoming.collect(),
            events,
            here: memory.here(),
            values: vec![0.0; plan.len()],
            under_way: false,
        }
    }

    /// Sends elements of `x` to the images that need them.
    pub(crate) fn start(&mut self, x: &[f64]) {
        for outgoing in &mut self.outgoing {
            let elements = outgoing.elements.iter();
            outgoing.packed.clear();
            outgoing
                .packed
                .extend(elements.map(|&element| x[element as usize]));
        }
        if self.under_way {
            self.events.taken.wait_for(self.outgoing.len() as u64);
        }
        for outgoing in &self.outgoing {
            let arrived = self.events.arrived.at(outgoing.image);
            outgoing
                .place
                .put_from_notify(&outgoing.packed[..], arrived);
        }
        self.under_way = true;
    }

    /// Waits for the elements of the other images.
    pub(crate) fn finish(&mut self) {
        self.events.arrived.wait_for(self.incoming.len() as u64);
        self.here.get_into(&mut self.values);
        for &image in &self.incoming {
            self.events.taken.at(image).post();
        }
    }

    /// The elements of other images that arrived last, in the order of their numbers.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }
}
