/* Which process of how many this is, and how all end when one has failed. */

#ifndef PROCESS_H
#define PROCESS_H

#include <mpi.h>
#include <stdio.h>

static int rank, size;

static inline void begin(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static inline void fail(const char *what) {
    fprintf(stderr, "ERROR: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#endif
