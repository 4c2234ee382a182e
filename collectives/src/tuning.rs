//! The algorithms of collectives, and the tuning table: which algorithm a call uses if it does not choose.

mod algorithm;
mod built_in;
mod table;
mod table_text;

use coarray_runtime::{MAX_ALGORITHMS, Tuning};

pub use algorithm::{Algorithm, Kind};
pub(crate) use table::chosen;
pub use table::{TuningError, TuningTable};

const _: () = assert!(Algorithm::ALL.len() <= MAX_ALGORITHMS);

/// How images read tuning tables. The launcher hands it to the runtime, which knows algorithms by their numbers only.
///
/// # Examples
/// ```
/// use coarray_collectives::TUNING;
///
/// let rules = (TUNING.read)("sync_all = [[0, 0, 'tree']]").unwrap();
/// assert_eq!(rules.barrier(5), Some(coarray_collectives::Barrier::Tree));
/// assert_eq!((TUNING.name)(0), Some("flat"));
/// ```
pub static TUNING: Tuning = Tuning {
    read: |text| match TuningTable::parse(text) {
        Ok(table) => Ok(table.rules()),
        Err(error) => Err(error.to_string()),
    },
    name: |number| {
        let algorithm = Algorithm::ALL.get(usize::try_from(number).ok()?)?;
        Some(algorithm.name())
    },
};
