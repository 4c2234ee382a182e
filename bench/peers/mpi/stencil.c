/* Stencil of the Parallel Research Kernels: neighbours send each other their edges.

   usage: mpirun -n N stencil ITERATIONS N */

#include "grid.h"

static double *outgoing[SIDES], *incoming[SIDES];

static void exchange(long iteration) {
    (void)iteration;
    MPI_Request requests[2 * SIDES];
    for (enum side side = 0; side < SIDES; side++)
        MPI_Irecv(incoming[side], (int)edges[side], MPI_DOUBLE, neighbours[side], (int)side, MPI_COMM_WORLD,
                  &requests[side]);
    for (enum side side = 0; side < SIDES; side++) {
        if (neighbours[side] != MPI_PROC_NULL)
            pack(side, outgoing[side]);
        MPI_Isend(outgoing[side], (int)edges[side], MPI_DOUBLE, neighbours[side], (int)OPPOSITE[side], MPI_COMM_WORLD,
                  &requests[SIDES + side]);
    }
    MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
    for (enum side side = 0; side < SIDES; side++)
        if (neighbours[side] != MPI_PROC_NULL)
            unpack(side, incoming[side]);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI stencil: a star of radius 2 on a square grid");
    long iterations = argument(argc, argv, 1, "iterations", 1, -1);
    order = argument(argc, argv, 2, "order", 2 * RADIUS + 1, -1);
    divide();
    fill();
    for (enum side side = 0; side < SIDES; side++) {
        outgoing[side] = allocate((size_t)edges[side] * sizeof(double));
        incoming[side] = allocate((size_t)edges[side] * sizeof(double));
    }
    double seconds = run(iterations, exchange);
    conclude(is_right(iterations), work(), "MFlops/s", iterations, seconds);
    for (enum side side = 0; side < SIDES; side++) {
        free(outgoing[side]);
        free(incoming[side]);
    }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
