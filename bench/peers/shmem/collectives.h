/* Collective operations, on symmetric memory as OpenSHMEM wants it. It has no scans, gathers or scatters to one PE. */

#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "world.h"

/* Work arrays must not be in use elsewhere. A PE leaves a sum, an exchange or a collection after all others have
   entered it, so two arrays would do, in turns; the root of a broadcast waits for nobody, and only a barrier after each round
   of the arrays holds it back. */
enum { SYNCS = 64, ROOT = 0 };

static double *sent, *received, *works[2];
static long *syncs;
static int used;

static void prepare_collectives(void) {
    size_t parts = (size_t)pes * MAX_PART_BYTES;
    size_t bytes = parts > MAX_VALUES_BYTES ? parts : MAX_VALUES_BYTES;
    sent = symmetric(bytes);
    received = symmetric(bytes);
    for (int i = 0; i < 2; i++)
        works[i] = symmetric(work_length(MAX_VALUES_BYTES / sizeof(double)) * sizeof(double));
    syncs = new_sync(SYNCS);
}

static void release_collectives(void) {
    shmem_free(syncs);
    shmem_free(works[1]);
    shmem_free(works[0]);
    shmem_free(received);
    shmem_free(sent);
}

static long *next_sync(void) {
    if (++used == SYNCS) {
        shmem_barrier_all();
        used = 0;
    }
    return syncs + used * SHMEM_SYNC_SIZE;
}

static void sum(size_t bytes, int times) {
    for (int i = 0; i < times; i++) {
        long *sync = next_sync();
        shmem_double_sum_to_all(received, sent, (int)(bytes / sizeof(double)), 0, 0, pes, works[used & 1], sync);
    }
}

static void broadcast(size_t bytes, int times) {
    for (int i = 0; i < times; i++)
        shmem_broadcast64(received, sent, bytes / sizeof(double), ROOT, 0, 0, pes, next_sync());
}

static void allgather(size_t bytes, int times) {
    for (int i = 0; i < times; i++)
        shmem_fcollect64(received, sent, bytes / sizeof(double), 0, 0, pes, next_sync());
}

static void alltoall(size_t bytes, int times) {
    for (int i = 0; i < times; i++)
        shmem_alltoall64(received, sent, bytes / sizeof(double), 0, 0, pes, next_sync());
}

/* Whether part after part of what came is a number plus the part's times another. */
static int came(int parts, size_t bytes, double first, double step) {
    size_t count = bytes / sizeof(double);
    for (int part = 0; part < parts; part++)
        for (size_t i = 0; i < count; i++)
            if (received[part * count + i] != first + part * step)
                return 0;
    return 1;
}

static void set(double *values, int parts, size_t bytes, double first, double step) {
    size_t count = bytes / sizeof(double);
    for (int part = 0; part < parts; part++)
        for (size_t i = 0; i < count; i++)
            values[part * count + i] = first + part * step;
    shmem_barrier_all();
}

static void check_sum(void) {
    set(sent, 1, MAX_VALUES_BYTES, me + 1, 0);
    sum(MAX_VALUES_BYTES, 2);
    if (!came(1, MAX_VALUES_BYTES, pes * (pes + 1.0) / 2, 0))
        fail("a sum is wrong");
    /* Nothing that is summed over and over again may grow. */
    set(sent, 1, MAX_VALUES_BYTES, 0, 0);
}

/* The root's own target stays as it is. */
static void check_broadcast(void) {
    set(sent, 1, MAX_VALUES_BYTES, me + 1, 0);
    set(received, 1, MAX_VALUES_BYTES, ROOT + 1, 0);
    if (me != ROOT)
        set(received, 1, MAX_VALUES_BYTES, -1, 0);
    else
        shmem_barrier_all();
    broadcast(MAX_VALUES_BYTES, 2 * SYNCS);
    if (!came(1, MAX_VALUES_BYTES, ROOT + 1, 0))
        fail("a broadcast is wrong");
    shmem_barrier_all();
}

static void check_allgather(void) {
    set(sent, 1, MAX_PART_BYTES, me + 1, 0);
    allgather(MAX_PART_BYTES, 2);
    if (!came(pes, MAX_PART_BYTES, 1, 1))
        fail("a collection is wrong");
    shmem_barrier_all();
}

static void check_alltoall(void) {
    set(sent, pes, MAX_PART_BYTES, me, pes);
    alltoall(MAX_PART_BYTES, 2);
    if (!came(pes, MAX_PART_BYTES, (double)me * pes, 1))
        fail("an exchange is wrong");
    shmem_barrier_all();
}

#endif
