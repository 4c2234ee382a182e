//! Random calls, one after the other.

use coarray_proptests::{Particle, config};
use proptest::prelude::*;

use crate::division::Division;
use crate::subject::{Case, Check};
use crate::values::{Colour, Element, Maps};

/// A call for any number of images.
#[derive(Clone, Copy, Debug)]
pub struct RawCall {
    element: u8,
    subject: usize,
    algorithm: usize,
    length: usize,
    root: usize,
    seed: u64,
}

/// A call, and the number of the algorithm.
pub struct Call {
    case: Box<dyn Check>,
    algorithm: usize,
}

impl RawCall {
    /// Any call, mostly on few elements.
    pub fn any() -> impl Strategy<Value = Self> {
        let length = prop_oneof![
            8 => 0usize..40,
            4 => 200usize..2000,
            1 => 2000usize..20_000,
        ];
        let choices = (0u8..9, 0usize..1000, 0usize..1000, 0usize..1000);
        (choices, length, any::<u64>()).prop_map(
            |((element, subject, algorithm, root), length, seed)| Self {
                element,
                subject,
                algorithm,
                length,
                root,
                seed,
            },
        )
    }

    /// The call by so many images.
    pub fn by(self, images: usize) -> Call {
        let case = match self.element {
            0 => self.on::<u8>(images),
            1 => self.on::<i32>(images),
            2 => self.on::<u64>(images),
            3 => self.on::<f32>(images),
            4 => self.on::<f64>(images),
            5 => self.on::<bool>(images),
            6 => self.on::<Colour>(images),
            7 => self.on::<Particle>(images),
            _ => self.on::<Maps>(images),
        };
        Call {
            case,
            algorithm: self.algorithm,
        }
    }

    fn on<T: Element>(self, images: usize) -> Box<dyn Check> {
        let all = T::subjects();
        let subject = all[self.subject % all.len()];
        let parts = if subject.is_dealt { images } else { 1 };
        let length = if self.length > 40 {
            self.length / parts
        } else {
            self.length
        };
        Box::new(Case::new(
            subject,
            images,
            length,
            self.root % images,
            self.seed,
        ))
    }
}

impl Call {
    /// Collective. Makes the call, and compares what comes out.
    pub fn check(&self) {
        self.case.check_one(self.algorithm);
    }

    /// Collective. Begins the operation; what is returned completes it, and compares what comes out.
    pub fn begin(&self) -> Box<dyn FnOnce() + '_> {
        self.case.begin()
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn any_calls_follow_each_other(
        division in Division::any(1),
        calls in prop::collection::vec(RawCall::any(), 1..30),
    ) {
        let calls: Vec<Call> = calls.into_iter().map(|call| call.by(division.images)).collect();
        let outcome = division.launch().run(|| calls.iter().for_each(Call::check));
        prop_assert!(outcome.is_ok(), "{:?}", outcome.err());
    }
}
