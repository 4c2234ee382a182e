//! Events count posts: a wait takes any of them.

use coarray::prelude::*;

use crate::program::Version;

pub fn post_of_another_image_taken_for_this_one(version: Version) {
    let came = Coarray::new(Coevent::new());
    let mut parts = Coarray::<[usize; 3]>::zeroed();
    let parts = parts.open();
    let me = this_image();
    if me > 0 {
        parts.at(0)[me].put(me);
        came.at(0).post();
    } else {
        // The part of image 1 is wanted.
        match version {
            Version::Wrong => came.wait(),
            Version::Right => came.wait_for(2),
        }
        assert_eq!(parts.here()[1].get(), 1);
    }
}

pub fn rounds_that_share_an_event(version: Version) {
    const ROUNDS: usize = 2;
    let came = Coarray::<[Coevent; 3]>::from_fn(|_| Coevent::new());
    let mut parts = Coarray::<[[usize; 3]; ROUNDS]>::zeroed();
    let parts = parts.open();
    let me = this_image();
    for round in 0..ROUNDS {
        if me > 0 {
            parts.at(0)[round][me].put(me + 1);
            match version {
                Version::Wrong => came.at(0)[0].post(),
                Version::Right => came.at(0)[me].post(),
            }
            continue;
        }
        match version {
            Version::Wrong => came[0].wait_for(2),
            Version::Right => came[1..].iter().for_each(Coevent::wait),
        }
        assert_eq!(parts.here()[round].get(), [0, 2, 3]);
    }
}
