//! The memory that a program needs, compared with the available memory: one line instead of an abort or a kill.

use std::fmt::Display;

use coarray::prelude::*;

use crate::command_line::refuse;

/// Collective. Ends the job in one line if a machine has less memory than its images need together: at least `bytes` on
/// this image, for what is `wanted`. To be called before any of this is allocated.
pub fn afford(wanted: impl Display, bytes: usize) {
    // Read before the collective `Coarray::new`: after it other images may begin to allocate.
    let available = coarray::machine::available_memory();
    let needs = Coarray::new(Coatomic::new(bytes));
    let here = (0..num_images())
        .map(|image| needs.at(image))
        .filter(|need| need.is_direct());
    let needed = here.map(|need| need.load()).fold(0, usize::saturating_add);
    if let Some(available) = available
        && needed > available
    {
        let gibibytes = |bytes: usize| bytes as f64 / f64::from(1 << 30);
        refuse(format_args!(
            "{wanted} takes {:.1} GiB of memory on this machine at least, and {:.1} GiB are available",
            gibibytes(needed),
            gibibytes(available)
        ));
    }
}
