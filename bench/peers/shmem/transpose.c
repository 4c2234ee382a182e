/* Transpose of the Parallel Research Kernels: B += A transposed, then A += 1. Each PE has some columns of both matrices,
   each column in one piece.

   usage: transpose ITERATIONS ORDER [TILE]

   Each PE gets what it needs of the others' columns, so many columns at a time that they stay in its cache while
   they are added, and nothing is packed. The PEs begin with different partners, so that no memory is wanted by all
   at once. */

#include "kernel.h"

static int64_t order, tile;
static double *a, *b;

/* Adds some rows of a few columns, which lie in `rows` elements each, to as many columns of B. */
static void add_transposed(double *restrict b, const double *restrict columns, int64_t distance, int64_t count,
                           int64_t rows) {
    for (int64_t from = 0; from < rows; from += tile)
        for (int64_t j = from; j < rows && j < from + tile; j++)
            for (int64_t i = 0; i < count; i++)
                b[j * order + i] += columns[i * distance + j];
}

static void transpose(double *stripe) {
    int64_t first = share(order, me), rows = share(order, me + 1) - first;
    for (int step = 0; step < pes; step++) {
        int partner = (me + step) % pes;
        int64_t theirs = share(order, partner), end = share(order, partner + 1);
        for (int64_t start = theirs; start < end; start += tile) {
            int64_t count = end - start < tile ? end - start : tile;
            const double *columns = a + (start - theirs) * order + first;
            if (partner == me) {
                add_transposed(b + start, columns, order, count, rows);
            } else {
                for (int64_t i = 0; i < count; i++)
                    shmem_getmem_nbi(stripe + i * rows, columns + i * order, rows * sizeof *a, partner);
                shmem_quiet();
                add_transposed(b + start, stripe, rows, count, rows);
            }
        }
    }
    /* All have what they need. */
    shmem_barrier_all();
    for (int64_t k = 0; k < rows * order; k++)
        a[k] += 1;
    shmem_barrier_all();
}

int main(int argc, char **argv) {
    int64_t iterations = argument(argc, argv, 1, "ITERATIONS", 1, -1);
    order = argument(argc, argv, 2, "ORDER", 1, -1);
    tile = argument(argc, argv, 3, "TILE", 1, 32);
    /* How many PEs there are is not known yet; what is not used is not there. */
    begin(order * order * sizeof *a);
    need(1, "columns", order);
    describe("Transpose", "ITERATIONS", iterations);
    describe(NULL, "ORDER", order);
    describe(NULL, "TILE", tile);

    int64_t first = share(order, me), columns = share(order, me + 1) - first;
    a = symmetric(share(order, 1) * order * sizeof *a);
    b = private(columns * order * sizeof *b);
    double *stripe = private(tile * columns * sizeof *stripe);
    for (int64_t k = 0; k < columns * order; k++) {
        a[k] = first * order + k;
        b[k] = 0;
    }

    double start = clock_start();
    for (int64_t iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1)
            start = clock_start();
        transpose(stripe);
    }
    double seconds = clock_end(start);

    double error = 0, raised = iterations * (iterations + 1) / 2.0;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < order; i++)
            error += fabs(b[j * order + i] - ((order * i + first + j) * (iterations + 1.0) + raised));
    conclude("the sum of all errors", reduce(error, 1), 0, 1e-8, 2e-6 * sizeof *a * order * order, "MB/s", iterations,
             seconds);
}
