//! Mistakes that all images can see are errors, or panics, on all of them, and nothing changes.

use coarray::grid::{Blocks, GridError, HaloArray, ImageGrid, gmove};
use coarray::ndarray::Array2;
use coarray::prelude::*;
use coarray_proptests::{Setting, panic_of};

fn array(shape: [usize; 2], value: i32) -> HaloArray<i32, 2> {
    let blocks = Blocks::new(shape, ImageGrid::balanced()).unwrap();
    HaloArray::filled(&blocks, 1, value).unwrap()
}

#[test]
fn a_root_without_an_array_of_the_right_shape_has_nothing_to_scatter() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut u = array([8, 9], 1);
            let root = num_images() - 1;
            let is_root = this_image() == root;
            let (right, wrong) = (Array2::zeros((8, 9)), Array2::zeros((9, 8)));
            let others = if is_root { None } else { Some(right.view()) };
            for given in [others, Some(wrong.view())] {
                let error = u.scatter_global(root, given).unwrap_err();
                let shape = vec![8, 9];
                assert_eq!(error, GridError::NothingToScatter { root, shape });
            }
            assert!(u.local().iter().all(|&cell| cell == 1));
            u.scatter_global(root, is_root.then(|| right.view()))
                .unwrap();
            assert!(u.interior().iter().all(|&cell| cell == 0));
        });
    }
}

#[test]
fn arrays_of_different_shapes_or_teams_are_not_moved() {
    Setting::of(4).run(|| {
        let (from, mut to) = (array([8, 9], 1), array([9, 8], 2));
        let error = gmove(&from, &mut to).unwrap_err();
        assert!(
            matches!(error, GridError::DifferentShapes { .. }),
            "{error}"
        );
        let text = error.to_string();
        assert!(text.contains("[8, 9]") && text.contains("[9, 8]"), "{text}");
        let team = Team::form(this_image() as u64 / 2);
        team.change(|| {
            let mut theirs = array([8, 9], 3);
            assert_eq!(gmove(&from, &mut theirs), Err(GridError::DifferentTeams));
            assert!(theirs.local().iter().all(|&cell| cell == 3));
        });
        assert!(to.local().iter().all(|&cell| cell == 2));
    });
}

#[test]
fn what_is_not_there_cannot_be_asked_for() {
    Setting::of(3).run(|| {
        let mut u = array([8, 9], 1);
        let message = panic_of(|| u.gather_global(3));
        assert!(
            message.contains("image 3") && message.contains("3 images"),
            "{message}"
        );
        let message = panic_of(|| u.scatter_global(44, None));
        assert!(message.contains("image 44"), "{message}");
        #[allow(clippy::reversed_empty_ranges)]
        for cells in [[0..9, 0..9], [8..9, 1..2], [3..2, 0..1]] {
            let message = panic_of(|| u.gather_slice(0, cells.clone()));
            assert!(message.contains("[8, 9]"), "{message}");
        }
        // All are together again.
        assert_eq!(u.gather_global(0).is_some(), this_image() == 0);
    });
}
