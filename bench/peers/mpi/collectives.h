/* The collective operations of MPI. BYTES are those of one process's values, or of one block where there is one for each
   process. */

#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "world.h"

enum { MAX_BYTES = 8 << 20, MAX_BLOCK = 2 << 20 };

static const int ROOT = 0;

static double *send_buffer, *receive_buffer;
static int *counts;

static void barrier(size_t bytes, int times) {
    (void)bytes;
    for (int i = 0; i < times; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++)
        MPI_Allreduce(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void broadcast(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++)
        MPI_Bcast(receive_buffer, count, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
}

static void allreduce_later(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++) {
        MPI_Request request;
        MPI_Iallreduce(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void reduce(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++)
        MPI_Reduce(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, ROOT, MPI_COMM_WORLD);
}

static void scan(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++)
        MPI_Scan(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++)
        MPI_Gather(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
}

static void allgather(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++)
        MPI_Allgather(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void scatter(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++)
        MPI_Scatter(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
}

static void alltoall(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++)
        MPI_Alltoall(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void reduce_scatter(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < size; i++)
        counts[i] = count;
    for (int i = 0; i < times; i++)
        MPI_Reduce_scatter(send_buffer, receive_buffer, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Whether block after block of what came is a number plus the block's times another. */
static int holds(int blocks, int count, double first, double step) {
    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < count; i++)
            if (receive_buffer[block * count + i] != first + block * step)
                return 0;
    return 1;
}

static void check_collectives(void) {
    int count = MAX_BYTES / (int)sizeof(double), block = MAX_BLOCK / (int)sizeof(double);
    double sum = size * (size + 1.0) / 2;
    for (int i = 0; i < count; i++)
        send_buffer[i] = receive_buffer[i] = rank + 1;
    allreduce(MAX_BYTES, 1);
    if (!holds(1, count, sum, 0))
        fail("a sum is wrong");
    reduce(MAX_BYTES, 1);
    if (rank == ROOT && !holds(1, count, sum, 0))
        fail("a sum for one process is wrong");
    allreduce_later(sizeof(double), 1);
    if (!holds(1, 1, sum, 0))
        fail("a later sum is wrong");
    for (int i = 0; i < count; i++)
        receive_buffer[i] = rank + 1;
    broadcast(MAX_BYTES, 1);
    if (!holds(1, count, ROOT + 1, 0))
        fail("a broadcast is wrong");

    for (int to = 0; to < size; to++)
        for (int i = 0; i < block; i++)
            send_buffer[to * block + i] = rank + 1 + size * to;
    scan(MAX_BLOCK, 1);
    if (!holds(1, block, (rank + 1) * (rank + 2.0) / 2, 0))
        fail("a scan is wrong");
    gather(MAX_BLOCK, 1);
    if (rank == ROOT && !holds(size, block, 1, 1))
        fail("a gathering is wrong");
    allgather(MAX_BLOCK, 1);
    if (!holds(size, block, 1, 1))
        fail("a gathering for all is wrong");
    scatter(MAX_BLOCK, 1);
    if (!holds(1, block, ROOT + 1 + size * rank, 0))
        fail("a scattering is wrong");
    alltoall(MAX_BLOCK, 1);
    if (!holds(size, block, 1 + size * rank, 1))
        fail("an exchange is wrong");
    reduce_scatter(MAX_BLOCK, 1);
    if (!holds(1, block, sum + (double)size * size * rank, 0))
        fail("a scattered sum is wrong");
    for (int i = 0; i < size * block || i < count; i++)
        send_buffer[i] = 0;
}

static void prepare_collectives(void) {
    size_t blocks = (size_t)size * MAX_BLOCK;
    size_t buffer = blocks > MAX_BYTES ? blocks : MAX_BYTES;
    send_buffer = malloc(buffer);
    receive_buffer = malloc(buffer);
    counts = malloc(size * sizeof *counts);
    if (!send_buffer || !receive_buffer || !counts)
        fail("out of memory");
    check_collectives();
}

static void release_collectives(void) {
    free(send_buffer);
    free(receive_buffer);
    free(counts);
}

#endif
