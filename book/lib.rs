//! The modules that the book's programs share, and all listings of its chapters as tests.
//!
//! The book builds one program, a cyclic cellular automaton. [`cyclic`] is its rule, [`picture`] draws it. Each chapter
//! in `src/` is also the documentation of a module here, so `cargo test -p coarray-book --doc` compiles and runs its
//! listings; whole programs are in `programs/`, and `tests/programs.rs` starts them as their readers do.

#![deny(missing_docs)]

pub mod cyclic;
pub mod picture;

macro_rules! chapters {
    ($($name:ident)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("src/", stringify!($name), ".md"))]
            mod $name {}
        )*
    };
}

chapters! {
    why
    hello
    local
    one_sided
    shapes
    regions
    memory_model
    events
    atomics
    collectives
    teams
    futures
    irregular
    grids
    files
    failure
    debugging
    races
    schedules
    profiling
    performance
    cluster
    coming_from
    coming_from_dash
    glossary
    internals
    errors
}

#[cfg(doctest)]
#[doc = include_str!("../macros/README.md")]
mod macros {}
