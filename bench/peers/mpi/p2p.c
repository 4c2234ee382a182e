/* Synch_p2p of the Parallel Research Kernels: each row's last value is sent to the right neighbour.

   usage: mpirun -n N p2p ITERATIONS M N */

#include "wavefront.h"

static void travel(void) {
    int last = size - 1;
    for (long row = 1; row < rows; row++) {
        if (rank > 0)
            MPI_Recv(first_of(row), 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        advance(row);
        if (rank < last)
            MPI_Send(last_of(row), 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    }
    double corner = -*last_of(rows - 1);
    if (size == 1) {
        *first_of(0) = corner;
    } else if (rank == last) {
        MPI_Send(&corner, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(first_of(0), 1, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI p2p: a wavefront over a grid");
    long iterations = arguments(argc, argv);
    fill();
    double seconds = run(iterations, travel);
    conclude(is_right(iterations), work(), "MFlops/s", iterations, seconds);
    free(grid);
    MPI_Finalize();
    return 0;
}
