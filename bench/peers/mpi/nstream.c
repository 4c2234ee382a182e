/* Nstream of the Parallel Research Kernels: a += b + 3 c.

   usage: mpirun -n N nstream ITERATIONS LENGTH [OFFSET] */

#include "kernel.h"

static const double SCALAR = 3.0, B_AND_C = 2.0;

static void add(double *restrict a, const double *restrict b, const double *restrict c, long length) {
    for (long i = 0; i < length; i++)
        a[i] += b[i] + SCALAR * c[i];
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    title("MPI nstream: a += b + 3 c");
    long iterations = argument(argc, argv, 1, "iterations", 1, -1);
    long total = argument(argc, argv, 2, "length", size, -1);
    long offset = argument(argc, argv, 3, "offset", 0, 0);
    long length = share(total, size, rank + 1) - share(total, size, rank);

    double *a = allocate((size_t)(3 * length + 2 * offset) * sizeof *a);
    double *b = a + length + offset, *c = b + length + offset;
    for (long i = 0; i < length; i++) {
        a[i] = 0;
        b[i] = c[i] = B_AND_C;
    }

    double start = 0;
    for (long iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1)
            start = start_clock();
        add(a, b, c, length);
    }
    double seconds = seconds_since(start);

    double sum = 0, expected = (iterations + 1) * (B_AND_C + SCALAR * B_AND_C) * (double)length;
    for (long i = 0; i < length; i++)
        sum += fabs(a[i]);
    conclude(fabs(sum - expected) <= 1e-8 * expected, 1e-6 * 4 * sizeof *a * (double)total, "MB/s", iterations, seconds);
    free(a);
    MPI_Finalize();
    return 0;
}
