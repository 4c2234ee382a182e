/* Transpose of the Parallel Research Kernels: blocks are packed, sent and added, one partner after the other.

   usage: mpirun -n N transpose ITERATIONS ORDER [TILE] */

#include "blocks.h"

static double *outgoing, *incoming;

static void transpose(long iteration) {
    (void)iteration;
    add_own_block();
    for (int phase = 1; phase < size; phase++) {
        int to = (rank + size - phase) % size, from = (rank + phase) % size;
        MPI_Request requests[2];
        MPI_Irecv(incoming, (int)block_of(from), MPI_DOUBLE, from, phase, MPI_COMM_WORLD, &requests[0]);
        pack(to, outgoing);
        MPI_Isend(outgoing, (int)block_of(to), MPI_DOUBLE, to, phase, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        add_block(from, incoming);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI transpose: B += A^T, A += 1");
    long iterations = arguments(argc, argv);
    fill();
    size_t largest = (size_t)(columns_of(0) * columns_of(0)) * sizeof(double);
    outgoing = allocate(largest);
    incoming = allocate(largest);
    double seconds = run(iterations, transpose);
    conclude(is_right(iterations), work(), "MB/s", iterations, seconds);
    free(outgoing);
    free(incoming);
    free(a);
    free(b);
    MPI_Finalize();
    return 0;
}
