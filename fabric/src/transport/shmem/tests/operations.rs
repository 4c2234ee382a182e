//! Order, completion and atomicity of operations.

use super::*;

#[test]
fn operations_on_the_same_place_keep_their_order() {
    in_jobs(|member| {
        let to = member.next();
        for round in 0..member.rounds(300) as u64 {
            let place = 8 * (round as usize % 5);
            let [one, two, three] =
                [3 * round + 1, 3 * round + 2, 3 * round + 3].map(u64::to_ne_bytes);
            member.put(to, place, &one);
            member.put(to, place, &two);
            assert_eq!(member.get(to, place), two);
            drop(member.issue_put(to, place, &three));
            assert_eq!(member.get(to, place), three);
            drop(member.issue_put(to, place, &one));
            member.put(to, place + 4, &[9; 4]);
            let mut request = member.issue_get(to, place, 8);
            member.put(to, place, &two);
            member.fabric.wait(&request);
            let mut expected = one;
            expected[4..].fill(9);
            assert_eq!(taken(&mut request), expected);
            assert_eq!(member.get(to, place), two);
            drop(member.issue_put(to, place, &three));
            let old = member.atomic(to, place, Word::Bits64, AtomicOperation::Add(1));
            assert_eq!(old, u64::from_ne_bytes(three));
            member.put(to, place, &one);
            assert_eq!(
                member.atomic(to, place, Word::Bits64, AtomicOperation::Load),
                u64::from_ne_bytes(one)
            );
        }
        // More places than are kept in mind, each twice.
        for value in [1, 2_u8] {
            for place in 0..500 {
                member.put(to, 100_000 + 16 * place, &[value; 8]);
            }
        }
        member.fabric.quiet();
        member.barrier();
        assert!((0..500).all(|place| member.load(100_000 + 16 * place) == [2; 8]));
        member.barrier();
    });
}

#[test]
fn a_fence_orders_puts() {
    in_jobs(|member| {
        // Each puts data and then a flag to the next, which sees the data when it sees the flag.
        for round in 1..member.rounds(200) as u64 {
            member.put(member.next(), 1000, &[round as u8; 5000]);
            member.fabric.fence(member.next());
            // The flag may be issued, too: it is not ordered by itself.
            if round % 2 == 0 {
                member.put(member.next(), 8, &round.to_ne_bytes());
            } else {
                drop(member.issue_put(member.next(), 8, &round.to_ne_bytes()));
            }
            while u64::from_ne_bytes(member.load(8)) < round {
                // SAFETY: there is none.
                assert!(unsafe { member.fabric.receive() }.is_none());
                thread::yield_now();
            }
            assert!(member.load::<5000>(1000) == [round as u8; 5000]);
            member.fabric.quiet();
            member.barrier();
        }
    });
}

struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn what_is_issued_completes_by_any_of_its_ways() {
    in_jobs(|member| {
        let to = member.next();
        let woken = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&woken));
        let ways: [&dyn Fn(&Request); 4] = [
            &|request| member.fabric.wait(request),
            &|request| member.fabric.fence(request.image()),
            &|_| member.fabric.quiet(),
            &|_| while member.fabric.progress() {},
        ];
        for (number, complete) in ways.iter().enumerate() {
            let bytes = vec![number as u8 + 1; 10_000];
            let mut put = member.issue_put(to, 0, &bytes);
            assert!(has_outstanding());
            let is_complete = put.register(&waker);
            complete(&put);
            assert!(put.is_complete() && !has_outstanding());
            assert_eq!(
                woken.0.swap(0, Ordering::Relaxed),
                usize::from(!is_complete)
            );
            assert_eq!(taken(&mut put), bytes);
            let mut get = member.issue_get(to, 0, 10_000);
            complete(&get);
            assert!(get.is_complete() && !has_outstanding());
            assert_eq!(taken(&mut get), bytes);
        }
        // Far more than may be in flight, of memory that is lent.
        let mut lent: Vec<[u8; 8]> = (0..5000_u64).map(u64::to_ne_bytes).collect();
        for (place, bytes) in lent.iter_mut().enumerate() {
            let buffer = Buffer::Lent(bytes.as_mut_ptr(), 8);
            // SAFETY: the place lies in the heap, and the memory stays until the quiet.
            drop(unsafe {
                member
                    .fabric
                    .issue_put(to, member.offset(20_000 + 12 * place), buffer)
            });
        }
        member.fabric.quiet();
        member.barrier();
        assert!((0..5000).all(|place| member.load(20_000 + 12 * place) == place.to_ne_bytes()));
        member.barrier();
    });
}

#[test]
fn what_is_issued_to_different_images_completes_apart() {
    in_jobs_by(&[(4, "")], false, |member| {
        let [one, other, last] = [1, 2, 3].map(|distance| (member.me + distance) % 4);
        for round in 0..100_u8 {
            let long = vec![round; 1_000_000];
            let mut put = member.issue_put(one, 0, &long);
            let before = member.issue_get(other, 2_000_000, 1000);
            let mut get = member.issue_get(other, 2_000_000, 8);
            member.fabric.wait(&get);
            assert!(before.is_complete() && !put.is_complete() && has_outstanding());
            assert_eq!(taken(&mut get), [0; 8]);
            // What is not in its way leaves it alone, what is waits for it.
            member.put(one, 3_000_000, &[round]);
            assert_eq!(member.get(one, 3_000_000), [round]);
            assert!(!put.is_complete());
            assert_eq!(member.get(one, 999_999), [round]);
            assert!(put.is_complete());
            assert_eq!(taken(&mut put), long);
            // Each call of this completes more, and those that were issued first by the first.
            let images = [one, other, last];
            let puts = images.map(|image| member.issue_put(image, 0, &[round; 100]));
            for number in 0..3 {
                assert_eq!(member.fabric.progress(), number < 2);
                let complete = puts.iter().filter(|put| put.is_complete()).count();
                assert_eq!((complete, puts[number].is_complete()), (number + 1, true));
            }
            assert!(!has_outstanding());
            member.barrier();
        }
    });
}

#[test]
fn images_that_wait_for_each_other_serve_each_other() {
    in_jobs(|member| {
        // Some wait for what they have issued, others for a get or an atomic, and all need the others' help.
        for round in 0..member.rounds(200) {
            let to = (member.me + 1 + round % (member.images - 1)) % member.images;
            let puts: Vec<_> = (0..6)
                .map(|number| member.issue_put(to, 100_000 * number, &[1; 50_000]))
                .collect();
            match (member.me + round) % 3 {
                0 => drop(member.get::<1000>(to, 1_000_000)),
                1 => drop(member.atomic(to, 2_000_000, Word::Bits64, AtomicOperation::Add(1))),
                _ => member.fabric.wait(&puts[round % 6]),
            }
            if round % 2 == 0 {
                member.fabric.quiet();
            }
        }
        member.fabric.quiet();
        member.barrier();
    });
}

#[test]
fn atomics_of_all_images_change_words_in_one_step() {
    use AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap, Xor};
    in_jobs(|member| {
        let rounds = member.rounds(200) as u64;
        let all = member.images as u64;
        for (word, places) in [(Word::Bits64, [0, 8, 16]), (Word::Bits32, [24, 28, 36])] {
            let [sum, steps, bits] = places;
            let mask = if word == Word::Bits64 {
                u64::MAX
            } else {
                u64::from(u32::MAX)
            };
            let on = |place, operation| member.atomic(0, place, word, operation);
            for _ in 0..rounds {
                on(sum, Add(3));
                let mut seen = on(steps, Load);
                loop {
                    let new = seen + 1;
                    let old = on(steps, CompareExchange { current: seen, new });
                    if old == seen {
                        break;
                    }
                    seen = old;
                }
                let mine = 1 << (8 * member.me as u64 % 32);
                assert_eq!(on(bits, Or(mine)) & mine, 0);
                assert_eq!(on(bits, And(!mine)) & mine, mine);
                assert_eq!(on(bits, Xor(mine)) & mine, 0);
                assert_eq!(on(bits, Xor(mine)) & mine, mine);
            }
            member.barrier();
            assert_eq!(
                (on(sum, Load), on(steps, Load), on(bits, Load)),
                (3 * rounds * all, rounds * all, 0)
            );
            member.barrier();
            if member.me == 1 {
                assert_eq!(on(sum, Swap(mask)), 3 * rounds * all);
                assert_eq!(on(sum, Add(2)), mask);
                assert_eq!(on(sum, Load), 1);
                assert_eq!(on(sum, CompareExchange { current: 5, new: 6 }), 1);
                assert_eq!(on(sum, Load), 1);
                assert_eq!(on(sum, Add(mask)), 1);
                assert_eq!(on(sum, Swap(7)), 0);
            }
            member.barrier();
        }
        // Operations on a word of 32 bits leave its neighbour alone.
        assert_eq!(member.atomic(0, 24, Word::Bits32, Load), 7);
        assert_eq!(member.atomic(0, 28, Word::Bits32, Load), rounds * all);
        member.barrier();
    });
}
