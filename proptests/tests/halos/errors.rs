//! What is refused, and how it is said.

use coarray::failure::{fail_image, try_sync_all};
use coarray::grid::{
    Blocks, Exchange, GridError, Halo, HaloArray, ImageGrid, exchange_many, try_exchange_many,
};
use coarray::{Team, num_images, this_image};
use coarray_proptests::{IMAGE_COUNTS, Setting, config, mix, panic_of};
use proptest::prelude::*;

#[test]
fn grids_that_do_not_fit_the_team_are_refused() {
    Setting::of(4).run(|| {
        let error = ImageGrid::new([2, 3]).unwrap_err().to_string();
        assert!(
            error.contains("[2, 3] takes 6 images, but the team has 4"),
            "{error}"
        );
        let error = ImageGrid::new([usize::MAX, 2]).unwrap_err().to_string();
        assert!(error.contains("more images than can be counted"), "{error}");
        assert!(ImageGrid::new([usize::MAX, usize::MAX, 0]).is_err());
        assert_eq!(ImageGrid::<2>::balanced().extents(), [2, 2]);
        assert_eq!(ImageGrid::<4>::balanced().extents(), [2, 2, 1, 1]);
    });
}

#[test]
fn more_images_than_cells_are_refused() {
    Setting::of(4).run(|| {
        let too_few = |cells| GridError::TooFewCells {
            axis: 1,
            cells,
            images: 4,
        };
        let error = Blocks::new([5, 0], ImageGrid::new([1, 4]).unwrap()).unwrap_err();
        assert_eq!(error, too_few(0));
        let blocks = Blocks::new([5, 3], ImageGrid::new([1, 4]).unwrap()).unwrap();
        let error = HaloArray::filled(&blocks, [(0, 0), (0, 1)], 0).unwrap_err();
        assert_eq!(error, too_few(3));
        assert!(
            error.to_string().starts_with("axis 1 has 3 cells"),
            "{error}"
        );
        assert_eq!(ImageGrid::balanced_for([3, 2]).unwrap().extents(), [2, 2]);
        let error = ImageGrid::balanced_for([3, 1]).unwrap_err();
        assert!(
            matches!(error, GridError::NoFactorisation { images: 4, .. }),
            "{error}"
        );
    });
}

#[test]
fn halos_wider_than_the_smallest_block_with_neighbours_are_refused() {
    Setting::of(3).run(|| {
        // Blocks of 3, 2 and 2 cells.
        let grid = ImageGrid::new([3, 1]).unwrap();
        let blocks = Blocks::new([7, 1], grid).unwrap();
        let error = HaloArray::filled(&blocks, [(0, 3), (0, 0)], 0).unwrap_err();
        let expected = GridError::HaloTooWide {
            axis: 0,
            width: 3,
            block: 2,
            image: 2,
        };
        assert_eq!(error, expected);
        // No neighbours along axis 1, so no limit.
        assert!(HaloArray::filled(&blocks, [2, 5], 0).is_ok());
        // The image itself is one.
        let periodic = blocks.grid().clone().with_periodic([false, true]);
        let blocks = Blocks::new([7, 1], periodic).unwrap();
        let error = HaloArray::filled(&blocks, [2, 5], 0).unwrap_err();
        assert!(matches!(
            error,
            GridError::HaloTooWide {
                axis: 1,
                width: 5,
                block: 1,
                ..
            }
        ));
    });
}

#[test]
fn images_that_want_different_arrays_are_refused() {
    Setting::of(3).run(|| {
        let me = this_image();
        let grid = ImageGrid::new([1, 3]).unwrap();
        let blocks = |rows| Blocks::new([rows, 12 / rows * 3], grid.clone()).unwrap();
        // As many cells, in another shape: this must not go unnoticed.
        let error = HaloArray::filled(&blocks(if me == 1 { 2 } else { 3 }), 0, 0).unwrap_err();
        assert!(matches!(error, GridError::ImagesDisagree { image, .. } if image == me));
        let width = Halo::from([(1, usize::from(me == 2)), (0, 0)]);
        assert!(HaloArray::filled(&blocks(3), width, 0).is_err());
        let periodic = grid.clone().with_periodic([me == 0, false]);
        let blocks = Blocks::new([3, 3], periodic).unwrap();
        assert!(HaloArray::filled(&blocks, 1, 0).is_err());
        let numbered = match me {
            2 => grid.clone().with_column_major(),
            _ => grid.clone(),
        };
        let error = HaloArray::filled(&Blocks::new([3, 3], numbered).unwrap(), 1, 0).unwrap_err();
        let text = error.to_string();
        assert_eq!(text.contains("in column-major order"), me == 2, "{text}");
    });
}

#[test]
fn grids_of_other_teams_are_refused() {
    Setting::of(4).run(|| {
        let of_all = Blocks::new([8], ImageGrid::new([4]).unwrap()).unwrap();
        let team = Team::form(this_image() as u64 % 2);
        team.change(|| {
            let error = HaloArray::filled(&of_all, 1, 0).unwrap_err();
            assert!(matches!(
                error,
                GridError::WrongNumberOfImages { images: 2, .. }
            ));
        });
    });
}

#[test]
fn exchanges_wider_than_the_halo_are_refused() {
    Setting::of(2).run(|| {
        let blocks = Blocks::new([8], ImageGrid::new([2]).unwrap()).unwrap();
        let mut array = HaloArray::filled(&blocks, [(1, 2)], 0).unwrap();
        let text = panic_of(|| array.exchange_with(&Exchange::all().width([(2, 2)])));
        assert!(text.contains("wider than the array's halo"), "{text}");
        array.exchange(); // nothing had begun
    });
}

#[test]
fn arrays_that_do_not_fit_the_heap_are_refused() {
    Setting::of(2).run(|| {
        let blocks = Blocks::new([1 << 40], ImageGrid::new([2]).unwrap()).unwrap();
        let error = HaloArray::filled(&blocks, 1, 0u64).unwrap_err();
        assert!(matches!(error, GridError::Allocation(_)), "{error}");
        let blocks = Blocks::new([8], ImageGrid::new([2]).unwrap()).unwrap();
        assert!(HaloArray::filled(&blocks, 1, 0u64).is_ok());
        assert!(Blocks::new([usize::MAX, 3], ImageGrid::new([2, 1]).unwrap()).is_err());
    });
}

#[test]
fn images_that_exchange_different_parts_are_reported() {
    let parts = [
        Exchange::all(),
        Exchange::faces(),
        Exchange::all().width(1),
        Exchange::all().width([(1, 2), (2, 2)]),
    ];
    for (number, other) in parts.into_iter().enumerate().skip(1) {
        for setting in [Setting::of(2), Setting::of(4)] {
            let failure = setting.launch().run(|| {
                let grid = ImageGrid::new([setting.images, 1]).unwrap();
                let blocks = Blocks::new([12, 4], grid.with_periodic([true; 2])).unwrap();
                let mut array = HaloArray::filled(&blocks, 2, 0).unwrap();
                array.exchange();
                let is_other = this_image() == setting.images - 1;
                array.exchange_with(if is_other { &parts[number] } else { &parts[0] });
            });
            let text = failure.unwrap_err().to_string();
            assert!(
                text.contains("all images must exchange the same parts"),
                "{other:?}: {text}"
            );
        }
    }
}

#[test]
fn images_that_do_not_exchange_are_reported() {
    let failure = Setting::of(2).launch().run(|| {
        let blocks = Blocks::new([12], ImageGrid::new([2]).unwrap()).unwrap();
        let mut array = HaloArray::filled(&blocks, 2, 0).unwrap();
        if this_image() > 0 {
            array.exchange();
        } else {
            coarray::sync_all();
        }
    });
    let text = failure.unwrap_err().to_string();
    assert!(
        text.contains("deadlock") && text.contains("errors.rs"),
        "{text}"
    );
}

#[test]
fn an_array_whose_exchange_a_panic_has_broken_off_cannot_be_used() {
    let setting = Setting::of(2);
    let failure = setting.launch().run(|| {
        let blocks = Blocks::new([12], ImageGrid::new([2]).unwrap()).unwrap();
        let mut array = HaloArray::filled(&blocks, [(2, 1)], 0).unwrap();
        array.exchange();
        let mine = if this_image() == 0 { (1, 1) } else { (2, 1) };
        let text = panic_of(|| array.exchange_with(&Exchange::all().width([mine])));
        assert!(text.contains("same parts"), "{text}");
        // The neighbour may still write.
        let text = panic_of(|| array.local().len());
        assert!(text.contains("broken off by a panic"), "{text}");
        panic!("as far as this");
    });
    let text = failure.unwrap_err().to_string();
    assert!(text.contains("as far as this"), "{text}");
}

#[test]
fn neighbours_that_fail_are_reported() {
    let outcome = Setting::of(3).launch().keep_going(true).run(|| {
        let blocks = Blocks::new([12], ImageGrid::new([3]).unwrap()).unwrap();
        let mut array = HaloArray::filled(&blocks, 2, 0).unwrap();
        array.exchange();
        if this_image() == 2 {
            coarray::failure::fail_image();
        }
        array.exchange();
        array.exchange();
    });
    let text = outcome.unwrap_err().to_string();
    assert!(
        text.contains("image 2 has failed") && text.contains("errors.rs"),
        "{text}"
    );
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn whoever_survives_a_failure_is_told_by_an_exchange_and_keeps_its_cells(
        images in prop::sample::select(&IMAGE_COUNTS[..]),
        way in 0..3,
        seed: u64,
    ) {
        let doomed = mix(seed, 1) as usize % images;
        let last = mix(seed, 2) as usize % 30;
        let outcome = Setting::of(images).launch().keep_going(true).run(|| {
            let grid = ImageGrid::new([images]).unwrap().with_periodic([true]);
            let blocks = Blocks::new([2 * images + 1], grid).unwrap();
            let mut array = HaloArray::filled(&blocks, 1, usize::MAX).unwrap();
            let mut other = HaloArray::filled(&blocks, 1, 0_u8).unwrap();
            let mine = |round: usize| 1000 * round + this_image();
            let mut round = 0;
            let failed = loop {
                if this_image() == doomed && round == last {
                    fail_image();
                }
                array.interior_mut().fill(mine(round));
                let exchanged = match way {
                    0 => array.exchange_start().try_finish(),
                    1 => array.try_exchange_with(&Exchange::faces()),
                    _ => try_exchange_many(&mut [&mut other, &mut array]),
                };
                if let Err(failed) = exchanged {
                    break failed;
                }
                let before = (this_image() + num_images() - 1) % num_images();
                assert_eq!(array.local()[0], 1000 * round + before);
                round += 1;
            };
            assert_eq!((failed.images, failed.stopped), (vec![doomed], vec![]));
            // A fast image is at most one exchange ahead of its neighbours.
            assert!(round.abs_diff(last) <= images);
            assert!(array.interior().iter().all(|&cell| cell == mine(round)));
            for text in [panic_of(|| array.local().len()), panic_of(|| array.exchange())] {
                assert!(text.contains("an image had failed or stopped"), "{text}");
            }
            // The others may still write to the halo, which is not given back.
            drop(array);
            try_sync_all().unwrap_err().images
        });
        let outcome = outcome.map_err(|failure| failure.to_string());
        match images {
            1 => prop_assert!(outcome.is_err()),
            _ => prop_assert_eq!(outcome, Ok(vec![vec![doomed]; images - 1])),
        }
    }
}

#[test]
fn neighbours_of_an_image_that_has_stopped_are_told() {
    let outcome = Setting::of(3).launch().keep_going(true).run(|| {
        let blocks = Blocks::new([12], ImageGrid::new([3]).unwrap()).unwrap();
        let mut array = HaloArray::filled(&blocks, 1, 0).unwrap();
        array.exchange();
        match this_image() {
            2 => None, // comes to the end of the program
            _ => array.try_exchange().err(),
        }
    });
    let told: Vec<_> = outcome.unwrap().into_iter().flatten().collect();
    assert!(!told.is_empty());
    assert!(
        told.iter().all(|failed| failed.images.is_empty()),
        "{told:?}"
    );
    // Image 0 ends when its neighbour, image 1, does.
    assert!(
        told.iter()
            .all(|failed| failed.stopped.contains(&2) || failed.stopped == [1]),
        "{told:?}"
    );
}

#[test]
fn an_exchange_of_several_ends_the_job_where_an_image_has_failed() {
    let outcome = Setting::of(3).launch().keep_going(true).run(|| {
        let blocks = Blocks::new([12], ImageGrid::new([3]).unwrap()).unwrap();
        let mut one = HaloArray::filled(&blocks, 1, 0).unwrap();
        let mut other = HaloArray::filled(&blocks, 1, 'a').unwrap();
        if this_image() == 1 {
            fail_image();
        }
        exchange_many(&mut [&mut one, &mut other]);
    });
    let report = outcome.unwrap_err().to_string();
    assert!(
        report.contains("cannot complete exchange of the halo array of char [12]"),
        "{report}"
    );
}
