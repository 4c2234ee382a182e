/* Transpose of the Parallel Research Kernels: blocks are packed, put into the partners' windows, and added there.

   usage: mpirun -n N transpose ITERATIONS ORDER [TILE] */

#include "../mpi/blocks.h"
#include "window.h"

static double *outgoing;
/* How many values the largest block has on any process. */
static long largest;

/* Where a process's block arrives in a window. It may be one iteration ahead, so that even and odd ones have places of their
   own. */
static long place(int process, long iteration) {
    return DATA + (2L * process + iteration % 2) * largest;
}

static void transpose(long iteration) {
    uint64_t number = (uint64_t)iteration + 1;
    for (int phase = 1; phase < size; phase++) {
        int to = (rank + size - phase) % size;
        pack(to, outgoing);
        MPI_Put(outgoing, (int)block_of(to), MPI_DOUBLE, to, place(rank, iteration), (int)block_of(to), MPI_DOUBLE,
                window);
        MPI_Win_flush(to, window);
        set_signal(to, rank, &number);
    }
    add_own_block();
    for (int phase = 1; phase < size; phase++) {
        int from = (rank + phase) % size;
        await_signal(from, number);
        add_block(from, (double *)&words[place(from, iteration)]);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI RMA transpose: B += A^T, A += 1");
    long iterations = arguments(argc, argv);
    if (size > SIGNALS)
        fail("there are more processes than signals");
    fill();
    largest = columns_of(0) * columns_of(0);
    open_window((size_t)(2 * size * largest));
    outgoing = allocate((size_t)largest * sizeof *outgoing);
    double seconds = run(iterations, transpose);
    conclude(is_right(iterations), work(), "MB/s", iterations, seconds);
    close_window();
    free(outgoing);
    free(a);
    free(b);
    MPI_Finalize();
    return 0;
}
