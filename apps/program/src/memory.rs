//! What a program is about to allocate, compared with what there is: one line instead of an abort, or of a kill half-way.

use std::fmt::Display;

use coarray::prelude::*;

use crate::command_line::refuse;

/// Collective. Refuses, on behalf of the program's user, to go on if the images of a machine have less memory than they need
/// together: `bytes` on this image, at least, because of what is `wanted`. To be called before any of it is allocated.
pub fn afford(wanted: impl Display, bytes: usize) {
    // Looked up before the images meet, after which others may begin to use it.
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
