/* The random numbers of Random of the Parallel Research Kernels: several parts of one sequence, divided among the
   processes, which go through theirs a number of each at a time. */

#ifndef SEQUENCES_H
#define SEQUENCES_H

#include "table.h"

static const uint64_t SEED = 834568137686317453u;

static long updates, sequences, of_this_process;
static uint64_t *numbers;

static void arguments(int argc, char **argv) {
    log2_size = (int)argument(argc, argv, 1, "log2 of table size", 1, -1);
    long ratio = argument(argc, argv, 2, "update ratio", 1, -1);
    sequences = argument(argc, argv, 3, "vector length", size, -1);
    updates = ratio << log2_size;
    if ((1L << log2_size) < size || updates % (2 * sequences) != 0)
        fail("the updates cannot be divided among two passes of the sequences");
    of_this_process = share(sequences, size, rank + 1) - share(sequences, size, rank);
    numbers = allocate((size_t)of_this_process * sizeof *numbers);
}

static void start_sequences(void) {
    for (long i = 0; i < of_this_process; i++)
        numbers[i] = random_at(SEED + (uint64_t)((share(sequences, size, rank) + i) * (updates / sequences)));
}

/* How often each sequence goes on in a pass. */
static long steps(void) {
    return updates / sequences / 2;
}

#endif
