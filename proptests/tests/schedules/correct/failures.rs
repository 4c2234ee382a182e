//! Jobs that go on without images that fail.

use coarray::collectives::try_co_sum;
use coarray::failure::{ImageFailed, fail_image};
use coarray::prelude::*;

/// The sum of the squares of 0 to 9.
fn squares(doomed: bool) -> Result<usize, ImageFailed> {
    let mut sum = 0;
    for number in (this_image()..10).step_by(num_images()) {
        if doomed && number > 3 {
            fail_image();
        }
        sum += number * number;
    }
    try_co_sum(&mut sum)?;
    Ok(sum)
}

/// The work is done again, by fewer.
pub fn work_that_is_done_again_by_those_left() {
    let doomed = this_image() == 1;
    loop {
        let team = Team::form_survivors(1);
        if let Ok(Ok(sum)) = team.try_change(|| squares(doomed)) {
            assert_eq!((team.num_images(), sum), (num_images() - 1, 285));
            return;
        }
    }
}

/// Who waits for an event of an image that fails is told, and so are those who wait for the former.
pub fn waits_that_end_without_who_has_failed() {
    let came = Coarray::new(Coevent::new());
    match this_image() {
        0 => {
            let end = came.wait_timeout(std::time::Duration::MAX);
            assert_eq!(end.map_err(|failed| failed.images), Err(vec![1]));
            came.at(2).post();
        }
        1 => fail_image(),
        _ => {
            // The post comes, or it is known first that an image has failed.
            let end = came.wait_timeout(std::time::Duration::MAX);
            assert!(end.is_ok_and(|came| came) || image_status_is_failed());
        }
    }
}

fn image_status_is_failed() -> bool {
    coarray::failure::failed_images() == [1]
}
