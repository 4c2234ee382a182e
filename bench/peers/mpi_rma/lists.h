/* Words that a list of random indices names, in the memory of the next process: the first reads them, writes them or adds to them. Each in
   three ways: a call for each word and one flush; one call with a datatype made of the list; and lists that are sent to the process that has
   the words, which packs or unpacks. */

#ifndef LISTS_H
#define LISTS_H

#include "transfers.h"

enum { LISTED = 1 << 16, LIST_WORDS = 1 << 20, LIST_TAG = 7 };

static int *indices;
static uint64_t *listed;

static void prepare_lists(void) {
    indices = malloc(LISTED * sizeof *indices);
    listed = malloc(LISTED * sizeof *listed);
    if (!indices || !listed)
        fail("out of memory");
    uint64_t random = 0x9e3779b97f4a7c15;
    for (int i = 0; i < LISTED; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        indices[i] = (int)(random % LIST_WORDS);
        listed[i] = 1;
    }
}

static void release_lists(void) {
    free(listed);
    free(indices);
}

static void list_gather_each(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    while (times-- > 0) {
        for (int i = 0; i < LISTED; i++)
            MPI_Get(&listed[i], 1, MPI_UINT64_T, next_process(), DATA + indices[i], 1, MPI_UINT64_T, window);
        MPI_Win_flush(next_process(), window);
    }
}

static void list_scatter_each(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    while (times-- > 0) {
        for (int i = 0; i < LISTED; i++)
            MPI_Put(&listed[i], 1, MPI_UINT64_T, next_process(), DATA + indices[i], 1, MPI_UINT64_T, window);
        MPI_Win_flush(next_process(), window);
    }
}

static void list_add_each(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    while (times-- > 0) {
        for (int i = 0; i < LISTED; i++)
            MPI_Accumulate(&listed[i], 1, MPI_UINT64_T, next_process(), DATA + indices[i], 1, MPI_UINT64_T, MPI_SUM,
                           window);
        MPI_Win_flush(next_process(), window);
    }
}

/* A program that has another list each time makes a datatype each time. */
static MPI_Datatype indexed(void) {
    MPI_Datatype type;
    MPI_Type_create_indexed_block(LISTED, 1, indices, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    return type;
}

static void list_gather_indexed(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    while (times-- > 0) {
        MPI_Datatype type = indexed();
        MPI_Get(listed, LISTED, MPI_UINT64_T, next_process(), DATA, 1, type, window);
        MPI_Win_flush(next_process(), window);
        MPI_Type_free(&type);
    }
}

static void list_scatter_indexed(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    while (times-- > 0) {
        MPI_Datatype type = indexed();
        MPI_Put(listed, LISTED, MPI_UINT64_T, next_process(), DATA, 1, type, window);
        MPI_Win_flush(next_process(), window);
        MPI_Type_free(&type);
    }
}

static void list_add_indexed(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    while (times-- > 0) {
        MPI_Datatype type = indexed();
        MPI_Accumulate(listed, LISTED, MPI_UINT64_T, next_process(), DATA, 1, type, MPI_SUM, window);
        MPI_Win_flush(next_process(), window);
        MPI_Type_free(&type);
    }
}

/* The process that has the words takes part. A process alone would wait for itself. */
static void list_gather_packed(size_t bytes, int times) {
    (void)bytes;
    static int asked[LISTED];
    static uint64_t packed[LISTED];
    if (size == 1)
        fail("packing needs two processes");
    for (; times > 0 && rank < 2; times--)
        if (rank == 0) {
            MPI_Send(indices, LISTED, MPI_INT, 1, LIST_TAG, MPI_COMM_WORLD);
            MPI_Recv(listed, LISTED, MPI_UINT64_T, 1, LIST_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(asked, LISTED, MPI_INT, 0, LIST_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < LISTED; i++)
                packed[i] = words[DATA + asked[i]];
            MPI_Send(packed, LISTED, MPI_UINT64_T, 0, LIST_TAG, MPI_COMM_WORLD);
        }
}

/* Unpacks what the first process sends, and tells it when that is done. */
static void unpack(int times, int adds) {
    static int named[LISTED];
    static uint64_t packed[LISTED];
    if (size == 1)
        fail("packing needs two processes");
    for (; times > 0 && rank < 2; times--)
        if (rank == 0) {
            MPI_Send(indices, LISTED, MPI_INT, 1, LIST_TAG, MPI_COMM_WORLD);
            MPI_Send(listed, LISTED, MPI_UINT64_T, 1, LIST_TAG, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_INT, 1, LIST_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(named, LISTED, MPI_INT, 0, LIST_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(packed, LISTED, MPI_UINT64_T, 0, LIST_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (adds)
                for (int i = 0; i < LISTED; i++)
                    words[DATA + named[i]] += packed[i];
            else
                for (int i = 0; i < LISTED; i++)
                    words[DATA + named[i]] = packed[i];
            MPI_Send(NULL, 0, MPI_INT, 0, LIST_TAG, MPI_COMM_WORLD);
        }
}

static void list_scatter_packed(size_t bytes, int times) {
    (void)bytes;
    unpack(times, 0);
}

static void list_add_packed(size_t bytes, int times) {
    (void)bytes;
    unpack(times, 1);
}

static void check_list_gather(void (*run)(size_t, int)) {
    fill(words + DATA, LIST_WORDS, 2000 + rank, 1);
    run(0, 1);
    for (int i = 0; rank == 0 && i < LISTED; i++)
        if (listed[i] != 2000 + (uint64_t)next_process() + (uint64_t)indices[i])
            fail("a list of gets is wrong");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each word becomes its index, or its old value and that for each time that it is named. */
static void check_list_change(void (*run)(size_t, int), int adds) {
    fill(words + DATA, LIST_WORDS, adds, 0);
    for (int i = 0; i < LISTED; i++)
        listed[i] = (uint64_t)indices[i];
    run(0, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    uint64_t *expected = calloc(LIST_WORDS, sizeof *expected);
    if (!expected)
        fail("out of memory");
    for (int i = 0; i < LISTED; i++)
        expected[indices[i]] = (uint64_t)indices[i] + (adds ? expected[indices[i]] : 0);
    for (int i = 0; rank == next_process() && i < LIST_WORDS; i++)
        if (words[DATA + i] != expected[i] + (uint64_t)adds)
            fail("a list of puts is wrong");
    free(expected);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_list_gather_each(void) {
    check_list_gather(list_gather_each);
}

static void check_list_gather_indexed(void) {
    check_list_gather(list_gather_indexed);
}

static void check_list_gather_packed(void) {
    check_list_gather(list_gather_packed);
}

static void check_list_scatter_each(void) {
    check_list_change(list_scatter_each, 0);
}

static void check_list_scatter_indexed(void) {
    check_list_change(list_scatter_indexed, 0);
}

static void check_list_scatter_packed(void) {
    check_list_change(list_scatter_packed, 0);
}

static void check_list_add_each(void) {
    check_list_change(list_add_each, 1);
}

static void check_list_add_indexed(void) {
    check_list_change(list_add_indexed, 1);
}

static void check_list_add_packed(void) {
    check_list_change(list_add_packed, 1);
}

#endif
