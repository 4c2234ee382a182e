//! What does not fit is refused on all images alike, in words that help, and does no harm.

use coarray::AllocError;
use coarray::machine::HeapUser;
use coarray::prelude::*;
use coarray_proptests::Setting;

const HEAP: usize = 256 << 10;

#[track_caller]
fn on_every_setting(body: impl Fn() + Sync) {
    for setting in Setting::everywhere() {
        setting.run_in(HEAP, &body);
    }
}

#[test]
fn memory_that_waits_for_other_images_to_drop_it_too_is_told() {
    on_every_setting(|| {
        let block = Coarray::<[Coatomic<u64>; 12_500]>::from_fn(|_| Coatomic::new(0));
        let kept = (this_image() == 0).then_some(block);
        match Coarray::<[u8; 200_000]>::try_zeroed().map(drop) {
            Ok(()) => panic!("there is no room while image 0 keeps the first"),
            Err(error) => {
                let told = error.to_string().contains("dropped and others did not");
                assert_eq!(told, kept.is_none(), "{error}");
            }
        }
    });
}

#[test]
fn memory_of_a_plain_coarray_that_an_image_dropped_is_free_there_and_the_full_image_is_named() {
    on_every_setting(|| {
        let block = Coarray::<[u8; 100_000]>::zeroed();
        let _kept = (this_image() == 0).then_some(block);
        match Coarray::<[u8; 200_000]>::try_zeroed().map(drop) {
            Ok(()) => panic!("there is no room while image 0 keeps the first"),
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("image 0 has no room"), "{text}");
                let used = format!("are in use on image {}", this_image());
                assert!(text.contains(&used), "{text}");
            }
        }
        let second = Coarray::<[u8; 100_000]>::zeroed();
        assert_eq!(second.len(), 100_000);
    });
}

#[test]
fn an_exhausted_heap_is_reported_on_all_images_with_its_largest_users() {
    on_every_setting(|| {
        let block = || (line!(), Coarray::new([[7u8; 1024]; 10]));
        let (line, small): (Vec<u32>, Vec<_>) = (0..3).map(|_| block()).unzip();
        let line = line[0];
        let (large_line, large) = (line!(), Coarray::<[f64]>::zeroed(16 << 10));
        let error = Coarray::<[u32; 30_000]>::try_zeroed().unwrap_err();
        let text = error.to_string();
        let AllocError::HeapExhausted {
            requested,
            subject,
            heap,
            used,
            waiting: 0,
            users,
            ..
        } = error
        else {
            panic!("{error:?}");
        };
        assert_eq!((requested, subject, heap), (120_000, "[u32; 30000]", HEAP));
        assert!((161_792..170_000).contains(&used), "{used}");
        let [
            HeapUser {
                bytes: 131_072,
                count: 1,
                subject: "[f64]",
                caller: first,
            },
            second,
        ] = &users[..]
        else {
            panic!("{users:?}");
        };
        assert_eq!(
            (second.bytes, second.count, second.subject),
            (30_720, 3, "[[u8; 1024]; 10]")
        );
        assert!(
            first.starts_with(&format!("{}:{}:", file!(), large_line)),
            "{first}"
        );
        assert!(
            second.caller.starts_with(&format!("{}:{line}:", file!())),
            "{second:?}"
        );
        for words in [
            "cannot allocate 117.2 KiB for [u32; 30000]",
            "of the heap of 256.0 KiB an image",
            &format!("128.0 KiB  [f64] created at {first}"),
            &format!(
                "30.0 KiB  3 x [[u8; 1024]; 10] created at {}",
                second.caller
            ),
            "COARRAY_HEAP",
        ] {
            assert!(text.contains(words), "no {words:?} in: {text}");
        }
        assert!(large.iter().all(|&value| value == 0.0));
        assert!(
            small
                .iter()
                .all(|coarray| coarray.as_flattened().iter().all(|&byte| byte == 7))
        );
        drop(large);
        let again = Coarray::<[u32; 30_000]>::try_zeroed().unwrap();
        assert!(again.iter().all(|&value| value == 0));
        assert!(
            small
                .iter()
                .all(|coarray| coarray.as_flattened().iter().all(|&byte| byte == 7))
        );
    });
}

#[test]
fn a_creation_that_cannot_return_an_error_panics_with_it_where_it_was_called() {
    let line = line!() + 1;
    let body = || drop(Coarray::<[u64]>::zeroed(100_000));
    for images in [1, 3] {
        let failure = Setting::of(images)
            .launch()
            .heap(HEAP)
            .run(body)
            .unwrap_err();
        let place = format!("panicked at {}:{line}:", file!());
        assert!(
            failure.text.contains(&place) && failure.text.contains("COARRAY_HEAP"),
            "{failure}"
        );
    }
}

#[test]
fn sizes_beyond_the_address_space_are_refused_on_all_images() {
    on_every_setting(|| {
        let items = isize::MAX as usize / 8;
        for length in [usize::MAX, usize::MAX / 8 + 1, items + 1] {
            let error = Coarray::<[u64]>::try_zeroed(length).unwrap_err();
            assert_eq!(
                error,
                AllocError::TooLarge {
                    length,
                    subject: "[u64]"
                }
            );
        }
        let error = Coarray::<[[u64; 1 << 20]]>::try_zeroed(usize::MAX >> 20).unwrap_err();
        assert!(matches!(error, AllocError::TooLarge { .. }), "{error}");
        for length in [items, items / 2, 1 << 40] {
            let error = Coarray::<[u64]>::try_zeroed(length).unwrap_err();
            assert!(matches!(error, AllocError::HeapExhausted { .. }), "{error}");
        }
        assert_eq!(*Coarray::new(7u8), 7);
    });
}

#[test]
fn memory_that_the_machine_does_not_have_is_refused_on_all_images() {
    if std::fs::read_to_string("/proc/meminfo").is_err() {
        return; // Without it, the library cannot know better than the kernel.
    }
    Setting::of(2).run_in(8 << 40, || {
        let before = Coarray::new([this_image(); 100]);
        let error = Coarray::<[u64]>::try_zeroed(1 << 39).unwrap_err();
        assert!(
            matches!(error, AllocError::NoMemory { requested, .. } if requested == 1 << 42),
            "{error}"
        );
        let after = Coarray::new([this_image() + 1; 1000]);
        assert_eq!(
            (*before, *after),
            ([this_image(); 100], [this_image() + 1; 1000])
        );
    });
}

#[test]
fn arrays_of_no_items_work() {
    on_every_setting(|| {
        let mut none = Coarray::<[u64]>::zeroed(0);
        let mut rows = Coarray::<[[char; 4]]>::from_fn(0, |_| unreachable!("there are no rows"));
        let neighbour = Coarray::new(5u64);
        assert!(none.is_empty() && rows.is_empty());
        co_sum(&mut none);
        co_broadcast(&mut rows, num_images() - 1);
        let (open, open_rows) = coarray::open((&mut none, &mut rows));
        for image in 0..num_images() {
            let place = open.at(image);
            assert!(place.is_empty() && place.to_vec().is_empty() && place.iter().next().is_none());
            assert!(place.section(.., 3).to_vec().is_empty() && place[0..].is_empty());
            place.put_from(&[]);
            place.fill(9);
            place.copy_from(open.at(0));
            place.get_into(&mut []);
            assert!(open_rows.at(image).column(3).to_vec().is_empty());
        }
        drop((open, open_rows));
        assert!(none.publish().try_ref(0).is_none_or(<[u64]>::is_empty));
        assert_eq!(*neighbour, 5);
        let mut run = Ragged::<bool>::empty();
        let open = run.open();
        assert!((0..num_images()).all(|image| open.at(image).is_empty()));
    });
}
