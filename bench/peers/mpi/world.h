/* What batches.h wants of a program with MPI. */

#ifndef WORLD_H
#define WORLD_H

#include "../batches.h"
#include "process.h"

static void batches_barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

static void batches_merge(int64_t *starts, int64_t *ends, int batches) {
    MPI_Allreduce(MPI_IN_PLACE, starts, batches, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, ends, batches, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
}

/* Prints the name and version of the library. */
static void print_title(void) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    if (rank == 0)
        printf("# %.*s\n", (int)strcspn(library, ",\n"), library);
}

#endif
