/* Stencil of the Parallel Research Kernels: each point of a grid adds up a weighted star of its neighbours, then every
   element is raised by 1. The rows are divided among the PEs.

   usage: stencil ITERATIONS N

   Each PE puts its outermost rows into its neighbours' memory and computes the rows in the middle while its neighbours'
   rows arrive. There are two places for them, in turns: a neighbour sends the next rows only after it has
   got ours, that is when we are done with the ones before. */

#include "kernel.h"

enum { RADIUS = 2 };

static const double NEAR = 1.0 / 4, FAR = 1.0 / 8;

static int64_t n, height, first_row;
static double *in, *out;

/* Rows of the neighbours above and below, in turns. */
static double *halos[2][2];
static uint64_t *arrived;

static const double *row_of(int64_t row, int turn) {
    if (row < 0)
        return halos[turn][0] + (row + RADIUS) * n;
    if (row >= height)
        return halos[turn][1] + (row - height) * n;
    return in + row * n;
}

static void add_row(double *restrict out, const double *restrict north2, const double *restrict north,
                    const double *restrict row, const double *restrict south, const double *restrict south2) {
    for (int64_t j = RADIUS; j < n - RADIUS; j++)
        out[j] += NEAR * (row[j + 1] - row[j - 1] + (south[j] - north[j])) +
                  FAR * (row[j + 2] - row[j - 2] + (south2[j] - north2[j]));
}

/* Adds the stars of some rows, but for the grid's outermost rows, which have none. */
static void add_rows(int64_t from, int64_t to, int turn) {
    for (int64_t i = from; i < to; i++)
        if (first_row + i >= RADIUS && first_row + i < n - RADIUS)
            add_row(out + i * n, row_of(i - 2, turn), row_of(i - 1, turn), in + i * n, row_of(i + 1, turn),
                    row_of(i + 2, turn));
}

static void step(uint64_t number) {
    int turn = number & 1, above = me - 1, below = me + 1;
    size_t bytes = RADIUS * n * sizeof *in;
    if (me > 0)
        put_and_tell(halos[turn][1], in, bytes, &arrived[1], number, above);
    if (below < pes)
        put_and_tell(halos[turn][0], in + (height - RADIUS) * n, bytes, &arrived[0], number, below);
    int64_t lower = height - RADIUS > RADIUS ? height - RADIUS : RADIUS;
    add_rows(RADIUS, lower, turn);
    if (me > 0)
        wait_for(&arrived[0], number);
    if (below < pes)
        wait_for(&arrived[1], number);
    add_rows(0, RADIUS, turn);
    add_rows(lower, height, turn);
    for (int64_t k = 0; k < height * n; k++)
        in[k] += 1;
}

int main(int argc, char **argv) {
    int64_t iterations = argument(argc, argv, 1, "ITERATIONS", 1, -1);
    n = argument(argc, argv, 2, "N", 2 * RADIUS + 1, -1);
    begin(4 * RADIUS * n * sizeof *in);
    need(RADIUS, "rows", n);
    describe("Stencil", "ITERATIONS", iterations);
    describe(NULL, "N", n);

    first_row = share(n, me);
    height = share(n, me + 1) - first_row;
    in = private(height * n * sizeof *in);
    out = private(height * n * sizeof *out);
    for (int64_t i = 0; i < height; i++)
        for (int64_t j = 0; j < n; j++) {
            in[i * n + j] = first_row + i + j;
            out[i * n + j] = 0;
        }
    for (int turn = 0; turn < 2; turn++)
        for (int side = 0; side < 2; side++)
            halos[turn][side] = symmetric(RADIUS * n * sizeof *in);
    arrived = symmetric(2 * sizeof *arrived);

    double start = clock_start();
    for (int64_t iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1)
            start = clock_start();
        step(iteration + 1);
    }
    double seconds = clock_end(start);

    double sum = 0, inside = (double)(n - 2 * RADIUS) * (n - 2 * RADIUS);
    for (int64_t k = 0; k < height * n; k++)
        sum += fabs(out[k]);
    /* As the kernels count: all points of the star, also the middle one, which has no weight. */
    double work = (2 * (4 * RADIUS + 1) + 1) * inside * 1e-6;
    conclude("the mean of the grid", reduce(sum, 1) / inside, 2.0 * (iterations + 1), 1e-8, work, "MFlops/s",
             iterations, seconds);
}
