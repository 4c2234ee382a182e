/* Random of the Parallel Research Kernels: words are read, updated and written wherever they are. A second pass undoes
   the first one, but for updates that are lost when two processes want the same word.

   usage: mpirun -n N random LOG2SIZE UPDATE_RATIO VECTOR_LENGTH */

#include "../mpi/sequences.h"
#include "updates.h"

static void pass(void) {
    start_sequences();
    for (long step = 0; step < steps(); step++)
        for (long i = 0; i < of_this_process; i++)
            update(numbers[i] = next_random(numbers[i]));
    finish_updates();
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI RMA random: updates of a table at random");
    arguments(argc, argv);
    open_table(MAX_LOOK_AHEAD);
    double start = start_clock();
    pass();
    pass();
    double seconds = seconds_since(start);
    MPI_Win_sync(window);
    conclude(is_right(0.01 * (double)(1L << log2_size)), 1e-9 * (double)updates, "GUPS/s", 1, seconds);
    close_table();
    free(numbers);
    MPI_Finalize();
    return 0;
}
