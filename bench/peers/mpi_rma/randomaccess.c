/* RandomAccess of the HPC Challenge: words are read, updated and written wherever they are. Afterwards, and not timed,
   atomic updates undo them, but for those that were lost when two processes wanted the same word.

   usage: mpirun -n N randomaccess LOG2SIZE */

#include "updates.h"

/* Numbers that follow one another in the sequence are alike, so that more would have too many words in common. */
enum { LOOK_AHEAD = 8 };

static long first, end;

static void pass(void) {
    uint64_t number = random_at((uint64_t)first);
    for (long i = first; i < end; i++)
        update(number = next_random(number));
    finish_updates();
}

static void undo(void) {
    uint64_t number = random_at((uint64_t)first);
    for (long i = first; i < end; i++)
        update_atomically(number = next_random(number));
    finish();
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI RMA randomaccess: updates of a table at random");
    log2_size = (int)argument(argc, argv, 1, "log2 of table size", 1, -1);
    if ((1L << log2_size) < size)
        fail("the table has less words than there are processes");
    long updates = 4L << log2_size;
    first = share(updates, size, rank);
    end = share(updates, size, rank + 1);
    open_table(LOOK_AHEAD);
    double start = start_clock();
    pass();
    double seconds = seconds_since(start);
    undo();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    conclude(is_right(0.01 * (double)(1L << log2_size)), 1e-9 * (double)updates, "GUPS/s", 1, seconds);
    close_table();
    MPI_Finalize();
    return 0;
}
