/* A periodic array of doubles in three dimensions, of which each process has a block of whole planes with a halo of
   width 1 around it. Headers that include this one say how the halo gets the neighbours' cells. */

#ifndef HALO_H
#define HALO_H

#include "world.h"

enum { AXES = 3 };

/* Cells along each axis, the halo included. The last axis is the fastest. */
static int extents[AXES];
static double *cells;
/* The bytes of the array that was allocated last. */
static size_t bytes_of_array;

/* Where an image's halo comes from: below it on the axis, and above. Only the first axis is divided. */
static int neighbour(int axis, int direction) {
    return axis == 0 ? (rank + direction + size) % size : rank;
}

/* The array is four times as long on the first two axes as on the third, and has at least a plane for each process. */
static void extents_of_array(size_t bytes, int *shape) {
    int k = 1;
    while (16 * sizeof(double) * k * k * k < bytes)
        k++;
    shape[0] = 4 * k > size ? 4 * k : size;
    shape[1] = 4 * k;
    shape[2] = k;
}

static int first_plane(int planes, int process) {
    int longer = planes % size;
    return process * (planes / size) + (process < longer ? process : longer);
}

/* A part of the block. */
struct box {
    int start[AXES], length[AXES];
};

/* The cells within the halo. */
static struct box interior(void) {
    struct box box;
    for (int axis = 0; axis < AXES; axis++) {
        box.start[axis] = 1;
        box.length[axis] = extents[axis] - 2;
    }
    return box;
}

/* The layer at the lower or upper end (direction -1 or 1) of an axis: of the interior, or of the halo. With corners, it
   is as long as the block with its halo on the axes before, whose halos have come already. */
static struct box layer(int axis, int direction, int is_halo, int with_corners) {
    struct box box = interior();
    for (int before = 0; before < axis && with_corners; before++) {
        box.start[before] = 0;
        box.length[before] = extents[before];
    }
    int inside = direction < 0 ? 1 : extents[axis] - 2;
    box.start[axis] = is_halo ? inside + direction : inside;
    box.length[axis] = 1;
    return box;
}

static size_t index_of_cell(int i, int j, int k) {
    return ((size_t)i * extents[1] + j) * extents[2] + k;
}

/* What is made anew for another array. */
static void halo_changed(void);

static void allocate_block(size_t bytes) {
    if (bytes == bytes_of_array)
        return;
    int shape[AXES];
    extents_of_array(bytes, shape);
    extents[0] = first_plane(shape[0], rank + 1) - first_plane(shape[0], rank) + 2;
    extents[1] = shape[1] + 2;
    extents[2] = shape[2] + 2;
    size_t count = (size_t)extents[0] * extents[1] * extents[2];
    free(cells);
    cells = malloc(count * sizeof *cells);
    if (!cells)
        fail("out of memory");
    /* Written once so that the pages are there. */
    for (size_t i = 0; i < count; i++)
        cells[i] = -1;
    bytes_of_array = bytes;
    halo_changed();
}

/* Whether a cell is to hold its number after an exchange: not if it is in an edge or corner that was not wanted. */
static int is_exchanged(const int *cell, int with_corners) {
    int outside = 0;
    for (int axis = 0; axis < AXES; axis++)
        outside += cell[axis] == 0 || cell[axis] == extents[axis] - 1;
    return with_corners || outside < 2;
}

/* Every cell gets its number in the whole array, and nothing else is written. */
static void check_exchange(void (*exchange)(size_t bytes, int times), int with_corners) {
    size_t bytes = 16 * 4 * 4 * 4 * sizeof(double);
    int shape[AXES], at[AXES];
    allocate_block(bytes);
    extents_of_array(bytes, shape);
    int first = first_plane(shape[0], rank);
    for (int is_after = 0; is_after < 2; is_after++) {
        if (is_after)
            exchange(bytes, 1);
        for (at[0] = 0; at[0] < extents[0]; at[0]++)
            for (at[1] = 0; at[1] < extents[1]; at[1]++)
                for (at[2] = 0; at[2] < extents[2]; at[2]++) {
                    double number = (first + at[0] - 1 + shape[0]) % shape[0];
                    number = number * shape[1] + (at[1] - 1 + shape[1]) % shape[1];
                    number = number * shape[2] + (at[2] - 1 + shape[2]) % shape[2];
                    int is_inside = 1;
                    for (int axis = 0; axis < AXES; axis++)
                        is_inside = is_inside && at[axis] > 0 && at[axis] < extents[axis] - 1;
                    double *cell = &cells[index_of_cell(at[0], at[1], at[2])];
                    if (!is_after)
                        *cell = is_inside ? number : -1;
                    else if (*cell != (is_exchanged(at, with_corners) ? number : -1))
                        fail("a cell of the halo is wrong");
                }
    }
}

static void release_block(void) {
    free(cells);
}

#endif
