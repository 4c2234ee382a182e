//! The stamp of an access: who, when, at which line, which bytes of a granule, and how.

/// How a place was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A put.
    Put = 1,
    /// A put of a word that follows a fence, so that others may poll it.
    Flag,
    /// An atomic operation that writes.
    AtomicWrite,
    /// One that follows a fence.
    AtomicFlag,
    /// A get.
    Get,
    /// An atomic load.
    AtomicRead,
}

/// Of several accesses, which are kept elsewhere.
const MANY: u64 = 7;

/// Bits from the top: unused 1, racy 1, time 26, image 8, site 16, bytes 8, kind 4.
const KIND_BITS: u32 = 4;
const MASK_AT: u32 = KIND_BITS;
const SITE_AT: u32 = MASK_AT + 8;
const IMAGE_AT: u32 = SITE_AT + 16;
const TIME_AT: u32 = IMAGE_AT + 8;
const TIME_BITS: u32 = 26;
const RACY: u64 = 1 << (TIME_AT + TIME_BITS);

/// The most images that are told apart.
pub(crate) const MAX_CHECKED: usize = 1 << 8;

/// The most lines.
pub(crate) const MAX_SITES: usize = 1 << 16;

/// The most releases of an image.
pub(crate) const MAX_TIME: u32 = (1 << TIME_BITS) - 1;

/// The stamp of an access to a granule of eight bytes; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(pub(crate) u64);

impl Stamp {
    pub(crate) const NONE: Self = Self(0);

    /// Stands for several stamps.
    pub(crate) const MANY: Self = Self(MANY);

    /// The stamp of an access to all bytes of a granule.
    #[inline(always)]
    pub(crate) fn new(image: usize, time: u32, site: u16, kind: Kind) -> Self {
        Self(
            u64::from(time) << TIME_AT
                | (image as u64) << IMAGE_AT
                | u64::from(site) << SITE_AT
                | 0xff << MASK_AT
                | kind as u64,
        )
    }

    /// The same for an access that may race, or may not.
    #[inline(always)]
    pub(crate) fn racy_if(self, is_racy: bool) -> Self {
        Self(self.0 & !RACY | if is_racy { RACY } else { 0 })
    }

    /// The same for these bytes.
    #[inline(always)]
    pub(crate) fn of_bytes(self, mask: u8) -> Self {
        Self(self.0 & !(0xff << MASK_AT) | u64::from(mask) << MASK_AT)
    }

    /// The same without these bytes; none if that leaves nothing.
    #[inline(always)]
    pub(crate) fn without(self, mask: u8) -> Self {
        match self.mask() & !mask {
            0 => Self::NONE,
            left => self.of_bytes(left),
        }
    }

    #[inline(always)]
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    pub(crate) fn is_many(self) -> bool {
        self.0 == MANY
    }

    #[inline(always)]
    pub(crate) fn mask(self) -> u8 {
        (self.0 >> MASK_AT) as u8
    }

    #[inline(always)]
    pub(crate) fn site(self) -> u16 {
        (self.0 >> SITE_AT) as u16
    }

    #[inline(always)]
    pub(crate) fn image(self) -> usize {
        (self.0 >> IMAGE_AT) as usize & (MAX_CHECKED - 1)
    }

    #[inline(always)]
    pub(crate) fn time(self) -> u32 {
        (self.0 >> TIME_AT) as u32 & MAX_TIME
    }

    #[inline(always)]
    pub(crate) fn is_racy(self) -> bool {
        self.0 & RACY != 0
    }

    #[inline(always)]
    pub(crate) fn kind(self) -> Kind {
        match self.0 & ((1 << KIND_BITS) - 1) {
            1 => Kind::Put,
            2 => Kind::Flag,
            3 => Kind::AtomicWrite,
            4 => Kind::AtomicFlag,
            5 => Kind::Get,
            _ => Kind::AtomicRead,
        }
    }

    #[inline(always)]
    pub(crate) fn is_write(self) -> bool {
        !matches!(self.kind(), Kind::Get | Kind::AtomicRead)
    }

    /// Whether it was put just after a fence: those who see it may learn what came before that.
    #[inline(always)]
    pub(crate) fn is_flag(self) -> bool {
        matches!(self.kind(), Kind::Flag | Kind::AtomicFlag)
    }

    #[inline(always)]
    pub(crate) fn is_atomic(self) -> bool {
        matches!(
            self.kind(),
            Kind::AtomicWrite | Kind::AtomicFlag | Kind::AtomicRead
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_comes_back() {
        let stamp = Stamp::new(255, MAX_TIME, 65535, Kind::Get).of_bytes(0x0f);
        let parts = (stamp.image(), stamp.time(), stamp.site(), stamp.mask());
        assert_eq!(parts, (255, MAX_TIME, 65535, 0x0f));
        assert!(!stamp.is_write() && !stamp.is_atomic() && !stamp.is_racy() && !stamp.is_many());
        assert_eq!(stamp.racy_if(true).kind(), Kind::Get);
        assert_eq!(stamp.without(0x03).mask(), 0x0c);
        assert!(stamp.without(0x0f).is_none());
        assert!(Stamp::new(0, 1, 0, Kind::AtomicRead).is_atomic());
    }
}
