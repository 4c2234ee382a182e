//! Coarrays that move into their guards.

use std::ops::Range;

use coarray::places::{Publishable, ReadOnly};
use coarray::prelude::*;

use super::{Lease, Object};
use crate::ledger::How;
use crate::view::{Lent, View};

/// Gone once the guard was leaked or unwound.
pub struct Moved<C>(pub Option<C>);

impl<C> Object for Moved<C>
where
    C: Object + Openable + Publishable,
    for<'a> &'a <C as Openable>::Guard<'static>: Parts<Part = &'a Coref<[u64]>>,
    for<'a> &'a <C as Publishable>::Guard<'static>: Parts<Part = &'a Coref<[u64], ReadOnly>>,
{
    fn look(&self) -> Vec<u64> {
        self.0.as_ref().expect("its guard was leaked").look()
    }

    fn span(&self) -> Range<usize> {
        self.0.as_ref().map_or(0..0, Object::span)
    }

    fn write(&mut self, word: &mut dyn FnMut(usize) -> u64) {
        self.0.iter_mut().for_each(|coarray| coarray.write(word));
    }

    fn lend(&mut self, lease: &Lease<'_>, body: &mut dyn FnMut(&dyn Lent)) -> bool {
        let Some(coarray) = self.0.take() else {
            return false;
        };
        let whose = (lease.context, lease.id, lease.how, lease.images);
        match lease.how {
            How::Open => match coarray.try_into_open() {
                Ok(guard) => {
                    let at = |image| (&guard).part(image);
                    body(&View::new(whose, &at, &|_| None));
                    self.0 = lease.finish_by(guard, |guard| guard.close());
                }
                Err((coarray, _)) => {
                    self.0 = Some(coarray);
                    return false;
                }
            },
            How::Published => {
                let guard = coarray.into_published();
                let at = |image| (&guard).part(image);
                body(&View::new(whose, &at, &|_| None));
                self.0 = lease.finish_by(guard, |guard| guard.close());
            }
        }
        self.0.is_some()
    }
}
