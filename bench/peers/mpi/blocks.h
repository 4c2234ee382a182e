/* Transpose of the Parallel Research Kernels, but for how blocks travel: B += A^T, then A += 1. Each process has some
   columns of both matrices, each column in one piece. */

#ifndef BLOCKS_H
#define BLOCKS_H

#include "kernel.h"

static long order, tile;
static double *a, *b;

static long first_column(int process) {
    return share(order, size, process);
}

static long columns_of(int process) {
    return first_column(process + 1) - first_column(process);
}

/* How many values travel between two processes. */
static long block_of(int process) {
    return columns_of(process) * columns_of(rank);
}

static void fill(void) {
    long count = columns_of(rank) * order;
    a = allocate((size_t)count * sizeof *a);
    b = allocate((size_t)count * sizeof *b);
    for (long i = 0; i < count; i++) {
        a[i] = (double)(first_column(rank) * order + i);
        b[i] = 0;
    }
}

static long end_of(long start, long end) {
    return start + tile < end ? start + tile : end;
}

/* Writes what a process needs of our columns, transposed: its columns one after the other. */
static void pack(int process, double *restrict block) {
    long to = columns_of(process), from = columns_of(rank);
    double *restrict rows = a + first_column(process);
    for (long i = 0; i < to; i += tile)
        for (long j = 0; j < from; j += tile)
            for (long jt = j; jt < end_of(j, from); jt++)
                for (long it = i; it < end_of(i, to); it++) {
                    block[it * from + jt] = rows[jt * order + it];
                    rows[jt * order + it] += 1;
                }
}

/* Adds what came from a process to our columns. */
static void add_block(int process, const double *restrict block) {
    long from = columns_of(process);
    for (long column = 0; column < columns_of(rank); column++) {
        double *restrict sums = b + column * order + first_column(process);
        for (long i = 0; i < from; i++)
            sums[i] += block[column * from + i];
    }
}

static void add_own_block(void) {
    long columns = columns_of(rank);
    double *restrict rows = a + first_column(rank), *restrict sums = b + first_column(rank);
    for (long i = 0; i < columns; i += tile)
        for (long j = 0; j < columns; j += tile)
            for (long jt = j; jt < end_of(j, columns); jt++)
                for (long it = i; it < end_of(i, columns); it++) {
                    sums[it * order + jt] += rows[jt * order + it];
                    rows[jt * order + it] += 1;
                }
}

static int is_right(long iterations) {
    double raised = (double)iterations * (iterations + 1) / 2, error = 0, total;
    for (long j = 0; j < columns_of(rank); j++)
        for (long i = 0; i < order; i++)
            error += fabs(b[j * order + i] - ((double)(order * i + first_column(rank) + j) * (iterations + 1) + raised));
    MPI_Allreduce(&error, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total < 1e-8;
}

static double work(void) {
    return 1e-6 * 2 * sizeof *a * (double)order * (double)order;
}

static double run(long iterations, void (*transpose)(long iteration)) {
    double start = 0;
    for (long iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1)
            start = start_clock();
        transpose(iteration);
    }
    return seconds_since(start);
}

static long arguments(int argc, char **argv) {
    long iterations = argument(argc, argv, 1, "iterations", 1, -1);
    order = argument(argc, argv, 2, "order", size, -1);
    tile = argument(argc, argv, 3, "tile", 1, 32);
    return iterations;
}

#endif
