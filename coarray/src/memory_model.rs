//! What an image sees of what the others did: the rules of order, and programs that show them.
//!
//! There is nothing to call here. Programs that only access closed coarrays, and open ones in phases in which no
//! two images use the same place, need none of this: the ends of phases are barriers (rule 4). The rest is for
//! programs whose images tell each other in the middle of a phase that something is there.
//!
//! # Words
//! * An image *accesses* a place by `get`, `put` and their relatives through a [`Coref`](crate::Coref), by the
//!   operations of a [`Coatomic`](crate::atomics::Coatomic), or locally, through a reference.
//! * One access *happens before* another if a rule below says so, or if some chain of accesses and rules leads
//!   from one to the other. A get sees the put to its place that happened before it last.
//! * Two accesses of different images to a place, one of them a put, *race* if neither happens before the
//!   other. Rule 11 says what they get. A get then may see any of the racing puts, and never has to.
//! * An asynchronous operation, such as [`put_async`](crate::Coref::put_async) or
//!   [`add_async`](crate::atomics::AsyncCoatomicPlace::add_async), happens between the call and its *completion*: when its [`Cofuture`](crate::asynchronous::Cofuture) was waited for (rule 8), or its image has gone through one of
//!   the rules 2 to 7, 12, 13 or 14, there named `A`. All other operations happen before they return.
//!
//! # The rules
//! In this table `A` is an image, and `B` another one. What is in the second column, and everything that happens
//! before it, happens before what is in the last column.
//!
//! | rule | earlier | through | later |
//! |---|---|---|---|
//! | [1](#1-program-order) | an access of `A` to a place | | a later access of `A` to the same place |
//! | [2](#2-fence) | puts of `A` to image `i` | `A` calls [`fence(i)`](fn@crate::fence) and puts a word to `i`, which `B` gets | what `B` does after an [`image_fence`](crate::image_fence) |
//! | [3](#3-quiet-and-image_fence) | all accesses of `A` | `A` calls [`quiet`](crate::quiet) or [`image_fence`](crate::image_fence) and puts a word anywhere, which `B` gets | what `B` does after an [`image_fence`](crate::image_fence) |
//! | [4](#4-barriers-and-phases) | all accesses of all images | [`sync_all`](crate::sync_all); begin and end of phases | all accesses of all images |
//! | [5](#5-events) | all accesses of `A` | `A` posts a [`Coevent`](crate::events::Coevent), and a wait of `B` consumes the post | all accesses of `B` after the wait |
//! | [6](#6-puts-that-notify) | the put of [`put_notify`](crate::events::PutNotify) by `A` | a wait of `B` consumes its post | all accesses of `B` after the wait |
//! | [7](#7-mutexes) | all accesses of `A` | `A` drops the guard of a [`Comutex`](crate::locks::Comutex), and `B` locks it next | all accesses of `B` with the guard |
//! | [8](#8-cofutures) | an asynchronous operation of `A`, and those that `A` issued to the same image before | `A` waits for its [`Cofuture`](crate::asynchronous::Cofuture) | all accesses of `A` after the wait |
//! | [9](#9-collectives) | the values that images give to a collective | [`co_sum`](crate::collectives::co_sum) and its relatives | the values that images get from it |
//! | [10](#10-coatomics) | an operation on a [`Coatomic`](crate::atomics::Coatomic) | the one order of all operations on it | a later operation on the same coatomic |
//! | [11](#11-races) | | a race | unspecified values |
//! | [12](#12-teams) | all accesses of all images of a team | [`sync_team`](crate::sync_team); begin and end of [`Team::change`](crate::Team::change) | all accesses of all images of the team |
//! | [13](#13-sync_images) | all accesses of `A` | [`sync_images`](crate::sync_images) of `A` with `B` and of `B` with `A` | all accesses of `B` after its call |
//! | [14](#14-critical-sections) | all accesses of `A` in a [`critical`](crate::locks::critical) section and before | the next section of the team | all accesses of `B` in it |
//! | [15](#15-failed-images) | accesses of an image that has failed since | the rules above, if the image went through them | what the others do after |
//!
//! The test `memory_model` has a program for each rule, whose images try it many times.
//!
//! # 1. Program order
//! The accesses of one image to the same place, through whatever coref, happen in the order of the program,
//! asynchronous ones included. About different places this says nothing.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(2, || {
//! # let mut x = Coarray::<[usize; 2]>::zeroed();
//! # let x = x.open();
//! let place = &x.at((this_image() + 1) % 2)[this_image()];
//! place.put(1);
//! drop(place.put_async(2)); // nobody waits for it
//! assert_eq!(place.get(), 2);
//! # });
//! ```
//!
//! Source: *Coarray C++* section 5.1.
//!
//! # 2. Fence
//! [`fence(i)`](fn@crate::fence) orders the puts of its image to image `i`: an image that sees a later one, and then
//! calls [`image_fence`](crate::image_fence), sees all earlier ones. It does not order puts to other images.
//!
//! ```
//! # use coarray::image_fence;
//! # use coarray::prelude::*;
//! # coarray::run(2, || {
//! # let (mut data, mut there) = (Coarray::new([0; 50]), Coarray::new(false));
//! # let (data, there) = coarray::open((&mut data, &mut there));
//! if this_image() == 0 {
//!     data.at(1).put([7; 50]);
//!     fence(1);
//!     there.at(1).put(true);
//! } else {
//!     while !there.here().get() {
//!         std::thread::yield_now();
//!     }
//!     image_fence();
//!     assert_eq!(data.here().get(), [7; 50]);
//! }
//! # });
//! ```
//!
//! The word that is put after the fence must be of a type that [`as_atomic`](crate::atomics::AsAtomic) takes, so that it
//! arrives whole; or it is a coatomic. It may also be changed by an atomic operation through `as_atomic`, and be got plainly or
//! atomically. When it arrives is up to the fabric: it has at the latest when the image
//! calls `quiet`, or goes through one of the rules 4 to 7 and 12 to 14.
//!
//! Source: `shmem_fence`, OpenSHMEM 1.5 section 9.12.
//!
//! # 3. `quiet` and `image_fence`
//! [`quiet`](crate::quiet) and [`image_fence`](crate::image_fence) are the same: all operations of the image, on all
//! images, are complete and visible to everyone. All images' fences have one order. Of two fences, what is before
//! the earlier one is visible after the later one.
//!
//! A get that has returned is over. So whatever an image does that has learned of that, by a word that was put after a fence of
//! either kind, by a post or by a put that notifies, comes after the get, and that image may put to the place.
//!
//! ## Message passing, by way of a third image
//! Image 0 puts the data to image 1 and the flag to image 2.
//!
//! ```
//! # use coarray::image_fence;
//! # use coarray::prelude::*;
//! # coarray::run(3, || {
//! # let flag = Coarray::new(Coatomic::new(false));
//! # let mut data = Coarray::new(0);
//! # let data = data.open();
//! match this_image() {
//!     0 => {
//!         data.at(1).put(42);
//!         image_fence();
//!         flag.at(2).store(true);
//!     }
//!     2 => {
//!         flag.wait_until(|flag| flag);
//!         image_fence();
//!         assert_eq!(data.at(1).get(), 42);
//!     }
//!     _ => {}
//! }
//! # });
//! ```
//!
//! | without | the last line may get |
//! |---|---|
//! | both fences | 42 only |
//! | either fence, or `fence(1)` for the first one | 0 or 42 |
//!
//! ## Store buffering
//! Each image puts to one place and gets from the other.
//!
//! ```
//! # use coarray::image_fence;
//! # use coarray::prelude::*;
//! # coarray::run(2, || {
//! # let mut x = Coarray::new(0);
//! # let mut seen;
//! # {
//! # let x = x.open();
//! x.here().put(1);
//! image_fence();
//! seen = x.at(1 - this_image()).get();
//! # }
//! co_max(&mut seen);
//! assert_eq!(seen, 1);
//! # });
//! ```
//!
//! | fences | image 0 and image 1 may get |
//! |---|---|
//! | on both images | 1 and 1, 0 and 1, 1 and 0 |
//! | on one image, or none | the same, or 0 and 0 |
//!
//! ## Independent reads
//! Images 0 and 1 put to a place each. Images 2 and 3 get from both, in different orders.
//!
//! ```
//! # use coarray::image_fence;
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! # let mut x = Coarray::new(0);
//! # let mut contradictions = 0;
//! # {
//! # let x = x.open();
//! match this_image() {
//!     writer @ 0..2 => x.at(writer).put(1),
//!     reader => {
//!         let first = x.at(reader - 2).get();
//!         image_fence();
//!         let second = x.at(3 - reader).get();
//!         contradictions = usize::from((first, second) == (1, 0));
//!     }
//! }
//! # }
//! co_sum(&mut contradictions);
//! assert!(contradictions < 2);
//! # });
//! ```
//!
//! | fences | image 2 and image 3 may get |
//! |---|---|
//! | on both readers | anything but 1, 0 and 1, 0: they agree which put came first |
//! | on one reader, or none | anything |
//!
//! Source: `atomic_image_fence`, *Coarray C++* section 5.1; `sync memory`, Fortran 2018 clause 11.6.5;
//! `shmem_quiet`, OpenSHMEM 1.5 section 9.12. That the fences have one order is that of
//! [`std::sync::atomic::fence`] with `SeqCst`.
//!
//! # 4. Barriers and phases
//! All that any image did before [`sync_all`](crate::sync_all) happens before all that any image does after it. So
//! it is with [`open`](crate::Coarray::open), [`publish`](crate::Coarray::publish), and the ends of their phases;
//! local accesses count. Creating a coarray orders nothing but the values it begins with: one of coatomics, events
//! or mutexes is complete on all images when its creation returns.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(3, || {
//! let mut x = Coarray::new(0);
//! *x = this_image();
//! {
//!     let x = x.open();
//!     assert_eq!(x.at(2).get(), 2); // what image 2 wrote before the phase
//!     sync_all();
//!     x.at((this_image() + 1) % 3).put(10);
//!     sync_all();
//!     assert_eq!(x.at(0).get(), 10); // what image 2 put before the barrier
//!     sync_all();
//!     x.here().put(20);
//! }
//! assert_eq!(*x, 20);
//! # });
//! ```
//!
//! Source: *Coarray C++* section 6.1; segments, Fortran 2018 clauses 11.6.2 and 11.6.3.
//!
//! # 5. Events
//! A post releases and a wait acquires: what the poster did before, to whatever image, is visible to the image
//! whose wait consumed the post. A wait for several posts comes after all of them. Which post a wait consumes is
//! not said if several images post: then wait for all. [`query`](crate::events::CoeventPlace::query) orders nothing.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(3, || {
//! # let came = Coarray::new(Coevent::new());
//! # let mut x = Coarray::<[usize; 3]>::zeroed();
//! # let x = x.open();
//! x.at(0)[this_image()].put(this_image() + 1);
//! came.at(0).post();
//! if this_image() == 0 {
//!     came.wait_for(3);
//!     assert_eq!(x.here().get(), [1, 2, 3]);
//! }
//! # });
//! ```
//!
//! Source: *Coarray C++* section 6.2; Fortran 2018 clauses 11.6.7 and 11.6.8.
//!
//! # 6. Puts that notify
//! The values of [`put_notify`](crate::events::PutNotify::put_notify) are there before its post, and so are earlier puts of the
//! image to the same image. For anything else use an event of its own. The post of
//! [`put_notify_async`](crate::events::PutNotifyAsync::put_notify_async) promises its own values only.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(2, || {
//! # let came = Coarray::new(Coevent::new());
//! # let mut x = Coarray::new([0; 50]);
//! # let x = x.open();
//! if this_image() == 0 {
//!     x.at(1).put_notify([7; 50], came.at(1));
//! } else {
//!     came.wait();
//!     assert_eq!(x.here().get(), [7; 50]);
//! }
//! # });
//! ```
//!
//! Source: `shmem_put_signal`, OpenSHMEM 1.5 section 9.8.
//!
//! # 7. Mutexes
//! An image that locks a [`Comutex`](crate::locks::Comutex) sees everything that its earlier holders did until they dropped
//! their guards, in the mutex and outside of it.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! # let last = Coarray::new(Comutex::new(0));
//! # let mut x = Coarray::<[usize; 50]>::zeroed();
//! # let x = x.open();
//! let mut last = last.at(2).lock();
//! assert_eq!(x.at(3).get(), [last.get(); 50]); // of the holder before
//! last.put(this_image());
//! x.at(3).put([this_image(); 50]);
//! # });
//! ```
//!
//! Source: *Coarray C++* section 6.3; `lock` and `unlock`, Fortran 2018 clause 11.6.10.
//!
//! # 8. Cofutures
//! When [`wait`](crate::asynchronous::Cofuture::wait) has returned, or the cofuture was found ready, its operation is complete,
//! and so is what its image issued to the same image before. A put is then like a put that was not asynchronous: one of the
//! other rules makes it visible to others. Rules 2 to 7, 12, 13 and 14 complete operations that no image waited for.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(2, || {
//! # let came = Coarray::new(Coevent::new());
//! # let mut x = Coarray::<[u64; 2]>::zeroed();
//! # let x = x.open();
//! if this_image() == 0 {
//!     drop(x.at(1)[0].put_async(6));
//!     let put = x.at(1)[1].put_async(7);
//!     // ... compute something ...
//!     put.wait(); // both are complete
//!     came.at(1).post();
//! } else {
//!     came.wait();
//!     assert_eq!(x.here().get(), [6, 7]);
//! }
//! # });
//! ```
//!
//! Source: *Coarray C++* section 7.
//!
//! # 9. Collectives
//! The results of a collective depend on nothing but the contributions of all images. Where all images get the same values,
//! these are the same bits. No image leaves a collective before all have entered whose values it gets; the root of a broadcast may
//! leave at once. And it is no fence: earlier puts of others are visible after it only if the images call
//! [`image_fence`](crate::image_fence) before they enter and after they leave. If in doubt, use [`sync_all`](crate::sync_all).
//!
//! A collective with `_async` takes the contribution of the image at the call, and does not wait. Its result arrives when the
//! images that it depends on have made the call; so the result shows that these have made it, and nothing else.
//!
//! ```
//! # use coarray::image_fence;
//! # use coarray::prelude::*;
//! # coarray::run(2, || {
//! # let mut x = Coarray::new(0);
//! # let x = x.open();
//! x.at(1 - this_image()).put(7);
//! image_fence();
//! let mut sum = this_image();
//! co_sum(&mut sum); // tells the other that the put is done
//! image_fence();
//! assert_eq!((sum, x.here().get()), (1, 7));
//! # });
//! ```
//!
//! Source: *Coarray C++* section 8; Fortran 2018 clause 16.6, where collective subroutines are no image control
//! statements.
//!
//! # 10. Coatomics
//! Each operation on a [`Coatomic`](crate::atomics::Coatomic), or through [`as_atomic`](crate::atomics::AsAtomic), happens at one
//! moment. All operations on one place have one order; those of one image are in the order of its program, and no image
//! sees the value go back. Operations on different places are not ordered, and a coatomic orders no other access:
//! they are *relaxed*. Rules 2 and 3 order them.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! let arrivals = Coarray::new(Coatomic::new(0));
//! let ticket = arrivals.at(0).fetch_add(1); // no two images get the same
//! assert!(arrivals.at(0).load() > ticket);
//! # });
//! ```
//!
//! Source: *Coarray C++* section 5.2; atomic subroutines, Fortran 2018 clause 16.5.
//!
//! # 11. Races
//! Images that race on a place get unspecified values of its type: a mixture, perhaps, of what several images put.
//! That is never undefined behaviour. If bytes of a type with invalid values, such as `char`, end up as no value,
//! then the get, or the end of the phase, panics. A value that [`as_atomic`](crate::atomics::AsAtomic) takes is never mixed
//! if it is put by itself. A race disturbs no other place, be it the next byte; and when it is over, which takes
//! one of the other rules, all images get the same. `COARRAY_CHECK=races` finds races, whatever the images got: see
//! [`check`](crate::check).
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! # let mut x = Coarray::new([0; 50]);
//! # let x = x.open();
//! x.at(0).put([this_image(); 50]); // all to the same place
//! let _ = x.at(0).get(); // some of it by one image, some by another
//! sync_all();
//! let (mine, mut all) = (x.at(0).get(), x.at(0).get());
//! co_broadcast(&mut all, 0);
//! assert_eq!(mine, all);
//! # });
//! ```
//!
//! # 12. Teams
//! In a team the rules hold for its images: `sync_all` and collectives are among them, and nothing is said of others,
//! whatever coarray is used. [`sync_team`](crate::sync_team) is the barrier of any team, and
//! [`Team::change`](crate::Team::change) has one at its begin and one at its end.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! # let mut x = Coarray::new(0);
//! # let x = x.open();
//! let team = Team::form(this_image() as u64 / 2);
//! x.at(this_image() ^ 1).put(7);
//! team.change(|| assert_eq!(x.here().get(), 7));
//! # });
//! ```
//!
//! Source: Fortran 2018 clauses 11.1.5 and 11.6.6.
//!
//! # 13. `sync_images`
//! The calls of two images that name each other are a barrier of the two. An image that calls
//! [`sync_images`](crate::sync_images) comes after each image it names, but these need not come after each other.
//!
//! ```
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! # let mut x = Coarray::new(0);
//! # let x = x.open();
//! let partner = this_image() ^ 1;
//! x.at(partner).put(7);
//! sync_images(&[partner]);
//! assert_eq!(x.here().get(), 7);
//! # });
//! ```
//!
//! Source: Fortran 2018 clause 11.6.4.
//!
//! # 14. Critical sections
//! As with mutexes: [`critical`](crate::locks::critical) sections of a team follow one another, and each sees what was done in
//! and before those that came before it.
//!
//! ```
//! # use coarray::locks::critical;
//! # use coarray::prelude::*;
//! # coarray::run(4, || {
//! # let mut x = Coarray::new(0);
//! # let x = x.open();
//! critical(|| x.at(2).put(x.at(2).get() + 1)); // no addition is lost
//! sync_all();
//! assert_eq!(x.at(2).get(), 4);
//! # });
//! ```
//!
//! Source: Fortran 2018 clause 11.1.6.
//!
//! # 15. Failed images
//! What an image did before it failed is as visible as if it still ran: what is before a barrier that it entered, a
//! post, or the end of a guard, is there. The forms of barriers that return [`ImageFailed`](crate::failure::ImageFailed)
//! order the accesses of all images that are left, and of those that failed after they had entered. What the image
//! put after that may have arrived, wholly or in parts, or not. Coatomics and the values in mutexes are whole.
//!
//! ```
//! # use coarray::prelude::*;
//! use coarray::Launch;
//! use coarray::failure::{fail_image, try_sync_all};
//!
//! # let outcome =
//! Launch::new(2).keep_going(true).run(|| {
//! # let mut x = Coarray::<[usize; 2]>::zeroed();
//! # let x = x.open();
//!     if this_image() == 1 {
//!         x.at(0)[0].put(7);
//!     }
//!     sync_all();
//!     if this_image() == 1 {
//!         x.at(0)[1].put(7);
//!         fail_image();
//!     }
//!     assert_eq!(try_sync_all().unwrap_err().images, [1]);
//!     assert_eq!(x.here()[0].get(), 7);
//!     assert!([0, 7].contains(&x.here()[1].get()));
//! });
//! # assert_eq!(outcome.unwrap().len(), 1);
//! ```
//!
//! Source: image execution states, Fortran 2018 clause 5.3.6.
//!
//! # Sources
//! * T. A. Johnson, *Coarray C++*, PGAS 2013, section 5.1: accesses of an image in program order, and the fence.
//! * Fortran 2018 (ISO/IEC 1539-1:2018), clause 11.6: image control statements and the order of segments.
//! * OpenSHMEM 1.5, section 9.12 on memory ordering: the difference between `fence` and `quiet`.
