//! The conveyor: its memory, and how it is created and opened.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

use coarray_coref::{LeavesItsThread, Remote, Shape};
use coarray_runtime::{AllocError, Call, ImageFailed};
use coarray_sync::Coevent;

use super::bell::Bell;
use super::buffers::{Leaving, WORD};
use super::link::{Link, Links};
use super::open_conveyor::OpenConveyor;
use super::packets::MemoryLayout;
use super::record::{NUMBER, RecordLayout};
use super::routes::{Hops, Routes};
use super::traffic::Traffic;
use crate::coarray::Coarray;
use crate::create::{create_part, refuse};
use crate::open::Open;

/// The longest packet that can be asked for, in bytes.
const LONGEST: usize = 1 << 30;

/// Many small items for many images, which travel in packets.
///
/// Each image pushes items, whenever it has one, for whichever image, itself included; and pulls those that came for it. Items for one image wait until
/// they fill a packet, or until their image waits for something. All images take part: they [`open`](Self::open) the conveyor,
/// push and pull, say that they push no more, and go on to pull until nothing is left. [`convey`](Self::convey) does all of that.
///
/// `T` is a [`Remote`] value, or `[T]`: then each item is a run of values of its own length, which may be 0.
///
/// * **Order.** Items from one image to another arrive in the order in which they were pushed; otherwise there is none.
/// * **Progress.** Images take and pass on packets in calls of the conveyor only. An image that computes for long keeps others waiting.
/// * **Waiting.** An image that waits sleeps. If all images wait for each other, or one has failed, the job ends with a report.
/// * **Memory.** For each image that it sends packets to, an image has room for six packets, four of them in the symmetric heap; more only if a run
///   is longer than a packet: then twice as much as that. Up to 64 images these are all; of more it is about `2 * sqrt(N)` of `N`, and items
///   go by way of a third image. Besides four bytes for each image.
///
/// Creating a conveyor is collective; dropping it is not. It is there for any number of phases.
///
/// # Examples
/// A random permutation: each image throws its numbers at random places until all have one.
/// ```
/// use coarray::irregular::Conveyor;
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let (me, images) = (this_image(), num_images());
///     let mut conveyor = Conveyor::<u64>::new();
///     let mut got = Vec::new();
///     let numbers = (0..100).map(|i| (100 * me + i) as u64);
///     conveyor.convey(numbers.map(|number| (number as usize * 7 % images, number)), |_, number| {
///         got.push(number);
///     });
///     let (mut count, mut sum) = (got.len(), got.iter().sum::<u64>());
///     co_sum(&mut count);
///     co_sum(&mut sum);
///     assert_eq!((count, sum), (300, 299 * 150)); // each arrived once
/// });
/// ```
///
/// # Source
/// F. M. Maley and J. G. DeVinney, *Conveyors for Streaming Many-To-Many Communication*, IA3 2019. Here the waiting image sleeps, and
/// what arrives is pulled or handed to a closure.
pub struct Conveyor<T: ?Sized + Shape<Item: Remote>> {
    memory: Coarray<[u64]>,
    bell: Rc<Bell>,
    links: Links,
    memory_layout: MemoryLayout,
    items: PhantomData<*mut T>,
}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: ?Sized + Shape<Item: Remote> + LeavesItsThread> Send for Conveyor<T> {}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: ?Sized + Shape<Item: Remote> + LeavesItsThread> Sync for Conveyor<T> {}

/// How a [`Conveyor`] packs and routes. The same on all images.
///
/// # Examples
/// ```
/// use coarray::irregular::{Conveyor, ConveyorOptions, Hops};
/// use coarray::prelude::*;
///
/// coarray::run(5, || {
///     let options = ConveyorOptions { packet_bytes: 1 << 16, hops: Hops::Two };
///     let mut conveyor = Conveyor::<u8>::with_options(options);
///     let mut sum = 0;
///     conveyor.convey((0..num_images()).map(|image| (image, 1)), |_, one| sum += one);
///     assert_eq!(sum, 5);
/// });
/// ```
///
/// # Source
/// Its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConveyorOptions {
    /// Bytes of a full packet: 8 KiB unless the program says otherwise. Longer ones cost less per item on a network, and more memory and time until
    /// they are full. Rounded up to whole words; at most 1 GiB.
    pub packet_bytes: usize,
    /// How many hops an item takes.
    pub hops: Hops,
}

impl Default for ConveyorOptions {
    fn default() -> Self {
        Self {
            packet_bytes: 8 << 10,
            hops: Hops::default(),
        }
    }
}

impl<T: ?Sized + Shape<Item: Remote> + 'static> Conveyor<T> {
    /// Collective. A conveyor among the images of the current team.
    ///
    /// # Panics
    /// On all images if there is no room, with the largest users of the heap. The job ends with a report if images create conveyors of
    /// different items, or if one has failed.
    ///
    /// # Examples
    /// See [`Conveyor`].
    ///
    /// # Source
    /// As [`Conveyor`].
    #[must_use]
    #[track_caller]
    #[expect(clippy::new_without_default, reason = "it is collective")]
    pub fn new() -> Self {
        Self::with_options(ConveyorOptions::default())
    }

    /// Collective. As [`new`](Self::new), packed and routed as the options say.
    ///
    /// # Panics
    /// As [`new`](Self::new); if packets have no bytes, or more than 1 GiB. The job ends with a report if the images disagree about the options.
    ///
    /// # Examples
    /// See [`ConveyorOptions`].
    ///
    /// # Source
    /// As [`Conveyor`].
    #[must_use]
    #[track_caller]
    pub fn with_options(options: ConveyorOptions) -> Self {
        or_refuse::<T>(Self::try_with_options(options))
    }

    /// Collective. As [`with_options`](Self::with_options), but returns the error.
    ///
    /// # Errors
    /// As [`Coarray::try_new`], the same on all images.
    ///
    /// # Panics
    /// If packets have no bytes, or more than 1 GiB. The job ends with a report if the images disagree about the items or the options.
    ///
    /// # Examples
    /// ```
    /// use coarray::failure::fail_image;
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     if this_image() == 1 {
    ///         fail_image();
    ///     }
    ///     Conveyor::<f64>::try_with_options(Default::default()).is_err()
    /// });
    /// assert_eq!(survivors.unwrap(), [true, true]);
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_new`].
    #[track_caller]
    pub fn try_with_options(options: ConveyorOptions) -> Result<Self, AllocError> {
        let caller = Location::caller();
        let events = create_part::<Self, _>(1, caller, |_| Coevent::new())?;
        Self::with_bell(Rc::new(Bell::new(events)), options, caller)
    }

    /// Collective. As [`new`](Self::new), for images that wait for what comes by this conveyor or by `other`, whichever has something first:
    /// [`wait_any`](super::wait_any).
    ///
    /// # Panics
    /// As [`new`](Self::new); if `other` was created in another team.
    ///
    /// # Examples
    /// See [`wait_any`](super::wait_any).
    ///
    /// # Source
    /// Its own.
    #[must_use]
    #[track_caller]
    pub fn beside<U: ?Sized + Shape<Item: Remote>>(other: &Conveyor<U>) -> Self {
        Self::beside_with(other, ConveyorOptions::default())
    }

    /// Collective. As [`beside`](Self::beside), packed and routed as the options say.
    ///
    /// # Panics
    /// As [`beside`](Self::beside) and [`with_options`](Self::with_options).
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::{Conveyor, ConveyorOptions};
    ///
    /// coarray::run(2, || {
    ///     let questions = Conveyor::<u32>::new();
    ///     let options = ConveyorOptions { packet_bytes: 1 << 15, ..Default::default() };
    ///     let _answers = Conveyor::<[f64; 3]>::beside_with(&questions, options);
    /// });
    /// ```
    ///
    /// # Source
    /// Its own.
    #[must_use]
    #[track_caller]
    pub fn beside_with<U: ?Sized + Shape<Item: Remote>>(
        other: &Conveyor<U>,
        options: ConveyorOptions,
    ) -> Self {
        or_refuse::<T>(Self::try_beside_with(other, options))
    }

    /// Collective. As [`beside_with`](Self::beside_with), but returns the error.
    ///
    /// # Errors
    /// As [`Coarray::try_new`], the same on all images.
    ///
    /// # Panics
    /// As [`try_with_options`](Self::try_with_options); or if `other` is not of the current team.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    ///
    /// coarray::run(2, || {
    ///     let questions = Conveyor::<u32>::new();
    ///     assert!(Conveyor::<f64>::try_beside_with(&questions, Default::default()).is_ok());
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_new`].
    #[track_caller]
    pub fn try_beside_with<U: ?Sized + Shape<Item: Remote>>(
        other: &Conveyor<U>,
        options: ConveyorOptions,
    ) -> Result<Self, AllocError> {
        Self::with_bell(Rc::clone(&other.bell), options, Location::caller())
    }

    #[track_caller]
    fn with_bell(
        bell: Rc<Bell>,
        options: ConveyorOptions,
        caller: &'static Location<'static>,
    ) -> Result<Self, AllocError> {
        const { <T::Item as Remote>::CHECK };
        let packet = options.packet_bytes.next_multiple_of(WORD);
        assert!(
            (1..=LONGEST).contains(&options.packet_bytes),
            "a conveyor's packets have 1 to {LONGEST} bytes, not {}",
            options.packet_bytes
        );
        let team = coarray_runtime::Team::current();
        assert!(
            team.is(bell.team()),
            "a conveyor beside another one is of the same team"
        );
        let (images, me) = (team.images(), team.index());
        let routes = Routes::new(images, options.hops);
        let memory_layout = MemoryLayout::new(packet, routes.links());
        let words = memory_layout.words();
        let memory = create_part::<Self, u64>(words, caller, |_| 0)?;
        let all = (0..routes.links()).map(|link| {
            let peer = routes.peer(me, link)?;
            let is_relay = link >= routes.neighbours();
            let theirs = routes.link_between(peer, me, is_relay);
            Some(Link::new(peer, theirs))
        });
        let all: Vec<_> = all.collect();
        let leaving = all.iter().map(|link| match link {
            Some(_) => Leaving::with_room(packet),
            None => Leaving::with_room(0),
        });
        let first = (0..images).map(|image| routes.first_link(me, image) as u32);
        let links = Links {
            leaving: leaving.collect(),
            all,
            first: first.collect(),
            finals: routes.neighbours(),
            routes,
            me,
        };
        Ok(Self {
            memory,
            bell,
            links,
            memory_layout,
            items: PhantomData,
        })
    }

    /// Collective. Begins a phase in which the images push and pull: a barrier.
    ///
    /// # Panics
    /// If the guard of an earlier phase was leaked, or dropped by a panic.
    ///
    /// # Examples
    /// See [`OpenConveyor`].
    ///
    /// # Source
    /// `convey_begin` of *bale*.
    #[track_caller]
    pub fn open(&mut self) -> OpenConveyor<'_, T> {
        let (memory, opened) = (self.memory.open(), Location::caller());
        guard(
            memory,
            &self.bell,
            &mut self.links,
            self.memory_layout,
            opened,
        )
    }

    /// Collective. As [`open`](Self::open), but failed images do not end the job.
    ///
    /// # Errors
    /// The images of the conveyor's team that have failed, or stopped, the same on all others; then it stays closed.
    ///
    /// # Panics
    /// As [`open`](Self::open).
    ///
    /// # Examples
    /// ```
    /// use coarray::failure::fail_image;
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     let mut conveyor = Conveyor::<u32>::new();
    ///     if this_image() == 1 {
    ///         fail_image();
    ///     }
    ///     conveyor.try_open().unwrap_err().images
    /// });
    /// assert_eq!(survivors.unwrap(), [[1], [1]]);
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_open`].
    #[track_caller]
    pub fn try_open(&mut self) -> Result<OpenConveyor<'_, T>, ImageFailed> {
        let (memory, opened) = (self.memory.try_open()?, Location::caller());
        let (bell, links) = (&self.bell, &mut self.links);
        Ok(guard(memory, bell, links, self.memory_layout, opened))
    }
}

fn guard<'a, T: ?Sized + Shape<Item: Remote>>(
    memory: Open<'a, [u64]>,
    bell: &'a Bell,
    links: &'a mut Links,
    layout: MemoryLayout,
    opened: &'static Location<'static>,
) -> OpenConveyor<'a, T> {
    let tag = match links.routes.has_two_hops() {
        true => NUMBER,
        false => 0,
    };
    let records = RecordLayout {
        tag,
        value: size_of::<T::Item>(),
        // A reference to a run has its length beside its address.
        varies: size_of::<&T>() > size_of::<usize>(),
    };
    OpenConveyor::new(Traffic::new(memory, bell, links, layout, records, opened))
}

impl<T: ?Sized + Shape<Item: Remote>> fmt::Debug for Conveyor<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let images = self.links.first.len();
        write!(
            formatter,
            "Conveyor<{}> of {images} images",
            type_name::<T>()
        )
    }
}

/// The conveyor; if there is no room for it, panics, and if images have failed, ends the job.
#[track_caller]
fn or_refuse<T: ?Sized + Shape<Item: Remote> + 'static>(
    created: Result<Conveyor<T>, AllocError>,
) -> Conveyor<T> {
    let call = Call::on_part::<Conveyor<T>, [u64]>(1, Location::caller());
    created.unwrap_or_else(|error| refuse(error, &call))
}
