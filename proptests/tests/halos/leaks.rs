//! Exchanges that are begun and forgotten, teams, and arrays that come and go.

use std::mem::forget;

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::{Team, num_images, this_image};
use coarray_proptests::Setting;

fn ring(cells: usize) -> Blocks<1> {
    let grid = ImageGrid::new([num_images()])
        .unwrap()
        .with_periodic([true]);
    Blocks::new([cells * num_images()], grid).unwrap()
}

#[test]
fn an_array_that_is_dropped_in_a_leaked_exchange_serves_its_neighbours() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            for round in 0..5 {
                let mut array = HaloArray::filled(&ring(4), 2, this_image() + round).unwrap();
                forget(array.exchange_start());
                if (this_image() + round).is_multiple_of(2) {
                    let left = (this_image() + num_images() - 1) % num_images();
                    assert_eq!(array.local()[0], left + round);
                }
            }
        });
    }
}

#[test]
fn arrays_belong_to_the_team_that_made_them() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let mut whole = HaloArray::filled(&ring(3), 1, me).unwrap();
            let team = Team::form(me as u64 % 2);
            team.change(|| {
                let (index, count) = (this_image(), num_images());
                let mut part = HaloArray::filled(&ring(3), 1, me).unwrap();
                for _ in 0..10 {
                    part.exchange();
                    // That of all images works here as well.
                    whole.exchange();
                }
                let left = (index + count - 1) % count;
                assert_eq!(part.local()[0], 2 * left + me % 2);
                assert_eq!(part.global_of([1]), [3 * index + 1]);
                assert_eq!(whole.global_of([1]), [3 * me + 1]);
            });
            let right = (me + 1) % images;
            assert_eq!(whole.local()[4], right);
        });
    }
}
