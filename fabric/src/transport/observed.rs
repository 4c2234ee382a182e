//! A fabric whose operations are observed: the one place where a tool sees each operation that is not a plain load or store.
//!
//! Nothing of this exists in a job that uses no tool: its images have the fabric itself.

mod call;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::rc::Rc;

pub use call::{Call, Pieces, Range};

use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::fabric::{Fabric, Message};
use crate::transport::movement::Movement;
use crate::transport::pending::Outstanding;
use crate::transport::request::{Buffer, Request};
use crate::transport::signal::{Signal, SignalOperation};
use crate::transport::strided::{Run, Strided, reach_of};

/// Bytes of a word.
const WORD: usize = size_of::<u64>();

/// What sees each call.
pub trait Observer: Debug {
    /// Calls `perform` once, which carries out the call, and returns its result. `is_done` says of that whether anything was done: a fabric that has
    /// no operation for a block does nothing, and is called for its pieces then.
    fn observe<R>(
        &self,
        call: Call<'_>,
        perform: impl FnOnce() -> R,
        is_done: impl FnOnce(&R) -> bool,
    ) -> R;

    /// Carries out a blocking put or get of eight bytes by `perform`, if few instructions are enough to observe it. Returns false if not, with nothing put, and perhaps
    /// something got: then [`observe`](Self::observe) or [`observe_get`](Self::observe_get) follows.
    #[inline(always)]
    fn pass_word(&self, _writes: bool, _image: usize, _offset: usize, _perform: impl Fn()) -> bool {
        false
    }

    /// As [`observe`](Self::observe), of a blocking get of these bytes, which may be carried out more than once.
    #[inline]
    fn observe_get(&self, range: &Range<'_>, perform: impl Fn()) {
        self.observe(Call::Get(*range), perform, |()| true);
    }

    /// Whether the observer keeps a blocking put of these bytes, so that it is carried out later.
    ///
    /// # Safety
    /// As [`Fabric::put`].
    unsafe fn keep(&self, _range: &Range<'_>, _source: *const u8) -> bool {
        false
    }

    /// Takes over a nonblocking put of these bytes, which it carries out and completes, or gives the buffer back.
    ///
    /// # Errors
    /// The buffer, if the fabric is to carry the put out.
    ///
    /// # Safety
    /// As [`Fabric::issue_put`].
    unsafe fn take_issued(&self, _range: &Range<'_>, source: Buffer) -> Result<Request, Buffer> {
        Err(source)
    }
}

/// A fabric whose operations are observed.
#[derive(Debug)]
pub struct Observed<O> {
    fabric: Rc<dyn Fabric>,
    observer: O,
}

impl<O: Observer> Observed<O> {
    /// Shows the operations of `fabric` to `observer`.
    pub fn new(fabric: Rc<dyn Fabric>, observer: O) -> Self {
        Self { fabric, observer }
    }

    fn pass_on<R>(&self, call: Call<'_>, perform: impl FnOnce(&dyn Fabric) -> R) -> R {
        self.observer
            .observe(call, || perform(&*self.fabric), |_| true)
    }

    /// As [`pass_on`](Self::pass_on), of an operation that the fabric may not have.
    fn pass_on_if<R>(
        &self,
        call: Call<'_>,
        is_done: impl FnOnce(&R) -> bool,
        perform: impl FnOnce(&dyn Fabric) -> R,
    ) -> R {
        self.observer
            .observe(call, || perform(&*self.fabric), is_done)
    }
}

/// The usual ways of operations that may have shorter ones, which need few registers as long as these are functions of their own.
impl<O: Observer> Observed<O> {
    /// # Safety
    /// As [`Fabric::put_word`].
    #[inline(never)]
    unsafe fn observe_put_word(&self, image: usize, offset: usize, word: u64) {
        let range = range(image, offset, WORD);
        // SAFETY: `word` is readable until `keep` returns; the caller vouches for the place.
        if unsafe { self.observer.keep(&range, (&raw const word).cast()) } {
            return;
        }
        // SAFETY: the caller vouches for the place.
        self.pass_on(Call::Put(range), |fabric| unsafe {
            fabric.put_word(image, offset, word);
        });
    }

    /// # Safety
    /// As [`Fabric::get`].
    #[inline(never)]
    unsafe fn observe_get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        let range = range(image, offset, length);
        // SAFETY: the caller vouches for source and target.
        self.observer.observe_get(&range, || unsafe {
            self.fabric.get(image, offset, target, length);
        });
    }
}

fn range(image: usize, offset: usize, length: usize) -> Range<'static> {
    Range {
        image,
        offset,
        length,
        pieces: Pieces::One,
    }
}

fn range_of_block<'a>(image: usize, offset: usize, block: &'a Strided<'a>) -> Range<'a> {
    Range {
        pieces: Pieces::Block(block),
        ..range(image, offset, block.span())
    }
}

impl<O: Observer> Fabric for Observed<O> {
    fn outstanding(&self) -> &Outstanding {
        self.fabric.outstanding()
    }

    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        let range = range(image, offset, length);
        // SAFETY: the caller vouches for source and target, as `Fabric::put` asks.
        if unsafe { self.observer.keep(&range, source) } {
            return;
        }
        let call = Call::Put(range);
        // SAFETY: as above.
        self.pass_on(call, |fabric| unsafe {
            fabric.put(image, offset, source, length);
        });
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        // SAFETY: the caller vouches for the place, as `Fabric::put_word` asks.
        let put = || unsafe { self.fabric.put_word(image, offset, word) };
        if !self.observer.pass_word(true, image, offset, put) {
            // SAFETY: as above: nothing was put.
            unsafe { self.observe_put_word(image, offset, word) }
        }
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        // SAFETY: the caller vouches for source and target, as `Fabric::get` asks.
        let get = || unsafe { self.fabric.get(image, offset, target, length) };
        if length != WORD || !self.observer.pass_word(false, image, offset, get) {
            // SAFETY: as above.
            unsafe { self.observe_get(image, offset, target, length) }
        }
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        let range = range(image, offset, source.length());
        // SAFETY: the caller vouches for the place and a lent buffer until completion, as `Fabric::issue_put` asks.
        match unsafe { self.observer.take_issued(&range, source) } {
            Ok(request) => request,
            // SAFETY: as above.
            Err(source) => self.pass_on(Call::Put(range), |fabric| unsafe {
                fabric.issue_put(image, offset, source)
            }),
        }
    }

    unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
        let call = Call::Get(range(image, offset, target.length()));
        // SAFETY: the caller vouches for the place and a lent buffer until completion, as `Fabric::issue_get` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.issue_get(image, offset, target)
        })
    }

    unsafe fn put_strided(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        block: &Strided<'_>,
    ) -> bool {
        let call = Call::Put(range_of_block(image, offset, block));
        // SAFETY: the caller vouches for source and target, as `Fabric::put_strided` asks.
        self.pass_on_if(
            call,
            |&is_done| is_done,
            |fabric| unsafe { fabric.put_strided(image, offset, source, block) },
        )
    }

    unsafe fn put_listed(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
        runs: &[Run],
    ) -> bool {
        let (first, span) = reach_of(runs, length);
        let range = range(image, offset.wrapping_add_signed(first), span);
        let pieces = Pieces::Listed(runs, length);
        let call = Call::Put(Range { pieces, ..range });
        // SAFETY: the caller vouches for source and target, as `Fabric::put_listed` asks.
        self.pass_on_if(
            call,
            |&is_done| is_done,
            |fabric| unsafe { fabric.put_listed(image, offset, source, length, runs) },
        )
    }

    unsafe fn get_strided(
        &self,
        image: usize,
        offset: usize,
        target: *mut u8,
        block: &Strided<'_>,
    ) -> bool {
        let call = Call::Get(range_of_block(image, offset, block));
        // SAFETY: the caller vouches for source and target, as `Fabric::get_strided` asks.
        self.pass_on_if(
            call,
            |&is_done| is_done,
            |fabric| unsafe { fabric.get_strided(image, offset, target, block) },
        )
    }

    unsafe fn issue_put_strided(
        &self,
        image: usize,
        offset: usize,
        source: Buffer,
        block: &Strided<'_>,
    ) -> Result<Request, Buffer> {
        let call = Call::Put(range_of_block(image, offset, block));
        // SAFETY: the caller vouches for the place and a lent buffer until completion, as `Fabric::issue_put_strided` asks.
        self.pass_on_if(call, Result::is_ok, |fabric| unsafe {
            fabric.issue_put_strided(image, offset, source, block)
        })
    }

    unsafe fn issue_get_strided(
        &self,
        image: usize,
        offset: usize,
        target: Buffer,
        block: &Strided<'_>,
    ) -> Result<Request, Buffer> {
        let call = Call::Get(range_of_block(image, offset, block));
        // SAFETY: the caller vouches for the place and a lent buffer until completion, as `Fabric::issue_get_strided` asks.
        self.pass_on_if(call, Result::is_ok, |fabric| unsafe {
            fabric.issue_get_strided(image, offset, target, block)
        })
    }

    fn progress(&self) -> bool {
        self.pass_on(Call::Progress, |fabric| fabric.progress())
    }

    fn wait(&self, request: &Request) {
        self.pass_on(Call::Wait(request.image()), |fabric| fabric.wait(request));
    }

    fn fence(&self, image: usize) {
        self.pass_on(Call::Fence(image), |fabric| fabric.fence(image));
    }

    fn quiet(&self) {
        self.pass_on(Call::Quiet, |fabric| fabric.quiet());
    }

    unsafe fn atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        let call = Call::Atomic(range(image, offset, word.bytes()), operation);
        // SAFETY: the caller vouches for the word, as `Fabric::atomic` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.atomic(image, offset, word, operation)
        })
    }

    unsafe fn send(&self, image: usize, message: &[u8]) {
        // SAFETY: the caller vouches for the message, as `Fabric::send` asks.
        self.pass_on(Call::Send(image), |fabric| unsafe {
            fabric.send(image, message);
        });
    }

    unsafe fn put_signal(
        &self,
        image: usize,
        offset: usize,
        source: *const u8,
        length: usize,
        signal: usize,
        operation: SignalOperation,
    ) {
        let word = range(image, signal, size_of::<Signal>());
        let call = Call::PutSignal(range(image, offset, length), word, operation);
        // SAFETY: the caller vouches for source, target and word, as `Fabric::put_signal` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.put_signal(image, offset, source, length, signal, operation);
        });
    }

    unsafe fn set_signals(&self, images: &[(usize, &[u64])], offset: usize) {
        for one @ &(image, words) in images {
            let Some(&last) = words.last() else {
                continue;
            };
            let all = range(image, offset, size_of_val(words));
            let place = offset + all.length - size_of::<u64>();
            let word = range(image, place, size_of::<u64>());
            let call = Call::PutSignal(all, word, SignalOperation::Set(last));
            // SAFETY: the caller vouches for the words, as `Fabric::set_signals` asks.
            self.pass_on(call, |fabric| unsafe {
                fabric.set_signals(std::slice::from_ref(one), offset);
            });
        }
    }

    fn quiet_signals(&self) {
        self.pass_on(Call::QuietSignals, |fabric| fabric.quiet_signals());
    }

    unsafe fn receive(&self) -> Option<Message> {
        // SAFETY: the caller handles the message, as `Fabric::receive` asks.
        self.pass_on(Call::Receive, |fabric| unsafe { fabric.receive() })
    }

    fn has_collectives(&self) -> bool {
        self.fabric.has_collectives()
    }

    unsafe fn move_blocks(
        &self,
        images: &[u32],
        movement: Movement,
        source: *const u8,
        target: *mut u8,
        length: usize,
    ) {
        let call = Call::MoveBlocks(movement, length);
        // SAFETY: the caller vouches for the images, the movement and both places, as `Fabric::move_blocks` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.move_blocks(images, movement, source, target, length);
        });
    }

    unsafe fn issue_atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
        fetches: bool,
    ) -> Option<Request> {
        let call = Call::Atomic(range(image, offset, word.bytes()), operation);
        // SAFETY: the caller vouches for the word until completion, as `Fabric::issue_atomic` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.issue_atomic(image, offset, word, operation, fetches)
        })
    }
}
