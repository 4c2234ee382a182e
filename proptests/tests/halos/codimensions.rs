//! Parts by the coordinates of their images, in grids of every shape whose last row may not be full.

use coarray::grid::{Blocks, GridError, HaloArray, ImageGrid};
use coarray::places::Access;
use coarray::prelude::*;
use coarray_proptests::{Setting, config, panic_of};
use proptest::prelude::*;

/// The coordinates within these extents, the last counting fastest.
fn positions<const D: usize>(extents: [usize; D]) -> Vec<[usize; D]> {
    let mut all = vec![[0; D]];
    for axis in 0..D {
        let further = |position: [usize; D]| {
            (0..extents[axis]).map(move |at| {
                let mut further = position;
                further[axis] = at;
                further
            })
        };
        all = all.into_iter().flat_map(further).collect();
    }
    all
}

/// Compares a grid with the list of the coordinates of all images, which are dealt out in row order.
fn compare<const D: usize>(grid: &ImageGrid<D>, row: &[usize], images: usize) {
    let mut extents = [1; D];
    extents[1..].copy_from_slice(row);
    while extents.iter().product::<usize>() < images {
        extents[0] += 1;
    }
    let beyond = positions(extents.map(|extent| extent + 2));
    let places = positions(extents);
    let places = &places[..images];
    assert_eq!((grid.extents(), grid.images()), (extents, images));
    assert_eq!(grid.lower_cobounds(), [0; D]);
    assert_eq!(grid.upper_cobounds(), extents.map(|extent| extent - 1));
    assert_eq!(grid.coordinates(), places[this_image()]);
    let number = |wanted: [usize; D]| places.iter().position(|&place| place == wanted);
    for at in beyond {
        assert_eq!(grid.image_index(at), number(at), "{at:?}");
        if number(at).is_none() {
            let text = panic_of(|| grid.image_at(at));
            let words = format!(
                "no image at {at:?}: the image grid has extents {extents:?} and {images} images"
            );
            assert!(text.contains(&words), "{text}");
        }
    }
    let all = [false, true].map(|periodic| grid.clone().with_periodic([periodic; D]));
    for (image, &place) in places.iter().enumerate() {
        assert_eq!(grid.coordinates_of(image), place);
        for offset in positions([4; D]) {
            let offset = offset.map(|at| at as isize - 2);
            let there: [isize; D] = std::array::from_fn(|axis| place[axis] as isize + offset[axis]);
            let straight = there.map(|at| usize::try_from(at).unwrap_or(usize::MAX));
            assert_eq!(all[0].neighbour_of(image, offset), number(straight));
            let around =
                std::array::from_fn(|axis| there[axis].rem_euclid(extents[axis] as isize) as usize);
            assert_eq!(all[1].neighbour_of(image, offset), number(around));
        }
    }
    let is_full = extents.iter().product::<usize>() == images;
    match Blocks::new([20; D], grid.clone()) {
        Ok(_) => assert!(is_full),
        Err(GridError::NotFull { .. }) => assert!(!is_full),
        Err(error) => assert!(extents.iter().any(|&extent| extent > 20), "{error}"),
    }
}

#[test]
fn rows_end_where_the_images_do() {
    for images in 1..=8 {
        Setting::of(images).run(|| {
            compare(&ImageGrid::in_rows_of([]).unwrap(), &[], images);
            for columns in 1..=9 {
                compare(&ImageGrid::in_rows_of(columns).unwrap(), &[columns], images);
                for rows in 1..=3 {
                    let grid = ImageGrid::in_rows_of([rows, columns]).unwrap();
                    compare(&grid, &[rows, columns], images);
                }
            }
            for row in [[0, 1], [3, 0], [usize::MAX, 2]] {
                let error = ImageGrid::in_rows_of(row).unwrap_err();
                assert_eq!(error, GridError::NoRow { row: row.to_vec() });
                assert!(error.to_string().contains(&format!("{row:?}")), "{error}");
            }
            let one = ImageGrid::in_rows_of(usize::MAX).unwrap();
            assert_eq!(
                (one.extents()[0], one.coordinates()),
                (1, [0, this_image()])
            );
        });
    }
}

#[test]
fn columns_end_where_the_images_do() {
    for images in 1..=8 {
        Setting::of(images).run(|| {
            for (rows, more) in [(1, 1), (2, 2), (3, 1), (2, 3), (9, 2)] {
                let grid = ImageGrid::in_columns_of([rows, more]).unwrap();
                let columns = images.div_ceil(rows * more);
                assert!(grid.is_column_major());
                assert_eq!(
                    (grid.extents(), grid.images()),
                    ([rows, more, columns], images)
                );
                let mut number = 0;
                for k in 0..columns {
                    for j in 0..more {
                        for i in 0..rows {
                            let image = (number < images).then_some(number);
                            assert_eq!(grid.image_index([i, j, k]), image);
                            if image.is_some() {
                                assert_eq!(grid.coordinates_of(number), [i, j, k]);
                            }
                            number += 1;
                        }
                    }
                }
                assert_eq!(grid.image_index([rows, 0, 0]), None);
            }
            let error = ImageGrid::in_columns_of([0, 1]).unwrap_err();
            assert_eq!(error, GridError::NoRow { row: vec![0, 1] });
        });
    }
}

#[test]
fn a_division_among_images_that_are_not_there_is_refused() {
    Setting::of(5).run(|| {
        let grid = ImageGrid::in_rows_of(3).unwrap();
        let error = Blocks::new([30, 30], grid).unwrap_err();
        let expected = GridError::NotFull {
            extents: vec![2, 3],
            images: 5,
        };
        assert_eq!(error, expected);
        let text = error.to_string();
        assert!(
            text.contains("extents [2, 3] is not full, as there are 5"),
            "{text}"
        );
    });
}

/// Gets from all parts, by number and by coordinates, what `value` says of each image.
fn read<'a, A: Access, const D: usize>(
    x: impl Parts<Part = &'a Coref<[u64], A>>,
    grid: &ImageGrid<D>,
    value: impl Fn(usize) -> u64,
) {
    for at in positions(grid.extents()) {
        let Some(image) = grid.image_index(at) else {
            assert!(x.on(grid).try_at(at).is_none());
            let text = panic_of(|| x.on(grid).at(at).image());
            assert!(text.contains(&format!("no image at {at:?}")), "{text}");
            continue;
        };
        assert_eq!(x.on(grid).at(at)[1].get(), value(image));
        assert_eq!(
            x.on(grid).try_at(at).map(|part| part[1].get()),
            Some(value(image))
        );
        assert_eq!(x.part(image)[1].get(), value(image));
    }
    for offset in positions([3; D]) {
        let offset = offset.map(|at| at as isize - 1);
        let seen = x.on(grid).neighbour(offset).map(|part| part[1].get());
        assert_eq!(seen, grid.neighbour(offset).map(&value));
    }
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn parts_of_every_phase_are_those_of_the_images_at_their_coordinates(
        setting in Setting::anywhere(),
        columns in 1usize..9,
        rows in 1usize..4,
        periodic: [bool; 3],
        in_teams: bool,
    ) {
        setting.run(|| {
            let parts = || {
                let me = this_image();
                let grid = ImageGrid::in_rows_of([rows, columns]).unwrap().with_periodic(periodic);
                let value = |image: usize| (100 + image) as u64;
                let mut x = Coarray::<[u64]>::from_fn(2, |_| value(me));
                read(&x.open(), &grid, value);
                read(&x.publish(), &grid, value);
                let mut run = Ragged::from_fn(2 + me, |_| value(me));
                read(&run.open(), &grid, value);
                read(&run.publish(), &grid, value);
                let rows = RaggedRows::from_fn(1, |_| vec![value(me); 1 + me]).into_published();
                for at in positions(grid.extents()) {
                    let expected = grid.image_index(at).map(|image| vec![value(image); 1 + image]);
                    assert_eq!(rows.on(&grid).try_at(at).map(|part| part.row(0).to_vec()), expected);
                }
                let mut plane = NdCoarray::from_fn([2, 3], |[i, j]| value(me) + (10 * i + j) as u64);
                let block = |part: Option<Vec<u64>>| part.map(|block| block[4]);
                for at in positions(grid.extents()) {
                    let expected = grid.image_index(at).map(|image| value(image) + 11);
                    let seen = plane.open().on(&grid).try_at(at).map(|part| part.to_vec());
                    assert_eq!(block(seen), expected);
                    let seen = plane.publish().on(&grid).try_at(at).map(|part| part.to_vec());
                    assert_eq!(block(seen), expected);
                }
                let full = ImageGrid::<1>::balanced();
                let blocks = Blocks::new([2 * num_images()], full.clone()).unwrap();
                let mut halos = HaloArray::from_fn(&blocks, 1, |[i]| i).unwrap();
                let halos = halos.open();
                let right = halos.on(&full).neighbour([1]).map(|part| part.to_vec());
                let next = me + 1;
                assert_eq!(right, (next < num_images()).then(|| vec![2 * next, 2 * next + 1]));
                drop(halos);
                let count = Coarray::new(Coatomic::new(0));
                for at in positions(grid.extents()) {
                    if let Some(place) = count.on(&grid).try_at(at) {
                        place.add(1 + me);
                    }
                }
                sync_all();
                assert_eq!(count.load(), (1..=num_images()).sum::<usize>());
            };
            if in_teams {
                Team::form(this_image() as u64 % 2).change(parts);
            } else {
                parts();
            }
        });
    }
}

#[test]
fn grids_of_other_teams_do_not_say_where_the_parts_of_a_coarray_are() {
    Setting::of(4).run(|| {
        let of_all = ImageGrid::new([2, 2]).unwrap();
        let mut x = Coarray::new(this_image());
        Team::form(this_image() as u64 % 2).change(|| {
            let mut y = Coarray::new(this_image());
            let (x, y) = (x.open(), y.open());
            let of_team = ImageGrid::new([2, 1]).unwrap();
            // Still that of all, in the numbers of all.
            assert_eq!(x.on(&of_all).at([1, 1]).get(), 3);
            assert_eq!(y.on(&of_team).at([1, 0]).get(), 1);
            for text in [
                panic_of(|| x.on(&of_team).at([0, 0]).image()),
                panic_of(|| y.on(&of_all).at([0, 0]).image()),
            ] {
                assert!(text.contains("made in another team"), "{text}");
            }
            sync_all();
        });
        // A team of as many images with the same number is another one.
        let old = Team::form(0).change(|| ImageGrid::<2>::balanced());
        Team::form(0).change(|| {
            let x = Coarray::new(Coatomic::new(0));
            let text = panic_of(|| x.on(&old).at([0, 0]).load());
            assert!(text.contains("made in another team"), "{text}");
        });
    });
}
