//! The tuning table, for all images of a node.

use crate::lockfree::eventcount::Eventcount;
use coarray_fabric::system::fixed_str::FixedStr;

/// Most bytes of a table.
const MOST: usize = 1 << 14;

/// The table, in the memory of the job.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct TableRecord {
    /// 1 once the text is there.
    pub(crate) ready: Eventcount,
    pub(crate) text: FixedStr<MOST>,
}

impl TableRecord {
    /// The longest table, in bytes.
    pub(crate) const MOST: usize = MOST;
}
