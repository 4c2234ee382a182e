/* Synch_p2p of the Parallel Research Kernels, but for how a value travels to the right: a[i][j] = a[i-1][j] + a[i][j-1] -
   a[i-1][j-1], columns i being divided among the processes. */

#ifndef WAVEFRONT_H
#define WAVEFRONT_H

#include "kernel.h"

static long columns, rows;
/* This process's columns and, in front of them, the last one of its left neighbour's. */
static double *grid;
static long width;

static double *first_of(long row) {
    return &grid[row * width];
}

static double *last_of(long row) {
    return &grid[(row + 1) * width - 1];
}

static void fill(void) {
    long end = share(columns, size, rank + 1), first = share(columns, size, rank);
    if (rank > 0)
        first--;
    width = end - first;
    grid = allocate((size_t)(width * rows) * sizeof *grid);
    memset(grid, 0, (size_t)(width * rows) * sizeof *grid);
    for (long i = 0; i < width; i++)
        grid[i] = (double)(first + i);
    for (long row = 0; row < rows && rank == 0; row++)
        *first_of(row) = (double)row;
}

/* In this order of additions only one waits for the value to the left. */
static void advance(long row) {
    const double *restrict below = first_of(row - 1);
    double *restrict values = first_of(row);
    double left = values[0], left_below = below[0];
    for (long i = 1; i < width; i++) {
        left += below[i] - left_below;
        left_below = below[i];
        values[i] = left;
    }
}

/* The corner has grown in every iteration. */
static int is_right(long iterations) {
    double expected = (double)(iterations + 1) * (double)(columns + rows - 2);
    return rank != size - 1 || fabs(*last_of(rows - 1) - expected) <= 1e-8 * expected;
}

static double run(long iterations, void (*travel)(void)) {
    double start = 0;
    for (long iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1)
            start = start_clock();
        travel();
    }
    return seconds_since(start);
}

static double work(void) {
    return 1e-6 * 2 * (double)(columns - 1) * (double)(rows - 1);
}

static long arguments(int argc, char **argv) {
    long iterations = argument(argc, argv, 1, "iterations", 1, -1);
    columns = argument(argc, argv, 2, "columns", size > 1 ? size : 2, -1);
    rows = argument(argc, argv, 3, "rows", 2, -1);
    return iterations;
}

#endif
