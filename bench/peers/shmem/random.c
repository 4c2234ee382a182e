/* Random of the Parallel Research Kernels: updates of a table at random places, with numbers of several sequences in turn.
   A second pass undoes what the first has done.

   usage: random LOG2SIZE UPDATE_RATIO VECTOR_LENGTH

   The updates are atomic, so that none may be lost; that is also faster than a get and a put. */

#include "table.h"

static const int64_t SEED = 834568137686317453;

int main(int argc, char **argv) {
    int64_t bits = argument(argc, argv, 1, "LOG2SIZE", 1, -1);
    int64_t ratio = argument(argc, argv, 2, "UPDATE_RATIO", 1, -1);
    int64_t sequences = argument(argc, argv, 3, "VECTOR_LENGTH", 1, -1);
    begin(sizeof(word) << bits);
    need(1, "words", (int64_t)1 << bits);
    need(1, "sequences", sequences);
    describe("Random", "LOG2SIZE", bits);
    describe(NULL, "UPDATE_RATIO", ratio);
    describe(NULL, "VECTOR_LENGTH", sequences);
    int64_t updates = ratio << bits;
    if (updates % (2 * sequences))
        fail("the updates cannot be divided among two passes of so many sequences");

    new_table((int)bits);
    int64_t first = share(sequences, me), mine = share(sequences, me + 1) - first;
    word *numbers = private(mine * sizeof *numbers);
    double start = clock_start();
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < mine; i++)
            numbers[i] = random_at(SEED + updates / sequences * (first + i));
        for (int64_t k = 0; k < updates / sequences / 2; k++)
            for (int64_t i = 0; i < mine; i++) {
                numbers[i] = next_random(numbers[i]);
                update(numbers[i]);
            }
        /* Nothing is undone before it is done. */
        shmem_barrier_all();
    }
    double seconds = clock_end(start);
    conclude("the number of wrong words", table_errors(), 0, 0, updates * 1e-9, "GUPS/s", 1, seconds);
}
