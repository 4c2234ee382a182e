/* Random of the Parallel Research Kernels: numbers travel to those who own the words that they update. A second pass
   undoes the first one.

   usage: mpirun -n N random LOG2SIZE UPDATE_RATIO VECTOR_LENGTH */

#include "buckets.h"
#include "sequences.h"

static void pass(void) {
    start_sequences();
    begin_pass();
    for (long step = 0; step < steps(); step++)
        for (long i = 0; i < of_this_process; i++)
            collect(numbers[i] = next_random(numbers[i]));
    end_pass();
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI random: updates of a table at random");
    arguments(argc, argv);
    table = allocate((size_t)(first_word(rank + 1) - first_word(rank)) * sizeof *table);
    fill();
    prepare_buckets();
    double start = start_clock();
    pass();
    pass();
    double seconds = seconds_since(start);
    conclude(is_right(0), 1e-9 * (double)updates, "GUPS/s", 1, seconds);
    free(buckets);
    free(numbers);
    free(table);
    MPI_Finalize();
    return 0;
}
