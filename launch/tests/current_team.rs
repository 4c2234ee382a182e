//! Which team an image is in.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};

use coarray_launch::run;
use coarray_runtime::{Image, OnFailure, Team, num_images, this_image};

#[test]
fn a_change_of_the_team_in_the_middle_of_an_operation_is_refused_as_a_whole() {
    run(2, || {
        let number = this_image() as u64;
        let alone = Team::current()
            .form(number, None, OnFailure::EndJob, Location::caller())
            .unwrap();
        let before = (this_image(), num_images());
        // As a waker does that is called within the operation.
        let changed =
            Image::with_current(|_| catch_unwind(AssertUnwindSafe(|| drop(alone.enter()))));
        assert!(changed.is_err());
        let team = Team::current();
        assert_eq!((this_image(), num_images()), before);
        assert_eq!((team.index(), team.images()), before);
    });
}
