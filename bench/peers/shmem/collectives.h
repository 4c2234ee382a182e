/* Collective operations, on symmetric memory as OpenSHMEM wants it. It has no scans, gathers or scatters to one PE. Each PE writes its values
   before an operation, and reads what it gets after it. */

#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "../values.h"
#include "world.h"

/* Work arrays must not be in use elsewhere. A PE leaves a sum, an exchange or a collection after all others have
   entered it, so two arrays would do, in turns; the root of a broadcast waits for nobody, and only a barrier after each round
   of the arrays holds it back. The same goes for what is received, except that a broadcast may replace what is still being read, which a program would
   have to prevent by barriers. */
enum { SYNCS = 64, ROOT = 0 };

static double *sent, *receivers[2], *works[2];
static long *syncs;
static int used;

static void prepare_collectives(void) {
    size_t parts = (size_t)pes * MAX_PART_BYTES;
    size_t bytes = parts > MAX_VALUES_BYTES ? parts : MAX_VALUES_BYTES;
    sent = symmetric(bytes);
    for (int i = 0; i < 2; i++) {
        receivers[i] = symmetric(bytes);
        works[i] = symmetric(work_length(MAX_VALUES_BYTES / sizeof(double)) * sizeof(double));
    }
    syncs = new_sync(SYNCS);
}

static void release_collectives(void) {
    shmem_free(syncs);
    for (int i = 1; i >= 0; i--) {
        shmem_free(works[i]);
        shmem_free(receivers[i]);
    }
    shmem_free(sent);
}

static long *next_sync(void) {
    if (++used == SYNCS) {
        shmem_barrier_all();
        used = 0;
    }
    return syncs + used * SHMEM_SYNC_SIZE;
}

/* Where the operation that has just begun, or was the last, receives. */
static double *received(void) {
    return receivers[used & 1];
}

static void sum(size_t bytes, int times) {
    for (int i = 0; i < times; i++) {
        long *sync = next_sync();
        write_values(sent, 1, bytes, me + 1 + i, 0);
        shmem_double_sum_to_all(received(), sent, (int)(bytes / sizeof(double)), 0, 0, pes, works[used & 1], sync);
        read_values(received(), 1, bytes);
    }
}

static void broadcast(size_t bytes, int times) {
    for (int i = 0; i < times; i++) {
        long *sync = next_sync();
        if (me == ROOT)
            write_values(sent, 1, bytes, ROOT + 1 + i, 0);
        shmem_broadcast64(received(), sent, bytes / sizeof(double), ROOT, 0, 0, pes, sync);
        if (me != ROOT)
            read_values(received(), 1, bytes);
    }
}

static void allgather(size_t bytes, int times) {
    for (int i = 0; i < times; i++) {
        long *sync = next_sync();
        write_values(sent, 1, bytes, me + 1 + i, 0);
        shmem_fcollect64(received(), sent, bytes / sizeof(double), 0, 0, pes, sync);
        read_values(received(), pes, bytes);
    }
}

static void alltoall(size_t bytes, int times) {
    for (int i = 0; i < times; i++) {
        long *sync = next_sync();
        write_values(sent, pes, bytes, me + i, pes);
        shmem_alltoall64(received(), sent, bytes / sizeof(double), 0, 0, pes, sync);
        read_values(received(), pes, bytes);
    }
}

static void check_sum(void) {
    sum(MAX_VALUES_BYTES, 2);
    if (!are_values(received(), 1, MAX_VALUES_BYTES, pes * (pes + 1.0) / 2 + pes, 0))
        fail("a sum is wrong");
    shmem_barrier_all();
}

/* The root's own target stays as it is. */
static void check_broadcast(void) {
    broadcast(MAX_VALUES_BYTES, 2 * SYNCS);
    if (me != ROOT && !are_values(received(), 1, MAX_VALUES_BYTES, ROOT + 2 * SYNCS, 0))
        fail("a broadcast is wrong");
    shmem_barrier_all();
}

static void check_allgather(void) {
    allgather(MAX_PART_BYTES, 2);
    if (!are_values(received(), pes, MAX_PART_BYTES, 2, 1))
        fail("a collection is wrong");
    shmem_barrier_all();
}

static void check_alltoall(void) {
    alltoall(MAX_PART_BYTES, 2);
    if (!are_values(received(), pes, MAX_PART_BYTES, (double)me * pes + 1, 1))
        fail("an exchange is wrong");
    shmem_barrier_all();
}

#endif
