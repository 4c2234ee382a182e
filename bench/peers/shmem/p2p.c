/* Synch_p2p of the Parallel Research Kernels: a wavefront that travels over a grid, a[i][j] = a[i-1][j] + a[i][j-1] -
   a[i-1][j-1], whose columns i are divided among the PEs.

   usage: p2p ITERATIONS M N

   A PE puts the last value of each of its rows into its right neighbour's memory, and after it the number of the row. The
   last PE sends the corner of the grid to PE 0, which begins the next iteration with it: so no PE can be so far
   ahead of its neighbour that it overwrites a value which is still wanted. */

#include "kernel.h"

/* This PE's columns of the grid, and the column to the left of them, row by row. */
static double *grid;
static int64_t width;

/* Computes a row from its first value and the row before. */
static void advance(int64_t row) {
    const double *restrict south = grid + (row - 1) * width;
    double *restrict values = grid + row * width;
    double west = values[0];
    for (int64_t i = 1; i < width; i++) {
        /* In this order only one addition waits for the value to the left. */
        west += south[i] - south[i - 1];
        values[i] = west;
    }
}

int main(int argc, char **argv) {
    int64_t iterations = argument(argc, argv, 1, "ITERATIONS", 1, -1);
    int64_t m = argument(argc, argv, 2, "M", 2, -1);
    int64_t n = argument(argc, argv, 3, "N", 2, -1);
    begin(n * sizeof(double));
    need(1, "columns", m);
    describe("Synch_p2p", "ITERATIONS", iterations);
    describe(NULL, "M", m);
    describe(NULL, "N", n);

    /* The first column is never computed: it is to the left of PE 0's others. */
    int64_t first = me > 0 ? share(m, me) - 1 : 0;
    int last = pes - 1;
    width = share(m, me + 1) - first;
    grid = private(width * n * sizeof *grid);
    for (int64_t i = 0; i < width; i++)
        grid[i] = first + i;
    if (me == 0)
        for (int64_t row = 0; row < n; row++)
            grid[row * width] = row;
    double *sent = symmetric(n * sizeof *sent);
    uint64_t *arrived = symmetric(sizeof *arrived), number = 0;

    double start = clock_start();
    for (int64_t iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1)
            start = clock_start();
        for (int64_t row = 1; row < n; row++) {
            number++;
            if (me > 0) {
                wait_for(arrived, number);
                grid[row * width] = sent[row];
            }
            advance(row);
            if (me < last)
                put_and_tell(&sent[row], &grid[(row + 1) * width - 1], sizeof *sent, arrived, number, me + 1);
        }
        /* Row 0 never travels, so its place is free for the corner. */
        if (me == last) {
            double corner = -grid[n * width - 1];
            put_and_tell(&sent[0], &corner, sizeof corner, arrived, number, 0);
        }
        if (me == 0) {
            wait_for(arrived, number);
            grid[0] = sent[0];
        }
    }
    double seconds = clock_end(start);

    double corner = reduce(me == last ? grid[n * width - 1] : 0, 1);
    double expected = (double)(iterations + 1) * (m + n - 2);
    conclude("the corner of the grid", corner, expected, 1e-8 * expected, 2e-6 * (m - 1) * (n - 1), "MFlops/s",
             iterations, seconds);
}
