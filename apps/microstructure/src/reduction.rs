//! Four ways to add up one number of every image, as compared in section 7 of the paper on CGPACK.
//!
//! A. Shterenlikht, *Fortran coarray library for 3D cellular automata microstructure simulation*, PGAS 2013. Images
//! count from 0 here, and divide and conquer works with any number of them.

use std::fmt;

use coarray::asynchronous::{Cofuture, co_sum_async};
use coarray::prelude::*;

/// A way to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Image 0 reads the numbers of all others.
    ReadAll,
    /// One image after the other adds its number to the sum on image 0.
    Serial,
    /// Pairs of images add, then pairs of pairs, and so on.
    Divide,
    /// The collective operation of the library.
    CoSum,
}

impl Reduction {
    /// All ways.
    pub const ALL: [Self; 4] = [Self::ReadAll, Self::Serial, Self::Divide, Self::CoSum];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadAll => "read-all",
            Self::Serial => "serial",
            Self::Divide => "divide",
            Self::CoSum => "co-sum",
        }
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The hand-made reductions keep two numbers on every image, used in turn.
///
/// An image may write one number while another still reads the other, so one barrier at the end of a
/// reduction is enough: no image begins the next reduction but one before all have left this one.
pub type Places = [u64; 2];

/// Adds up numbers of all images, in one way.
#[derive(Debug)]
pub struct Adder<'a> {
    how: Reduction,
    places: &'a Open<'a, Places>,
    turn: usize,
}

impl<'a> Adder<'a> {
    /// Collective. Begins with a barrier: no image still reads the places for an earlier adder.
    pub fn new(how: Reduction, places: &'a Open<'_, Places>) -> Self {
        sync_all();
        Self {
            how,
            places,
            turn: 0,
        }
    }

    /// Collective. The sum of the numbers of all images.
    pub fn sum(&mut self, mine: u64) -> u64 {
        match self.how {
            Reduction::ReadAll => self.read_all(mine),
            Reduction::Serial => self.serial(mine),
            Reduction::Divide => self.divide(mine),
            Reduction::CoSum => {
                let mut sum = mine;
                co_sum(&mut sum);
                sum
            }
        }
    }

    /// Collective. Begins to add; [`Sum::wait`] returns the sum. Only `CoSum` goes on while images compute; the other
    /// ways are complete on return.
    pub fn begin(&mut self, mine: u64) -> Sum {
        match self.how {
            Reduction::CoSum => Sum::Coming(co_sum_async(mine)),
            _ => Sum::Known(self.sum(mine)),
        }
    }

    fn read_all(&mut self, mine: u64) -> u64 {
        let turn = self.next();
        self.places.here()[turn].put(mine);
        sync_all();
        if this_image() == 0 {
            let all = (0..num_images()).map(|image| self.places.at(image)[turn].get());
            let sum = all.sum();
            self.places.here()[turn].put(sum);
        }
        self.total(turn)
    }

    fn serial(&mut self, mine: u64) -> u64 {
        let turn = self.next();
        if this_image() == 0 {
            self.places.here()[turn].put(mine);
            for image in 1..num_images() {
                sync_images(&[image]);
                // In between that image adds its number.
                sync_images(&[image]);
            }
        } else {
            sync_images(&[0]);
            let at = self.places.at(0);
            let sum = at[turn].get() + mine;
            at[turn].put(sum);
            sync_images(&[0]);
        }
        self.total(turn)
    }

    fn divide(&mut self, mine: u64) -> u64 {
        let turn = self.next();
        let (me, images) = (this_image(), num_images());
        let mut sum = mine;
        let mut step = 1;
        while step < images {
            if me % (2 * step) == step {
                self.places.here()[turn].put(sum);
                sync_images(&[me - step]);
                break;
            }
            if me + step < images {
                sync_images(&[me + step]);
                sum += self.places.at(me + step)[turn].get();
            }
            step *= 2;
        }
        if me == 0 {
            self.places.here()[turn].put(sum);
        }
        self.total(turn)
    }

    fn next(&mut self) -> usize {
        self.turn = 1 - self.turn;
        self.turn
    }

    /// Collective. Waits for image 0, which has the sum.
    fn total(&self, turn: usize) -> u64 {
        sync_all();
        self.places.at(0)[turn].get()
    }
}

/// The sum of the numbers of all images, now or later.
#[derive(Debug)]
pub enum Sum {
    /// The sum is known.
    Known(u64),
    /// The sum is being computed.
    Coming(Cofuture<'static, u64>),
}

impl Sum {
    /// Waits until all images have begun to add.
    pub fn wait(self) -> u64 {
        match self {
            Self::Known(sum) => sum,
            Self::Coming(sum) => sum.wait(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_agree_time_after_time() {
        for images in [1, 2, 3, 4, 5, 7, 8] {
            coarray::run(images, || {
                let mut places = Coarray::<Places>::zeroed();
                let places = places.open();
                for how in Reduction::ALL {
                    let mut adder = Adder::new(how, &places);
                    for round in 0..200 {
                        let of = |image: usize| round * 1000 + (image * image + 1) as u64;
                        let expected: u64 = (0..num_images()).map(of).sum();
                        let sum = adder.sum(of(this_image()));
                        assert_eq!(sum, expected, "{how}, {images} images");
                        let later = adder.begin(of(this_image()));
                        assert_eq!(later.wait(), expected, "{how}, {images} images");
                    }
                }
            });
        }
    }
}
