//! A fabric whose operations are observed: the one place where a tool sees each operation that is not a plain load or store.
//!
//! Nothing of this exists in a job that uses no tool: its images have the fabric itself.

use std::fmt::Debug;
use std::rc::Rc;

use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::fabric::{Fabric, Message};
use crate::transport::movement::Movement;
use crate::transport::pending::Outstanding;
use crate::transport::request::{Buffer, Request};
use crate::transport::signal::{Signal, SignalOperation};
use crate::transport::strided::{Run, Strided, reach_of};

/// A call of a fabric's method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Writes, blocking or not.
    Put(Range),
    /// Reads, blocking or not.
    Get(Range),
    /// Reads and perhaps writes a word, atomically, blocking or not.
    Atomic(Range, AtomicOperation),
    /// Lets nonblocking operations make progress.
    Progress,
    /// Waits for a nonblocking operation on this image.
    Wait(usize),
    /// Orders the puts to this image.
    Fence(usize),
    /// Completes all operations.
    Quiet,
    /// Sends a message to this image.
    Send(usize),
    /// Writes the bytes of the first range, if there are any, and then changes the signal word that the second one is.
    PutSignal(Range, Range, SignalOperation),
    /// Completes all signals.
    QuietSignals,
    /// Looks for a message.
    Receive,
    /// Moves blocks of so many bytes among images.
    MoveBlocks(Movement, usize),
}

/// Bytes in the part of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The image.
    pub image: usize,
    /// Where they begin in its part.
    pub offset: usize,
    /// How many they are.
    pub length: usize,
}

/// What sees each call.
pub trait Observer: Debug {
    /// Calls `perform` once, which carries out the call, and returns its result.
    fn observe<R>(&self, call: Call, perform: impl FnOnce() -> R) -> R;
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

    fn pass_on<R>(&self, call: Call, perform: impl FnOnce(&dyn Fabric) -> R) -> R {
        self.observer.observe(call, || perform(&*self.fabric))
    }
}

fn range(image: usize, offset: usize, length: usize) -> Range {
    Range {
        image,
        offset,
        length,
    }
}

impl<O: Observer> Fabric for Observed<O> {
    fn outstanding(&self) -> &Outstanding {
        self.fabric.outstanding()
    }

    unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
        let call = Call::Put(range(image, offset, length));
        // SAFETY: the caller vouches for source and target, as `Fabric::put` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.put(image, offset, source, length);
        });
    }

    unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
        let call = Call::Put(range(image, offset, size_of_val(&word)));
        // SAFETY: the caller vouches for the place, as `Fabric::put_word` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.put_word(image, offset, word);
        });
    }

    unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
        let call = Call::Get(range(image, offset, length));
        // SAFETY: the caller vouches for source and target, as `Fabric::get` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.get(image, offset, target, length);
        });
    }

    unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
        let call = Call::Put(range(image, offset, source.length()));
        // SAFETY: the caller vouches for the place and a lent buffer until completion, as `Fabric::issue_put` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.issue_put(image, offset, source)
        })
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
        let call = Call::Put(range(image, offset, block.span()));
        // SAFETY: the caller vouches for source and target, as `Fabric::put_strided` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.put_strided(image, offset, source, block)
        })
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
        let call = Call::Put(range(image, offset.wrapping_add_signed(first), span));
        // SAFETY: the caller vouches for source and target, as `Fabric::put_listed` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.put_listed(image, offset, source, length, runs)
        })
    }

    unsafe fn get_strided(
        &self,
        image: usize,
        offset: usize,
        target: *mut u8,
        block: &Strided<'_>,
    ) -> bool {
        let call = Call::Get(range(image, offset, block.span()));
        // SAFETY: the caller vouches for source and target, as `Fabric::get_strided` asks.
        self.pass_on(call, |fabric| unsafe {
            fabric.get_strided(image, offset, target, block)
        })
    }

    unsafe fn issue_put_strided(
        &self,
        image: usize,
        offset: usize,
        source: Buffer,
        block: &Strided<'_>,
    ) -> Result<Request, Buffer> {
        let call = Call::Put(range(image, offset, block.span()));
        // SAFETY: the caller vouches for the place and a lent buffer until completion, as `Fabric::issue_put_strided` asks.
        self.pass_on(call, |fabric| unsafe {
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
        let call = Call::Get(range(image, offset, block.span()));
        // SAFETY: the caller vouches for the place and a lent buffer until completion, as `Fabric::issue_get_strided` asks.
        self.pass_on(call, |fabric| unsafe {
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fmt::Write;

    use super::*;

    /// Writes down what it is called with, and completes nothing.
    #[derive(Debug, Default)]
    struct Log {
        text: RefCell<String>,
        outstanding: Outstanding,
    }

    impl Log {
        fn note(&self, what: &dyn Debug) {
            writeln!(self.text.borrow_mut(), "{what:?}").unwrap();
        }

        fn request(&self, image: usize) -> Request {
            let (completer, request) = Request::issue(image);
            assert!(completer.complete(Buffer::Owned(Box::new([]))).is_none());
            request
        }
    }

    impl Fabric for Log {
        fn outstanding(&self) -> &Outstanding {
            &self.outstanding
        }

        unsafe fn put(&self, image: usize, offset: usize, source: *const u8, length: usize) {
            self.note(&("put", image, offset, source.is_null(), length));
        }

        unsafe fn put_word(&self, image: usize, offset: usize, word: u64) {
            self.note(&("put_word", image, offset, word));
        }

        unsafe fn get(&self, image: usize, offset: usize, target: *mut u8, length: usize) {
            self.note(&("get", image, offset, target.is_null(), length));
        }

        unsafe fn issue_put(&self, image: usize, offset: usize, source: Buffer) -> Request {
            self.note(&("issue_put", image, offset, source.length()));
            self.request(image)
        }

        unsafe fn issue_get(&self, image: usize, offset: usize, target: Buffer) -> Request {
            self.note(&("issue_get", image, offset, target.length()));
            self.request(image)
        }

        unsafe fn put_strided(
            &self,
            image: usize,
            offset: usize,
            source: *const u8,
            block: &Strided<'_>,
        ) -> bool {
            self.note(&("put_strided", image, offset, source.is_null(), block.span()));
            true
        }

        unsafe fn put_listed(
            &self,
            image: usize,
            offset: usize,
            source: *const u8,
            length: usize,
            runs: &[Run],
        ) -> bool {
            self.note(&("put_listed", image, offset, source.is_null(), length, runs));
            true
        }

        unsafe fn get_strided(
            &self,
            image: usize,
            offset: usize,
            target: *mut u8,
            block: &Strided<'_>,
        ) -> bool {
            self.note(&("get_strided", image, offset, target.is_null(), block.span()));
            true
        }

        unsafe fn issue_put_strided(
            &self,
            image: usize,
            offset: usize,
            source: Buffer,
            block: &Strided<'_>,
        ) -> Result<Request, Buffer> {
            self.note(&(
                "issue_put_strided",
                image,
                offset,
                source.length(),
                block.span(),
            ));
            Ok(self.request(image))
        }

        unsafe fn issue_get_strided(
            &self,
            image: usize,
            offset: usize,
            target: Buffer,
            block: &Strided<'_>,
        ) -> Result<Request, Buffer> {
            self.note(&(
                "issue_get_strided",
                image,
                offset,
                target.length(),
                block.span(),
            ));
            Ok(self.request(image))
        }

        fn progress(&self) -> bool {
            self.note(&"progress");
            true
        }

        fn wait(&self, request: &Request) {
            self.note(&("wait", request.image()));
        }

        fn fence(&self, image: usize) {
            self.note(&("fence", image));
        }

        fn quiet(&self) {
            self.note(&"quiet");
        }

        unsafe fn atomic(
            &self,
            image: usize,
            offset: usize,
            word: Word,
            operation: AtomicOperation,
        ) -> u64 {
            self.note(&("atomic", image, offset, word, operation));
            77
        }

        unsafe fn send(&self, image: usize, message: &[u8]) {
            self.note(&("send", image, message));
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
            let source = source.is_null();
            self.note(&(
                "put_signal",
                image,
                offset,
                source,
                length,
                signal,
                operation,
            ));
        }

        fn quiet_signals(&self) {
            self.note(&"quiet_signals");
        }

        unsafe fn receive(&self) -> Option<Message> {
            self.note(&"receive");
            Some(Message {
                from: 4,
                bytes: vec![5],
            })
        }

        fn has_collectives(&self) -> bool {
            self.note(&"has_collectives");
            true
        }

        unsafe fn move_blocks(
            &self,
            images: &[u32],
            movement: Movement,
            source: *const u8,
            target: *mut u8,
            length: usize,
        ) {
            let are_null = (source.is_null(), target.is_null());
            self.note(&("move_blocks", images, movement, are_null, length));
        }

        unsafe fn issue_atomic(
            &self,
            image: usize,
            offset: usize,
            word: Word,
            operation: AtomicOperation,
            fetches: bool,
        ) -> Option<Request> {
            self.note(&("issue_atomic", image, offset, word, operation, fetches));
            fetches.then(|| Request::complete(image, 99))
        }
    }

    /// Keeps the calls.
    #[derive(Debug)]
    struct Calls(Rc<RefCell<Vec<Call>>>);

    impl Observer for Calls {
        fn observe<R>(&self, call: Call, perform: impl FnOnce() -> R) -> R {
            self.0.borrow_mut().push(call);
            perform()
        }
    }

    /// Calls every method.
    fn call_all(fabric: &dyn Fabric) {
        let mut bytes = [0; 3];
        // SAFETY: `Log` accesses no memory and handles no messages.
        unsafe {
            fabric.put(1, 2, bytes.as_ptr(), 3);
            fabric.put_word(2, 16, 9);
            fabric.get(3, 4, bytes.as_mut_ptr(), 3);
            let put = fabric.issue_put(4, 5, Buffer::Owned(Box::new([0; 6])));
            fabric.issue_get(5, 6, Buffer::Owned(Box::new([0; 7])));
            fabric.wait(&put);
            let add = AtomicOperation::Add(1);
            assert_eq!(fabric.atomic(6, 8, Word::Bits32, add), 77);
            let former = fabric.issue_atomic(6, 8, Word::Bits64, add, true);
            let former = former.and_then(|mut request| request.take());
            assert_eq!(former.and_then(|buffer| buffer.word()), Some(99));
            fabric.send(7, &[1]);
            let block = Strided {
                length: 3,
                axes: &[],
            };
            assert!(fabric.put_strided(1, 2, bytes.as_ptr(), &block));
            assert!(fabric.get_strided(3, 4, bytes.as_mut_ptr(), &block));
            let put = fabric.issue_put_strided(1, 2, Buffer::with_length(3), &block);
            assert_eq!(put.ok().map(|request| request.image()), Some(1));
            let get = fabric.issue_get_strided(3, 4, Buffer::with_length(3), &block);
            assert_eq!(get.ok().map(|request| request.image()), Some(3));
            let runs = [Run { to: 2, from: 1 }, Run { to: 6, from: 0 }];
            assert!(fabric.put_listed(1, 2, bytes.as_ptr(), 2, &runs));
            fabric.put_signal(8, 32, bytes.as_ptr(), 3, 16, SignalOperation::Set(2));
            fabric.signal(9, 24, SignalOperation::Add(4));
            assert_eq!(fabric.receive().unwrap().bytes, [5]);
            let (source, target) = (bytes.as_ptr(), bytes.as_mut_ptr());
            fabric.move_blocks(&[1, 0], Movement::Allgather, source, target, 1);
        }
        assert!(fabric.has_collectives());
        assert!(fabric.progress());
        fabric.fence(9);
        fabric.quiet();
        fabric.quiet_signals();
    }

    #[test]
    fn every_operation_is_seen_once_and_passed_on() {
        let (alone, log) = (Log::default(), Rc::new(Log::default()));
        call_all(&alone);
        let calls = Rc::default();
        let observed = Observed::new(log.clone(), Calls(Rc::clone(&calls)));
        call_all(&observed);
        assert_eq!(*log.text.borrow(), *alone.text.borrow());
        let expected = [
            Call::Put(range(1, 2, 3)),
            Call::Put(range(2, 16, 8)),
            Call::Get(range(3, 4, 3)),
            Call::Put(range(4, 5, 6)),
            Call::Get(range(5, 6, 7)),
            Call::Wait(4),
            Call::Atomic(range(6, 8, 4), AtomicOperation::Add(1)),
            Call::Atomic(range(6, 8, 8), AtomicOperation::Add(1)),
            Call::Send(7),
            Call::Put(range(1, 2, 3)),
            Call::Get(range(3, 4, 3)),
            Call::Put(range(1, 2, 3)),
            Call::Get(range(3, 4, 3)),
            Call::Put(range(1, 4, 6)),
            Call::PutSignal(range(8, 32, 3), range(8, 16, 8), SignalOperation::Set(2)),
            Call::PutSignal(range(9, 24, 0), range(9, 24, 8), SignalOperation::Add(4)),
            Call::Receive,
            Call::MoveBlocks(Movement::Allgather, 1),
            Call::Progress,
            Call::Fence(9),
            Call::Quiet,
            Call::QuietSignals,
        ];
        assert_eq!(*calls.borrow(), expected);
        assert!(std::ptr::eq(observed.outstanding(), log.outstanding()));
    }
}
