//! How many cells a halo has, and how many of them an exchange fills.

use coarray::grid::{Blocks, Exchange, HaloArray, ImageGrid};
use coarray_proptests::Setting;

/// How many cells of blocks of 10 x 10 x 10 with halos of width 1 an exchange fills on each image.
fn filled(extents: [usize; 3], periodic: [bool; 3], exchange: Exchange<3>) -> Vec<usize> {
    let images = extents.iter().product();
    Setting::of(images).run(|| {
        let grid = ImageGrid::new(extents).unwrap().with_periodic(periodic);
        let blocks = Blocks::new(extents.map(|images| 10 * images), grid).unwrap();
        let mut array = HaloArray::filled(&blocks, 1, 0u8).unwrap();
        assert_eq!(array.local().len() - array.interior().len(), 728);
        array.interior_mut().fill(1);
        array.exchange_with(&exchange);
        array.local().iter().filter(|&&cell| cell == 1).count() - array.interior().len()
    })
}

#[test]
fn an_image_in_the_middle_gets_728_cells() {
    let middle = 13;
    assert_eq!(filled([3, 3, 3], [false; 3], Exchange::all())[middle], 728);
    assert_eq!(
        filled([3, 3, 3], [false; 3], Exchange::faces())[middle],
        600
    );
}

#[test]
fn every_image_of_a_periodic_array_gets_728_cells() {
    for extents in [[1, 1, 1], [2, 1, 1], [1, 2, 2]] {
        let all = filled(extents, [true; 3], Exchange::all());
        assert!(all.iter().all(|&cells| cells == 728), "{all:?}");
    }
}

#[test]
fn an_image_in_a_corner_gets_what_there_is() {
    let all = filled([2, 2, 2], [false; 3], Exchange::all());
    assert_eq!(all, [3 * 100 + 3 * 10 + 1; 8]);
    let faces = filled([2, 2, 2], [false, false, true], Exchange::faces());
    assert_eq!(faces, [4 * 100; 8]);
}
