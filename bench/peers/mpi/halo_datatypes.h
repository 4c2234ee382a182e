/* Exchange of halos by datatypes that describe layers of the array: the library packs and unpacks. */

#ifndef HALO_DATATYPES_H
#define HALO_DATATYPES_H

#include "halo.h"

/* By axis, lower or upper end, interior or halo, without and with corners. */
static MPI_Datatype layers[AXES][2][2][2];
static int has_layers;

static void free_layers(void) {
    if (!has_layers)
        return;
    for (int i = 0; i < AXES * 8; i++)
        MPI_Type_free(&(&layers[0][0][0][0])[i]);
    has_layers = 0;
}

static void halo_changed(void) {
    free_layers();
    for (int i = 0; i < AXES * 8; i++) {
        int axis = i / 8, end = i / 4 % 2, is_halo = i / 2 % 2, with_corners = i % 2;
        struct box box = layer(axis, end ? 1 : -1, is_halo, with_corners);
        MPI_Datatype *type = &layers[axis][end][is_halo][with_corners];
        MPI_Type_create_subarray(AXES, extents, box.length, box.start, MPI_ORDER_C, MPI_DOUBLE, type);
        MPI_Type_commit(type);
    }
    has_layers = 1;
}

/* Begins what both ends of an axis receive and send: four requests. What goes up has another tag than what goes down,
   as both may go to one process. */
static void begin_axis(int axis, int with_corners, MPI_Request *requests) {
    int lower = neighbour(axis, -1), upper = neighbour(axis, 1), down = 2 * axis, up = 2 * axis + 1;
    MPI_Irecv(cells, 1, layers[axis][0][1][with_corners], lower, up, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(cells, 1, layers[axis][1][1][with_corners], upper, down, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(cells, 1, layers[axis][0][0][with_corners], lower, down, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(cells, 1, layers[axis][1][0][with_corners], upper, up, MPI_COMM_WORLD, &requests[3]);
}

/* Axis after axis, so that six messages bring edges and corners, too. */
static void halo(size_t bytes, int times) {
    allocate_block(bytes);
    for (int i = 0; i < times; i++)
        for (int axis = 0; axis < AXES; axis++) {
            MPI_Request requests[4];
            begin_axis(axis, 1, requests);
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        }
}

/* All axes at once. */
static void halo_faces(size_t bytes, int times) {
    allocate_block(bytes);
    for (int i = 0; i < times; i++) {
        MPI_Request requests[4 * AXES];
        for (int axis = 0; axis < AXES; axis++)
            begin_axis(axis, 0, requests + 4 * axis);
        MPI_Waitall(4 * AXES, requests, MPI_STATUSES_IGNORE);
    }
}

static void check_halo(void) {
    check_exchange(halo, 1);
}

static void check_halo_faces(void) {
    check_exchange(halo_faces, 0);
}

static void release_halo(void) {
    free_layers();
    release_block();
}

#endif
