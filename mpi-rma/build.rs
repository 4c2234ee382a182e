//! Compiles the constants of `mpi.h` that rsmpi does not name, with the compiler that rsmpi uses.

fn main() {
    println!("cargo:rerun-if-changed=src/constants.c");
    println!("cargo:rerun-if-env-changed=MPICC");
    let library = match build_probe_mpi::probe() {
        Ok(library) => library,
        Err(causes) => {
            for cause in causes {
                println!("cargo:warning={cause}");
            }
            panic!("no MPI library found: install one, or set MPICC to its compiler");
        }
    };
    let mut build = cc::Build::new();
    match library.mpicc {
        Some(compiler) => build.compiler(compiler),
        None => build.includes(&library.include_paths),
    };
    build.file("src/constants.c").compile("mpi_rma_constants");
}
