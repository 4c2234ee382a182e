/* Words that a list of random indices names, in the memory of another PE: PE 0 reads them, writes them or adds to them, by a call for each
   and one `shmem_quiet`. */

#ifndef LISTS_H
#define LISTS_H

#include "onesided.h"

enum { LISTED = 1 << 16, LIST_WORDS = 1 << 20 };

static size_t *indices;
static word *listed;

static void prepare_lists(void) {
    indices = private(LISTED * sizeof *indices);
    listed = private(LISTED * sizeof *listed);
    uint64_t random = 0x9e3779b97f4a7c15;
    for (int i = 0; i < LISTED; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        indices[i] = random % LIST_WORDS;
        listed[i] = 1;
    }
}

static void release_lists(void) {
    free(listed);
    free(indices);
}

static void list_gather_each(size_t bytes, int times) {
    (void)bytes;
    const word *there = block;
    if (me == 0)
        while (times-- > 0) {
            for (int i = 0; i < LISTED; i++)
                shmem_ulong_get_nbi(&listed[i], there + indices[i], 1, other);
            shmem_quiet();
        }
}

static void list_scatter_each(size_t bytes, int times) {
    (void)bytes;
    word *there = block;
    if (me == 0)
        while (times-- > 0) {
            for (int i = 0; i < LISTED; i++)
                shmem_ulong_p(there + indices[i], listed[i], other);
            shmem_quiet();
        }
}

static void list_add_each(size_t bytes, int times) {
    (void)bytes;
    word *there = block;
    if (me == 0)
        while (times-- > 0) {
            for (int i = 0; i < LISTED; i++)
                shmem_ulong_atomic_add(there + indices[i], listed[i], other);
            shmem_quiet();
        }
}

static void check_list_gather_each(void) {
    fill(block, LIST_WORDS, 2000 + me);
    shmem_barrier_all();
    list_gather_each(0, 1);
    for (int i = 0; me == 0 && i < LISTED; i++)
        if (listed[i] != 2000 + other + indices[i])
            fail("a list of gets is wrong");
    shmem_barrier_all();
}

/* Each word becomes its index, or the sum of that for each time that it is named. */
static void check_list_change(void (*run)(size_t, int), int adds) {
    memset(block, 0, LIST_WORDS * sizeof(word));
    for (int i = 0; i < LISTED; i++)
        listed[i] = indices[i];
    shmem_barrier_all();
    run(0, 1);
    shmem_barrier_all();
    word *expected = private(LIST_WORDS * sizeof *expected);
    for (int i = 0; i < LISTED; i++)
        expected[indices[i]] = indices[i] + (adds ? expected[indices[i]] : 0);
    if (me == other && memcmp(block, expected, LIST_WORDS * sizeof *expected) != 0)
        fail("a list of puts is wrong");
    free(expected);
    shmem_barrier_all();
}

static void check_list_scatter_each(void) {
    check_list_change(list_scatter_each, 0);
}

static void check_list_add_each(void) {
    check_list_change(list_add_each, 1);
}

#endif
