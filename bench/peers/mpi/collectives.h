/* The collective operations of MPI. BYTES are those of one process's values, or of one block where there is one for each
   process. Each writes its values before an operation, and reads what it gets after it. */

#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "../values.h"
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
    for (int i = 0; i < times; i++) {
        write_values(send_buffer, 1, bytes, rank + 1 + i, 0);
        MPI_Allreduce(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        read_values(receive_buffer, 1, bytes);
    }
}

static void broadcast(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++) {
        if (rank == ROOT)
            write_values(receive_buffer, 1, bytes, rank + 1 + i, 0);
        MPI_Bcast(receive_buffer, count, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
        if (rank != ROOT)
            read_values(receive_buffer, 1, bytes);
    }
}

static void allreduce_later(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++) {
        write_values(send_buffer, 1, bytes, rank + 1 + i, 0);
        MPI_Request request;
        MPI_Iallreduce(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        read_values(receive_buffer, 1, bytes);
    }
}

static void reduce(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++) {
        write_values(send_buffer, 1, bytes, rank + 1 + i, 0);
        MPI_Reduce(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, ROOT, MPI_COMM_WORLD);
        if (rank == ROOT)
            read_values(receive_buffer, 1, bytes);
    }
}

static void scan(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++) {
        write_values(send_buffer, 1, bytes, rank + 1 + i, 0);
        MPI_Scan(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        read_values(receive_buffer, 1, bytes);
    }
}

static void gather(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++) {
        write_values(send_buffer, 1, bytes, rank + 1 + i, 0);
        MPI_Gather(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
        if (rank == ROOT)
            read_values(receive_buffer, size, bytes);
    }
}

static void allgather(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++) {
        write_values(send_buffer, 1, bytes, rank + 1 + i, 0);
        MPI_Allgather(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, MPI_COMM_WORLD);
        read_values(receive_buffer, size, bytes);
    }
}

static void scatter(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++) {
        if (rank == ROOT)
            write_values(send_buffer, size, bytes, rank + 1 + i, size);
        MPI_Scatter(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
        read_values(receive_buffer, 1, bytes);
    }
}

static void alltoall(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < times; i++) {
        write_values(send_buffer, size, bytes, rank + 1 + i, size);
        MPI_Alltoall(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, MPI_COMM_WORLD);
        read_values(receive_buffer, size, bytes);
    }
}

static void reduce_scatter(size_t bytes, int times) {
    int count = (int)(bytes / sizeof(double));
    for (int i = 0; i < size; i++)
        counts[i] = count;
    for (int i = 0; i < times; i++) {
        write_values(send_buffer, size, bytes, rank + 1 + i, size);
        MPI_Reduce_scatter(send_buffer, receive_buffer, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        read_values(receive_buffer, 1, bytes);
    }
}

static void check_collectives(void) {
    double sum = size * (size + 1.0) / 2;
    allreduce(MAX_BYTES, 1);
    if (!are_values(receive_buffer, 1, MAX_BYTES, sum, 0))
        fail("a sum is wrong");
    reduce(MAX_BYTES, 1);
    if (rank == ROOT && !are_values(receive_buffer, 1, MAX_BYTES, sum, 0))
        fail("a sum for one process is wrong");
    allreduce_later(sizeof(double), 1);
    if (!are_values(receive_buffer, 1, sizeof(double), sum, 0))
        fail("a later sum is wrong");
    broadcast(MAX_BYTES, 1);
    if (!are_values(receive_buffer, 1, MAX_BYTES, ROOT + 1, 0))
        fail("a broadcast is wrong");
    scan(MAX_BLOCK, 1);
    if (!are_values(receive_buffer, 1, MAX_BLOCK, (rank + 1) * (rank + 2.0) / 2, 0))
        fail("a scan is wrong");
    gather(MAX_BLOCK, 1);
    if (rank == ROOT && !are_values(receive_buffer, size, MAX_BLOCK, 1, 1))
        fail("a gathering is wrong");
    allgather(MAX_BLOCK, 1);
    if (!are_values(receive_buffer, size, MAX_BLOCK, 1, 1))
        fail("a gathering for all is wrong");
    scatter(MAX_BLOCK, 1);
    if (!are_values(receive_buffer, 1, MAX_BLOCK, ROOT + 1 + size * rank, 0))
        fail("a scattering is wrong");
    alltoall(MAX_BLOCK, 1);
    if (!are_values(receive_buffer, size, MAX_BLOCK, 1 + size * rank, 1))
        fail("an exchange is wrong");
    reduce_scatter(MAX_BLOCK, 1);
    if (!are_values(receive_buffer, 1, MAX_BLOCK, sum + (double)size * size * rank, 0))
        fail("a scattered sum is wrong");
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
