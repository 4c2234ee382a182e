/* What the kernels share: arguments, how things are shared out, and what is printed at the end, in the words of the
   Parallel Research Kernels (https://github.com/ParRes/Kernels). */

#ifndef KERNEL_H
#define KERNEL_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

/* The argument with that index, or what it is by default if that is not negative. */
static inline long argument(int argc, char **argv, int index, const char *name, long least, long by_default) {
    long value = by_default;
    if (index < argc) {
        char *end;
        value = strtol(argv[index], &end, 10);
        if (end == argv[index] || *end != '\0' || value < least)
            value = -1;
    }
    if (value < 0) {
        if (rank == 0)
            fprintf(stderr, "%s must be a number, at least %ld\n", name, least);
        fail("the arguments are wrong");
    }
    if (rank == 0)
        printf("%s = %ld\n", name, value);
    return value;
}

static inline void title(const char *what) {
    if (rank == 0)
        printf("%s\nprocesses = %d\n", what, size);
}

/* Where the share of one of so many begins, the next one's being its end. */
static inline long share(long total, int parts, int part) {
    return (total * part + parts - 1) / parts;
}

static inline void *allocate(size_t bytes) {
    /* Whole cache lines, so that loops over two arrays are aligned alike. */
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    if (!memory)
        fail("out of memory");
    return memory;
}

static inline double start_clock(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

/* The time until all processes have come here. Where they outnumber cores, one may start when another has ended: only with
   the barrier does the first one's time cover everything. */
static inline double seconds_since(double start) {
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

/* Says on the first process how fast `work` was done in each of so many iterations; the slowest process counts. */
static inline void conclude(int is_right, double work, const char *unit, long iterations, double seconds) {
    double slowest;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    int all_right;
    MPI_Allreduce(&is_right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!all_right) {
        if (rank == 0)
            fail("the result is wrong");
        MPI_Barrier(MPI_COMM_WORLD);
    }
    double average = slowest / iterations;
    if (rank == 0)
        printf("Solution validates\nRate (%s): %.6f Avg time (s): %.9f\n", unit, work / average, average);
}

#endif
