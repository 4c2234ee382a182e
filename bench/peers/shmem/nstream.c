/* Nstream of the Parallel Research Kernels: a += b + 3 c on vectors that are divided among the PEs.

   usage: nstream ITERATIONS LENGTH [OFFSET]

   Nothing is communicated, so the vectors are ordinary memory. */

#include "kernel.h"

static const double SCALAR = 3, B_AND_C = 2;

static void add(double *restrict a, const double *restrict b, const double *restrict c, int64_t length) {
    for (int64_t i = 0; i < length; i++)
        a[i] += b[i] + SCALAR * c[i];
}

int main(int argc, char **argv) {
    int64_t iterations = argument(argc, argv, 1, "ITERATIONS", 1, -1);
    int64_t total = argument(argc, argv, 2, "LENGTH", 1, -1);
    int64_t offset = argument(argc, argv, 3, "OFFSET", 0, 0);
    begin(0);
    need(1, "numbers", total);
    describe("Nstream", "ITERATIONS", iterations);
    describe(NULL, "LENGTH", total);
    describe(NULL, "OFFSET", offset);

    int64_t length = share(total, me + 1) - share(total, me);
    double *a = private((3 * length + 2 * offset) * sizeof *a);
    double *b = a + length + offset, *c = b + length + offset;
    for (int64_t i = 0; i < length; i++) {
        a[i] = 0;
        b[i] = c[i] = B_AND_C;
    }

    double start = clock_start();
    for (int64_t iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1)
            start = clock_start();
        add(a, b, c, length);
    }
    double seconds = clock_end(start);

    double sum = 0;
    for (int64_t i = 0; i < length; i++)
        sum += fabs(a[i]);
    double expected = (iterations + 1) * (B_AND_C + SCALAR * B_AND_C) * total;
    conclude("the sum of a", reduce(sum, 1), expected, 1e-8 * expected, 4e-6 * sizeof(double) * total, "MB/s",
             iterations, seconds);
}
