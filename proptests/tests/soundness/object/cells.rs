//! Halo arrays.

use std::ops::Range;
use std::task::Waker;

use coarray::grid::{Exchanging, HaloArray};
use coarray::ndarray::{Array, Dim, Dimension};

use super::{Lease, Object};
use crate::program::{Access, Fate};
use crate::view::Lent;

impl<const D: usize> Object for HaloArray<u64, D>
where
    Dim<[usize; D]>: Dimension,
{
    fn look(&self) -> Vec<u64> {
        self.local().iter().copied().collect()
    }

    fn span(&self) -> Range<usize> {
        let local = self.local();
        let addresses = local.iter().map(|cell| (&raw const *cell).addr());
        let first = addresses.clone().min().unwrap_or_default();
        first
            ..addresses
                .max()
                .map_or(first, |last| last + size_of::<u64>())
    }

    fn write(&mut self, word: &mut dyn FnMut(usize) -> u64) {
        for (index, cell) in self.local_mut().iter_mut().enumerate() {
            *cell = word(index);
        }
    }

    fn lend(&mut self, lease: &Lease<'_>, body: &mut dyn FnMut(&dyn Lent)) -> bool {
        let guard = self.exchange_start();
        body(&Interior(&guard));
        lease.finish(guard)
    }

    fn is_halo(&self) -> bool {
        true
    }

    fn global(&mut self, root: usize, which: usize, word: &mut dyn FnMut() -> u64) -> Vec<u64> {
        let cells = |array: Option<Array<u64, Dim<[usize; D]>>>| {
            array.map_or(Vec::new(), |array| array.iter().copied().collect())
        };
        let shape = self.blocks().shape();
        match which {
            0 => cells(self.gather_global(root)),
            1 => cells(self.gather_slice(root, shape.map(|cells| cells / 3..cells))),
            _ => {
                let mut extents = Dim::<[usize; D]>::zeros(D);
                (0..D).for_each(|axis| extents[axis] = shape[axis]);
                // All have one, and the root's is taken.
                let whole = Array::from_shape_simple_fn(extents, word);
                let _ = self.scatter_global(root, Some(whole.view()));
                Vec::new()
            }
        }
    }
}

/// The cells that are the image's own while their neighbours arrive.
struct Interior<'g, const D: usize>(&'g Exchanging<'g, u64, D>);

impl<const D: usize> Lent for Interior<'_, D>
where
    Dim<[usize; D]>: Dimension,
{
    fn watched(&self) -> Vec<u64> {
        self.0.interior().iter().copied().collect()
    }

    fn access(&self, _image: usize, _index: usize, _access: Access) {}

    fn burst(&self, _image: usize, _count: usize, _waker: Option<&Waker>) {}

    fn settle(&self, _fate: Fate) {}

    fn scope(&self, _image: usize, body: &mut dyn FnMut()) {
        body();
    }
}
