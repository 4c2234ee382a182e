//! Who is there, who shares memory, and what puts and gets move.

use super::*;

#[test]
fn all_are_gathered_in_order() {
    in_jobs(|member| {
        for length in [1, 7, 8, 9, 100] {
            let mine = vec![member.me as u8 + 1; length];
            let all = member.cluster.gather(&mine);
            let expected: Vec<u8> = (1..=member.images as u8)
                .flat_map(|image| vec![image; length])
                .collect();
            assert_eq!(all, expected);
        }
        assert_eq!(member.cluster.gather(&[]), []);
    });
}

#[test]
fn images_that_share_memory_are_a_node_and_see_each_others_parts() {
    in_jobs_by(&[(2, ""), (4, "")], true, |member| {
        assert_eq!(member.cluster.node(), 0);
        for place in [0, HEAP / 2, HEAP - 1] {
            let own = member.region.part_address(member.me, member.offset(place));
            // SAFETY: the place lies in this image's heap, which others only look at after the barrier.
            unsafe { own.write_volatile(member.me as u8 + 1) };
        }
        member.barrier();
        for image in 0..member.images {
            for place in [0, HEAP / 2, HEAP - 1] {
                // SAFETY: as above.
                let seen = unsafe {
                    member
                        .region
                        .part_address(image, member.offset(place))
                        .read_volatile()
                };
                assert_eq!(seen, image as u8 + 1);
            }
        }
        // What the fabric writes, the mapping shows.
        member.barrier();
        member.put(member.next(), 5, b"by the fabric");
        member.fabric.quiet();
        member.barrier();
        assert_eq!(&member.load::<13>(5), b"by the fabric");
        member.barrier();
    });
}

#[test]
fn images_that_share_no_memory_are_nodes() {
    in_jobs_by(&[(3, "tcp,self")], true, |member| {
        assert_eq!(member.cluster.node(), member.me);
        // Control structures are zero.
        let start = member.region.part_address(member.me, 0);
        // SAFETY: nobody else uses the part yet.
        let control = unsafe { std::slice::from_raw_parts(start, member.region.heap_offset()) };
        assert!(control.iter().all(|&byte| byte == 0));
    });
}

#[test]
fn puts_and_gets_of_all_lengths_arrive() {
    in_jobs(|member| {
        let bytes: Vec<u8> = (0..3_000_000_u32)
            .map(|place| (place * 7 + member.me as u32) as u8)
            .collect();
        let lengths = [
            1, 2, 3, 4, 7, 8, 64, 1000, 4096, 65_537, 1_000_000, 3_000_000,
        ];
        let places = || {
            lengths.iter().scan(1, |end, &length| {
                *end += length + 3;
                Some((*end - length, length))
            })
        };
        for (place, length) in places() {
            member.put(member.next(), place, &bytes[..length]);
        }
        assert!(has_outstanding());
        member.fabric.quiet();
        // This one finds nothing to complete.
        member.fabric.quiet();
        assert!(!has_outstanding());
        member.barrier();
        let before = (member.me + member.images - 1) % member.images;
        for (place, length) in places() {
            let is_there = |at: usize| {
                member.load::<1>(place + at)[0] == (at as u32 * 7 + before as u32) as u8
            };
            assert!((0..length).all(is_there), "{length}");
            let mut back = vec![0; length];
            // SAFETY: the place lies in the heap.
            unsafe {
                member.fabric.get(
                    member.next(),
                    member.offset(place),
                    back.as_mut_ptr(),
                    length,
                )
            };
            assert!(back == bytes[..length], "{length}");
        }
        member.barrier();
    });
}

#[test]
fn an_abort_ends_all_with_its_code() {
    let body = |member: &Member| {
        if member.me == 1 {
            member.cluster.abort(42);
        }
        loop {
            // SAFETY: there is none.
            assert!(unsafe { member.fabric.receive() }.is_none());
            thread::yield_now();
        }
    };
    if env::var_os(TEST).is_some() {
        return take_part(false, body);
    }
    let output = start(name_of(&body), 2, "");
    assert_eq!(output.status.code(), Some(42), "{}", text(&output));
}
