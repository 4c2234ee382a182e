#!/usr/bin/env bash
# Builds the conformance suite with every fabric whose library is installed, and tries all clauses on all of them.
# Arguments are passed on: conformance/run.sh --help. The exit code is 0 only if all is as promised.
#
# MPICC names the compiler of the MPI library to use, as in MPICC=mpicc.mpich; default: mpicc. CONFORMANCE_CONFIG names a file with more
# configuration for cargo.
set -euo pipefail
cd "$(dirname "$0")/.."

has() { command -v "$1" >/dev/null 2>&1; }
libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] || ldconfig -p 2>/dev/null | grep -q libclang || compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' >/dev/null
}

features=simulated
mpicc=${MPICC:-mpicc}
if has "$mpicc" && libclang; then
    features+=,mpi
else
    echo "without mpi: it needs $mpicc and libclang, as in libopenmpi-dev and libclang-dev"
fi
if "$mpicc" -show 2>/dev/null | grep -qi mpich; then
    # Its launcher, and not that of another MPI. One program cannot have two of them, and Open MPI's comes with shmem.
    : "${CONFORMANCE_MPIRUN:=$(command -v mpiexec.hydra || command -v mpiexec.mpich || echo mpiexec)}"
    export CONFORMANCE_MPIRUN
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/mpich
    echo "without shmem: built with MPICH"
elif has shmemcc; then
    features+=,shmem
else
    echo "without shmem: it needs shmemcc, as in libopenmpi-dev"
fi

cargo build --release --quiet ${CONFORMANCE_CONFIG:+--config "$CONFORMANCE_CONFIG"} -p coarray-conformance --features "$features"
exec "${CARGO_TARGET_DIR:-target}/release/conform" "$@"
