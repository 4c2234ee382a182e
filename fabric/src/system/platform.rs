//! Where the library runs. Other systems are refused in words, for what else fails there says little.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "coarray runs on Linux only: its images share memory by memfd_create(2) and sleep by futex(2), which this system does \
     not have. Build it for a Linux target, such as x86_64-unknown-linux-gnu or aarch64-unknown-linux-gnu, and run it there, in a \
     container or in a virtual machine."
);

#[cfg(all(target_os = "linux", not(target_pointer_width = "64")))]
compile_error!(
    "coarray runs on 64-bit Linux only: each image reserves address space for the heaps of all images, and works on words of \
     64 bits in single instructions. Build it for a target such as x86_64-unknown-linux-gnu or aarch64-unknown-linux-gnu."
);
