/* What mpi.h may define as macros, for Rust to link to. */
#include <mpi.h>

const MPI_Op MPI_RMA_REPLACE = MPI_REPLACE;
const MPI_Op MPI_RMA_NO_OP = MPI_NO_OP;

const int MPI_RMA_MODE_NOCHECK = MPI_MODE_NOCHECK;
const int MPI_RMA_WIN_MODEL = MPI_WIN_MODEL;
const int MPI_RMA_WIN_UNIFIED = MPI_WIN_UNIFIED;
const int MPI_RMA_MAX_ERROR_STRING = MPI_MAX_ERROR_STRING;
