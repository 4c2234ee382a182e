/* Exchange of halos by messages that the program packs and unpacks itself. What a process would send to itself it only
   copies. */

#ifndef PACKED_H
#define PACKED_H

#include "../mpi/halo.h"

static double *out_buffer, *in_buffer;

/* Room for the largest layer. */
static void halo_changed(void) {
    size_t most = 0;
    for (int axis = 0; axis < AXES; axis++) {
        size_t layer_cells = 1;
        for (int other = 0; other < AXES; other++)
            layer_cells *= other == axis ? 1 : (size_t)extents[other];
        most = layer_cells > most ? layer_cells : most;
    }
    out_buffer = realloc(out_buffer, most * sizeof *out_buffer);
    in_buffer = realloc(in_buffer, most * sizeof *in_buffer);
    if (!out_buffer || !in_buffer)
        fail("out of memory");
}

static int cells_of(const struct box *box) {
    return box->length[0] * box->length[1] * box->length[2];
}

static void pack(const struct box *box, double *restrict buffer) {
    for (int i = box->start[0]; i < box->start[0] + box->length[0]; i++)
        for (int j = box->start[1]; j < box->start[1] + box->length[1]; j++) {
            const double *restrict row = &cells[index_of_cell(i, j, box->start[2])];
            if (box->length[2] == 1)
                *buffer = *row;
            else
                memcpy(buffer, row, box->length[2] * sizeof *row);
            buffer += box->length[2];
        }
}

static void unpack(const struct box *box, const double *restrict buffer) {
    for (int i = box->start[0]; i < box->start[0] + box->length[0]; i++)
        for (int j = box->start[1]; j < box->start[1] + box->length[1]; j++) {
            double *restrict row = &cells[index_of_cell(i, j, box->start[2])];
            if (box->length[2] == 1)
                *row = *buffer;
            else
                memcpy(row, buffer, box->length[2] * sizeof *row);
            buffer += box->length[2];
        }
}

/* Sends the layer at one end of an axis, and receives the halo at the other end. */
static void shift(int axis, int direction, int with_corners) {
    struct box sent = layer(axis, direction, 0, with_corners), received = layer(axis, -direction, 1, with_corners);
    int to = neighbour(axis, direction), from = neighbour(axis, -direction), count = cells_of(&sent);
    pack(&sent, out_buffer);
    if (to == rank) {
        unpack(&received, out_buffer);
        return;
    }
    MPI_Sendrecv(out_buffer, count, MPI_DOUBLE, to, 0, in_buffer, count, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    unpack(&received, in_buffer);
}

static void exchange(size_t bytes, int times, int with_corners) {
    allocate_block(bytes);
    for (int i = 0; i < times; i++)
        for (int axis = 0; axis < AXES; axis++) {
            shift(axis, -1, with_corners);
            shift(axis, 1, with_corners);
        }
}

static void halo(size_t bytes, int times) {
    exchange(bytes, times, 1);
}

static void halo_faces(size_t bytes, int times) {
    exchange(bytes, times, 0);
}

static void check_halo(void) {
    check_exchange(halo, 1);
}

static void check_halo_faces(void) {
    check_exchange(halo_faces, 0);
}

static void release_halo(void) {
    free(out_buffer);
    free(in_buffer);
    release_block();
}

#endif
