//! Each operation of a fabric is shown once, and passed on.

use std::cell::RefCell;
use std::fmt::Write;

use super::*;
use crate::transport::strided::StridedAxis;

/// Writes down what it is called with, and completes nothing.
#[derive(Debug, Default)]
struct Log {
    text: RefCell<String>,
    has_no_blocks: bool,
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
        !self.has_no_blocks
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
        !self.has_no_blocks
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

    unsafe fn set_signals(&self, images: &[(usize, &[u64])], offset: usize) {
        self.note(&("set_signals", images, offset));
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
struct Calls(Rc<RefCell<Vec<String>>>);

impl Observer for Calls {
    fn observe<R>(
        &self,
        call: Call<'_>,
        perform: impl FnOnce() -> R,
        is_done: impl FnOnce(&R) -> bool,
    ) -> R {
        let result = perform();
        let outcome = if is_done(&result) { "" } else { "not " };
        self.0.borrow_mut().push(format!("{outcome}{call:?}"));
        result
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
        fabric.set_signals(&[(6, &[5, 7])], 40);
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
    let block = Strided {
        length: 3,
        axes: &[],
    };
    let runs = [Run { to: 2, from: 1 }, Run { to: 6, from: 0 }];
    let of_block = |image, offset| range_of_block(image, offset, &block);
    let listed = Range {
        pieces: Pieces::Listed(&runs, 2),
        ..range(1, 4, 6)
    };
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
        Call::Put(of_block(1, 2)),
        Call::Get(of_block(3, 4)),
        Call::Put(of_block(1, 2)),
        Call::Get(of_block(3, 4)),
        Call::Put(listed),
        Call::PutSignal(range(8, 32, 3), range(8, 16, 8), SignalOperation::Set(2)),
        Call::PutSignal(range(9, 24, 0), range(9, 24, 8), SignalOperation::Add(4)),
        Call::PutSignal(range(6, 40, 16), range(6, 48, 8), SignalOperation::Set(7)),
        Call::Receive,
        Call::MoveBlocks(Movement::Allgather, 1),
        Call::Progress,
        Call::Fence(9),
        Call::Quiet,
        Call::QuietSignals,
    ];
    assert_eq!(*calls.borrow(), expected.map(|call| format!("{call:?}")));
    assert!(std::ptr::eq(observed.outstanding(), log.outstanding()));
    assert_eq!((listed.bytes(), listed.count()), (4, 2));
}

#[test]
fn what_a_fabric_has_no_operation_for_is_not_done() {
    let log = Rc::new(Log {
        has_no_blocks: true,
        ..Log::default()
    });
    let calls = Rc::default();
    let observed = Observed::new(log, Calls(Rc::clone(&calls)));
    let axes = [StridedAxis {
        count: 3,
        here: 2,
        there: 10,
    }];
    let block = Strided {
        length: 2,
        axes: &axes,
    };
    let mut bytes = [0; 6];
    // SAFETY: `Log` accesses no memory.
    unsafe {
        assert!(!observed.put_strided(1, 2, bytes.as_ptr(), &block));
        assert!(!observed.get_strided(1, 2, bytes.as_mut_ptr(), &block));
        observed.put(1, 2, bytes.as_ptr(), 2);
    }
    let block = range_of_block(1, 2, &block);
    assert_eq!((block.length, block.bytes(), block.count()), (22, 6, 3));
    let expected = [
        format!("not {:?}", Call::Put(block)),
        format!("not {:?}", Call::Get(block)),
        format!("{:?}", Call::Put(range(1, 2, 2))),
    ];
    assert_eq!(*calls.borrow(), expected);
}
