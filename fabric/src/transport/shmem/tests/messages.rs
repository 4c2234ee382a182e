//! Messages, many and long.

use std::ptr::NonNull;

use super::*;
use crate::transport::signal::SignalOperation;
use crate::transport::signal::tests as signal;

/// The bytes of a message, of a length that varies.
fn message(from: usize, to: usize, number: usize) -> Vec<u8> {
    let length = match number % 50 {
        0 => 20_000 + number,
        short => (short * 37 + from * 11) % 300,
    };
    (0..length)
        .map(|place| (place * 3 + from * 5 + to * 7 + number) as u8)
        .collect()
}

#[test]
fn storms_of_messages_arrive_in_order() {
    in_jobs(|member| {
        let each = member.rounds(4000);
        let others = || (0..member.images).filter(|&image| image != member.me);
        // All send before anybody receives: whoever finds no room must make some for others.
        for number in 0..each {
            for to in others() {
                // SAFETY: only this test receives it.
                unsafe { member.fabric.send(to, &message(member.me, to, number)) };
            }
        }
        let mut next = vec![0; member.images];
        for _ in 0..each * (member.images - 1) {
            let (from, bytes) = member.receive();
            assert!(
                bytes == message(from, member.me, next[from]),
                "{from} {}",
                next[from]
            );
            next[from] += 1;
        }
        assert!(others().all(|from| next[from] == each));
        member.barrier();
        // SAFETY: there is none.
        assert!(unsafe { member.fabric.receive() }.is_none());
    });
}

#[test]
fn long_messages_go_both_ways_at_once() {
    in_jobs(|member| {
        for length in [0, 1, 4095, 4096, 8184, 8185, 8192, 1_000_000] {
            let bytes = vec![length as u8 ^ member.me as u8; length];
            // SAFETY: only this test receives it.
            unsafe { member.fabric.send(member.next(), &bytes) };
            // SAFETY: only this test receives it.
            unsafe { member.fabric.send(member.me, &[1, 2, 3]) };
            let before = (member.me + member.images - 1) % member.images;
            let mut expected = vec![
                (before, vec![length as u8 ^ before as u8; length]),
                (member.me, vec![1, 2, 3]),
            ];
            for _ in 0..2 {
                let message = member.receive();
                let place = expected
                    .iter()
                    .position(|one| *one == message)
                    .expect("what was sent");
                expected.remove(place);
            }
            // Nobody sends the next ones before.
            member.barrier();
        }
    });
}

#[test]
fn messages_go_back_and_forth() {
    in_jobs_by(&[(2, ""), (2, "tcp,self")], false, |member| {
        for round in 0..member.rounds(3000) as u32 {
            if member.me == 0 {
                // SAFETY: only this test receives it.
                unsafe { member.fabric.send(1, &round.to_ne_bytes()) };
            }
            let (from, bytes) = member.receive();
            assert_eq!(
                (from, &bytes[..]),
                (1 - member.me, &round.to_ne_bytes()[..])
            );
            if member.me == 1 {
                // SAFETY: only this test receives it.
                unsafe { member.fabric.send(0, &bytes) };
            }
        }
        member.barrier();
    });
}

#[test]
fn a_signal_comes_after_the_puts_before_it() {
    const WORD: usize = 1 << 14;
    in_jobs(|member| {
        for round in 0..member.rounds(1000) {
            let byte = (round as u8).wrapping_add(1);
            member.put(member.next(), 0, &[byte; 3000]);
            drop(member.issue_put(member.next(), 4000, &[byte; 3000]));
            member.put(member.next(), 8000, &[byte; 8]);
            // SAFETY: the word lies in a heap, aligned, and only signals change it.
            unsafe {
                let offset = member.offset(WORD);
                let add = SignalOperation::Add(3);
                member.fabric.signal(member.next(), offset, add);
            }
            let sum = 3 * (round as u64 + 1);
            while member.load(WORD) != sum.to_ne_bytes() {
                // SAFETY: no messages are sent.
                assert_eq!(unsafe { member.fabric.receive() }, None);
                thread::yield_now();
            }
            for place in [0, 4000] {
                assert_eq!(member.get(member.me, place), [byte; 3000]);
            }
            assert_eq!(member.get(member.me, 8000), [byte; 8]);
            // Nobody puts the next ones before.
            member.barrier();
        }
    });
}

#[test]
fn the_bytes_of_a_put_with_signal_are_there_when_the_signal_is_seen() {
    in_jobs(|member| {
        let ring = signal::Member {
            fabric: &*member.fabric,
            me: member.me,
            images: member.images,
            heap: member.offset(0),
            own: NonNull::new(member.region.heap(member.me)).unwrap(),
            barrier: &|| member.barrier(),
        };
        signal::bytes_are_there_when_the_signal_is_seen(&ring, member.rounds(40));
        signal::signals_of_an_image_keep_their_order(&ring, member.rounds(2000) as u64);
        signal::words_that_are_set_arrive_whole(&ring, member.rounds(500) as u64);
    });
}
