/* Stencil of the Parallel Research Kernels, but for how neighbours exchange their edges: a star of radius 2 on a square
   grid that is divided among the processes in both directions.

   out += weighted differences of the neighbours in `in`, then in += 1. */

#ifndef GRID_H
#define GRID_H

#include "kernel.h"

enum { RADIUS = 2, POINTS = 4 * RADIUS + 1 };

enum side { WEST, EAST, SOUTH, NORTH, SIDES };

static const enum side OPPOSITE[SIDES] = {EAST, WEST, NORTH, SOUTH};

static long order;
/* This process's tile: its lowest corner, its extents, and the length of a row of `in` with its halo. */
static long west, south, width, height, stride;
static double *in, *out;
/* The neighbours, or MPI_PROC_NULL at the edge of the grid, and how many values each edge has. */
static int neighbours[SIDES];
static long edges[SIDES];

/* Finds this process's tile; as square as the number of processes allows. */
static void divide(void) {
    int columns = 1;
    while (columns * columns < size)
        columns++;
    while (columns * columns > size || size % columns != 0)
        columns--;
    int rows = size / columns, column = rank % columns, row = rank / columns;
    west = share(order, columns, column);
    south = share(order, rows, row);
    width = share(order, columns, column + 1) - west;
    height = share(order, rows, row + 1) - south;
    stride = width + 2 * RADIUS;
    if (order / columns < RADIUS || order / rows < RADIUS)
        fail("a tile is smaller than the star");
    neighbours[WEST] = column > 0 ? rank - 1 : MPI_PROC_NULL;
    neighbours[EAST] = column + 1 < columns ? rank + 1 : MPI_PROC_NULL;
    neighbours[SOUTH] = row > 0 ? rank - columns : MPI_PROC_NULL;
    neighbours[NORTH] = row + 1 < rows ? rank + columns : MPI_PROC_NULL;
    edges[WEST] = edges[EAST] = RADIUS * height;
    edges[SOUTH] = edges[NORTH] = RADIUS * width;
}

static double *at(long row, long column) {
    return &in[(row + RADIUS) * stride + column + RADIUS];
}

static void fill(void) {
    in = allocate((size_t)((height + 2 * RADIUS) * stride) * sizeof *in);
    out = allocate((size_t)(height * width) * sizeof *out);
    memset(in, 0, (size_t)((height + 2 * RADIUS) * stride) * sizeof *in);
    memset(out, 0, (size_t)(height * width) * sizeof *out);
    for (long row = 0; row < height; row++)
        for (long column = 0; column < width; column++)
            *at(row, column) = (double)(west + column + south + row);
}

/* A rectangle of values, and how many rows and columns it has. */
struct rectangle {
    double *corner;
    long rows, columns;
};

/* What a neighbour needs of this tile. */
static struct rectangle inner_edge(enum side side) {
    switch (side) {
    case WEST:
        return (struct rectangle){at(0, 0), height, RADIUS};
    case EAST:
        return (struct rectangle){at(0, width - RADIUS), height, RADIUS};
    case SOUTH:
        return (struct rectangle){at(0, 0), RADIUS, width};
    default:
        return (struct rectangle){at(height - RADIUS, 0), RADIUS, width};
    }
}

/* Where what this tile needs of a neighbour belongs. */
static struct rectangle halo(enum side side) {
    switch (side) {
    case WEST:
        return (struct rectangle){at(0, -RADIUS), height, RADIUS};
    case EAST:
        return (struct rectangle){at(0, width), height, RADIUS};
    case SOUTH:
        return (struct rectangle){at(-RADIUS, 0), RADIUS, width};
    default:
        return (struct rectangle){at(height, 0), RADIUS, width};
    }
}

static void pack(enum side side, double *restrict buffer) {
    struct rectangle edge = inner_edge(side);
    for (long row = 0; row < edge.rows; row++)
        for (long column = 0; column < edge.columns; column++)
            *buffer++ = edge.corner[row * stride + column];
}

static void unpack(enum side side, const double *restrict buffer) {
    struct rectangle edge = halo(side);
    for (long row = 0; row < edge.rows; row++)
        for (long column = 0; column < edge.columns; column++)
            edge.corner[row * stride + column] = *buffer++;
}

static void add_stars_of_row(const double *restrict centre, double *restrict sums, long first, long end) {
    const double near = 1.0 / 4, far = 1.0 / 8;
    for (long i = first; i < end; i++)
        sums[i] += near * (centre[i + 1] - centre[i - 1] + (centre[i + stride] - centre[i - stride])) +
                   far * (centre[i + 2] - centre[i - 2] + (centre[i + 2 * stride] - centre[i - 2 * stride]));
}

static long least(long a, long b) {
    return a < b ? a : b;
}

static long most(long a, long b) {
    return a > b ? a : b;
}

/* The outermost points of the grid have no star. */
static void add_stars(void) {
    long first = most(RADIUS - west, 0), end = least(order - RADIUS - west, width);
    for (long row = most(RADIUS - south, 0); row < least(order - RADIUS - south, height); row++)
        add_stars_of_row(at(row, 0), &out[row * width], first, end);
}

static void raise(void) {
    for (long row = 0; row < height; row++) {
        double *values = at(row, 0);
        for (long column = 0; column < width; column++)
            values[column] += 1;
    }
}

/* Each point that has a star has grown by 2 every time. */
static int is_right(long iterations) {
    double sum = 0, total;
    for (long i = 0; i < height * width; i++)
        sum += fabs(out[i]);
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double inside = (double)(order - 2 * RADIUS) * (double)(order - 2 * RADIUS);
    return fabs(total / inside - 2.0 * (iterations + 1)) <= 1e-8;
}

static double work(void) {
    double inside = (double)(order - 2 * RADIUS) * (double)(order - 2 * RADIUS);
    return 1e-6 * (2 * POINTS + 1) * inside;
}

static double run(long iterations, void (*exchange)(long iteration)) {
    double start = 0;
    for (long iteration = 0; iteration <= iterations; iteration++) {
        if (iteration == 1)
            start = start_clock();
        exchange(iteration);
        add_stars();
        raise();
    }
    return seconds_since(start);
}

#endif
