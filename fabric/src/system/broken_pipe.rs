//! What becomes of a program for the command line whose output nobody reads any more.

/// Lets the system end this process, without a word, when it prints and nobody reads that any more, as in `cobench --help | head`. So do the tools of
/// Unix; programs of Rust ignore the signal, and their `println!` panics.
///
/// For programs that print what they find. The output of images is passed on by their supervisor, which sees to that itself.
pub fn end_when_unread() {
    // SAFETY: any number of a signal may be given, and this one has a default action. That is no function, so none of this program runs in
    // the middle of another.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}
