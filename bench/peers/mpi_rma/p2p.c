/* Synch_p2p of the Parallel Research Kernels: each row's last value is put into the right neighbour's window, and a signal
   behind it.

   usage: mpirun -n N p2p ITERATIONS M N */

#include "../mpi/wavefront.h"
#include "window.h"

enum { ARRIVED };

/* How many values this process has sent and taken. */
static uint64_t sent, taken;

/* A process receives one value of each row; that of row 0, which never travels, is the corner. */
static void send_value(int target, long row, double value) {
    MPI_Put(&value, 1, MPI_DOUBLE, target, DATA + row, 1, MPI_DOUBLE, window);
    MPI_Win_flush(target, window);
    sent++;
    set_signal(target, ARRIVED, &sent);
}

static double receive_value(long row) {
    taken++;
    await_signal(ARRIVED, taken);
    return ((double *)&words[DATA])[row];
}

static void travel(void) {
    int last = size - 1;
    for (long row = 1; row < rows; row++) {
        if (rank > 0)
            *first_of(row) = receive_value(row);
        advance(row);
        if (rank < last)
            send_value(rank + 1, row, *last_of(row));
    }
    if (rank == last)
        send_value(0, 0, -*last_of(rows - 1));
    if (rank == 0)
        *first_of(0) = receive_value(0);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI RMA p2p: a wavefront over a grid");
    long iterations = arguments(argc, argv);
    fill();
    open_window((size_t)rows);
    double seconds = run(iterations, travel);
    conclude(is_right(iterations), work(), "MFlops/s", iterations, seconds);
    close_window();
    free(grid);
    MPI_Finalize();
    return 0;
}
