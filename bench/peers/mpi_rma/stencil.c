/* Stencil of the Parallel Research Kernels: edges are put into the neighbours' windows.

   usage: mpirun -n N stencil ITERATIONS N */

#include "../mpi/grid.h"
#include "window.h"

static double *outgoing[SIDES];
/* How many values the longest edge has on any process. */
static long longest;

/* Where an edge arrives in the window. A neighbour may be one iteration ahead, so that even and odd ones have places of
   their own. */
static long place(enum side side, long iteration) {
    return DATA + (2 * (long)side + iteration % 2) * longest;
}

static void exchange(long iteration) {
    uint64_t number = (uint64_t)iteration + 1;
    for (enum side side = 0; side < SIDES; side++) {
        if (neighbours[side] == MPI_PROC_NULL)
            continue;
        pack(side, outgoing[side]);
        MPI_Put(outgoing[side], (int)edges[side], MPI_DOUBLE, neighbours[side], place(OPPOSITE[side], iteration),
                (int)edges[side], MPI_DOUBLE, window);
        MPI_Win_flush(neighbours[side], window);
        set_signal(neighbours[side], (int)OPPOSITE[side], &number);
    }
    for (enum side side = 0; side < SIDES; side++) {
        if (neighbours[side] == MPI_PROC_NULL)
            continue;
        await_signal((int)side, number);
        unpack(side, (double *)&words[place(side, iteration)]);
    }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI RMA stencil: a star of radius 2 on a square grid");
    long iterations = argument(argc, argv, 1, "iterations", 1, -1);
    order = argument(argc, argv, 2, "order", 2 * RADIUS + 1, -1);
    divide();
    fill();
    long extent = most(edges[WEST], edges[SOUTH]);
    MPI_Allreduce(&extent, &longest, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    open_window((size_t)(2 * SIDES * longest));
    for (enum side side = 0; side < SIDES; side++)
        outgoing[side] = allocate((size_t)edges[side] * sizeof(double));
    double seconds = run(iterations, exchange);
    conclude(is_right(iterations), work(), "MFlops/s", iterations, seconds);
    close_window();
    for (enum side side = 0; side < SIDES; side++)
        free(outgoing[side]);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
