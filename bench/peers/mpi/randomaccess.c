/* RandomAccess of the HPC Challenge: numbers travel to those who own the words that they update. The same updates,
   not timed, undo them.

   usage: mpirun -n N randomaccess LOG2SIZE */

#include "buckets.h"

static void pass(long updates) {
    long first = share(updates, size, rank), end = share(updates, size, rank + 1);
    uint64_t number = random_at((uint64_t)first);
    begin_pass();
    for (long i = first; i < end; i++)
        collect(number = next_random(number));
    end_pass();
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI randomaccess: updates of a table at random");
    log2_size = (int)argument(argc, argv, 1, "log2 of table size", 1, -1);
    if ((1L << log2_size) < size)
        fail("the table has less words than there are processes");
    long updates = 4L << log2_size;
    table = allocate((size_t)(first_word(rank + 1) - first_word(rank)) * sizeof *table);
    fill();
    prepare_buckets();
    double start = start_clock();
    pass(updates);
    double seconds = seconds_since(start);
    pass(updates);
    conclude(is_right(0.01 * (double)(1L << log2_size)), 1e-9 * (double)updates, "GUPS/s", 1, seconds);
    free(buckets);
    free(table);
    MPI_Finalize();
    return 0;
}
