/* A table of 2^LOG2SIZE words for RandomAccess, of which each process has a run. */

#ifndef TABLE_H
#define TABLE_H

#include "../lfsr.h"
#include "kernel.h"

static int log2_size;
static uint64_t *table;
/* The index of this process's first word. */
static long first_own;

static uint64_t index_of(uint64_t random) {
    return random & (((uint64_t)1 << log2_size) - 1);
}

/* As `share` divides the table. */
static int owner_of(uint64_t index) {
    return (int)(index * (uint64_t)size >> log2_size);
}

static long first_word(int process) {
    return share(1L << log2_size, size, process);
}

static void fill(void) {
    first_own = first_word(rank);
    for (long i = 0; i < first_word(rank + 1) - first_own; i++)
        table[i] = (uint64_t)(first_own + i);
}

/* Whether at most so many of all words are not their index. */
static int is_right(double tolerated) {
    double wrong = 0, total;
    for (long i = 0; i < first_word(rank + 1) - first_own; i++)
        wrong += table[i] != (uint64_t)(first_own + i);
    MPI_Allreduce(&wrong, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total <= tolerated;
}

#endif
