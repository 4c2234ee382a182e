//! The kinds of exchanges, as codes that images compare: a sender and a receiver must be in the same kind.

use super::halo::{Exchange, Halo};

/// Which cells an exchange of an array moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellSet<const D: usize> {
    faces_only: bool,
    pub(super) width: Halo<D>,
}

/// Bits of a width in a code, if all widths are so small.
const BITS: u32 = 7;

/// Set in codes that can be read.
const READABLE: u64 = 1 << 63;

/// Set in readable codes of faces only.
const FACES: u64 = 1 << 62;

impl<const D: usize> CellSet<D> {
    /// The kind of `exchange` in an array with this halo.
    ///
    /// # Panics
    /// If it is wider.
    #[track_caller]
    pub(super) fn of(exchange: &Exchange<D>, halo: &Halo<D>) -> Self {
        Self {
            faces_only: exchange.is_faces_only(),
            width: exchange.width_in(halo),
        }
    }

    /// Whether cells move in this direction.
    pub(super) fn includes(&self, way: [isize; D]) -> bool {
        let steps = way.iter().filter(|&&step| step != 0).count();
        let has_width = |axis: usize| match way[axis] {
            0 => true,
            1 => self.width.lower[axis] > 0,
            _ => self.width.upper[axis] > 0,
        };
        steps > 0 && (steps == 1 || !self.faces_only) && (0..D).all(has_width)
    }

    fn widths(&self) -> impl Iterator<Item = usize> {
        self.width.lower.into_iter().chain(self.width.upper)
    }

    /// A number for it, never 0; different for different kinds, unless halos are very wide.
    pub(super) fn code(&self) -> u64 {
        if 2 * D * BITS as usize <= 62 && self.widths().all(|width| width >> BITS == 0) {
            let widths = self
                .widths()
                .fold(0, |code, width| code << BITS | width as u64);
            return READABLE | if self.faces_only { FACES } else { 0 } | widths;
        }
        let mix = |code: u64, width| (code ^ width as u64).wrapping_mul(0x0000_0100_0000_01b3);
        let code = self.widths().fold(0xcbf2_9ce4_8422_2325, mix);
        (mix(code, usize::from(self.faces_only)) & !READABLE).max(1)
    }

    /// Describes the kind with a code, of an array with `D` dimensions.
    pub(super) fn describe(code: u64) -> String {
        if code & READABLE == 0 {
            return "another part of a wide halo".into();
        }
        let what = if code & FACES == 0 {
            "all"
        } else {
            "the faces"
        };
        let width = |place: usize| code >> (BITS as usize * place) & ((1 << BITS) - 1);
        let lower: [u64; D] = std::array::from_fn(|axis| width(2 * D - 1 - axis));
        let upper: [u64; D] = std::array::from_fn(|axis| width(D - 1 - axis));
        format!("{what} of a halo with lower widths {lower:?} and upper widths {upper:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_tell_kinds_apart_and_can_be_read() {
        let halo = Halo::from([(5, 6), (300, 7), (8, 9)]);
        let kind = |exchange: Exchange<3>| CellSet::of(&exchange, &halo);
        let narrow = Exchange::faces().width([(1, 2), (3, 4), (5, 0)]);
        assert_eq!(
            CellSet::<3>::describe(kind(narrow).code()),
            "the faces of a halo with lower widths [1, 3, 5] and upper widths [2, 4, 0]"
        );
        let kinds = [
            Exchange::all(),
            Exchange::faces(),
            narrow,
            Exchange::all().width([(1, 2), (3, 4), (5, 0)]),
            Exchange::all().width([(2, 1), (3, 4), (5, 0)]),
        ];
        let codes = kinds.map(|exchange| kind(exchange).code());
        for (index, code) in codes.iter().enumerate() {
            assert!(*code != 0 && !codes[..index].contains(code));
        }
        assert_eq!(
            CellSet::<3>::describe(codes[0]),
            "another part of a wide halo"
        );
    }
}
