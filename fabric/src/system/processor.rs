//! What the processor is.

use std::fs::File;
use std::io::Read;

/// Whether it is one of Intel's, as far as the kernel says so at the start of `/proc/cpuinfo`.
#[must_use]
pub fn is_intel() -> bool {
    let mut start = [0; 256];
    let read = File::open("/proc/cpuinfo").and_then(|mut file| file.read(&mut start));
    read.is_ok_and(|length| String::from_utf8_lossy(&start[..length]).contains("GenuineIntel"))
}
