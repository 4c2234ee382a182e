/* Single words, blocks and columns: what the first process writes to the next and reads from it. */

#ifndef TRANSFERS_H
#define TRANSFERS_H

#include "../mpi/world.h"
#include "window.h"

enum { WORDS = 1024, ORDER = 512, MAX_BULK = 64 << 20 };

/* What the first process writes from and reads into. */
static uint64_t *own_words;
static MPI_Datatype column;
static volatile uint64_t kept;

static void prepare_transfers(size_t bytes) {
    own_words = malloc(bytes);
    if (!own_words)
        fail("out of memory");
    memset(own_words, 0, bytes);
    MPI_Type_vector(ORDER, 1, ORDER, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
}

static void release_transfers(void) {
    MPI_Type_free(&column);
    free(own_words);
}

static int next_process(void) {
    return 1 % size;
}

static void put(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    for (int i = 0; i < times; i++) {
        int word = i % WORDS;
        MPI_Put(&own_words[word], 1, MPI_UINT64_T, next_process(), DATA + word, 1, MPI_UINT64_T, window);
    }
    MPI_Win_flush(next_process(), window);
}

static void put_quiet(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    for (int i = 0; i < times; i++) {
        int word = i % WORDS;
        MPI_Put(&own_words[word], 1, MPI_UINT64_T, next_process(), DATA + word, 1, MPI_UINT64_T, window);
        MPI_Win_flush(next_process(), window);
    }
}

/* Waits after as many words as there is room for, as nobody has to wait for each. */
static void get(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    uint64_t sum = 0;
    for (int done = 0; done < times; done += WORDS) {
        int count = times - done < WORDS ? times - done : WORDS;
        for (int i = 0; i < count; i++)
            MPI_Get(&own_words[i], 1, MPI_UINT64_T, next_process(), DATA + i, 1, MPI_UINT64_T, window);
        MPI_Win_flush(next_process(), window);
        for (int i = 0; i < count; i++)
            sum += own_words[i];
    }
    kept = sum;
}

static void bulk_put(size_t bytes, int times) {
    if (rank != 0)
        return;
    for (int i = 0; i < times; i++) {
        MPI_Put(own_words, (int)bytes, MPI_BYTE, next_process(), DATA, (int)bytes, MPI_BYTE, window);
        MPI_Win_flush(next_process(), window);
    }
}

static void bulk_get(size_t bytes, int times) {
    if (rank != 0)
        return;
    for (int i = 0; i < times; i++) {
        MPI_Get(own_words, (int)bytes, MPI_BYTE, next_process(), DATA, (int)bytes, MPI_BYTE, window);
        MPI_Win_flush(next_process(), window);
    }
}

static void column_put(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    for (int i = 0; i < times; i++) {
        MPI_Put(own_words, ORDER, MPI_DOUBLE, next_process(), DATA + i % ORDER, 1, column, window);
        MPI_Win_flush(next_process(), window);
    }
}

static void column_get(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    for (int i = 0; i < times; i++) {
        MPI_Get(own_words, ORDER, MPI_DOUBLE, next_process(), DATA + i % ORDER, 1, column, window);
        MPI_Win_flush(next_process(), window);
    }
}

/* Fills so many words of this process's memory, once all others have done with it. */
static void fill(uint64_t *memory, size_t count, uint64_t first, uint64_t step) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < count; i++)
        memory[i] = first + i * step;
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int holds(const uint64_t *memory, size_t count, size_t stride, uint64_t first, uint64_t step) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    for (size_t i = 0; i < count; i++)
        if (memory[i * stride] != first + i * step)
            return 0;
    return 1;
}

static void check_puts(void (*run)(size_t, int), size_t count) {
    fill(own_words, count, 1000, 1);
    run(count * sizeof(uint64_t), (int)count);
    if (!holds(words + DATA, rank == next_process() ? count : 0, 1, 1000, 1))
        fail("a put is wrong");
}

static void check_gets(void (*run)(size_t, int), size_t count) {
    fill(words + DATA, count, 2000 + rank, 1);
    run(count * sizeof(uint64_t), (int)count);
    if (!holds(own_words, rank == 0 ? count : 0, 1, 2000 + next_process(), 1))
        fail("a get is wrong");
}

static void check_put(void) {
    check_puts(put, WORDS);
}

static void check_put_quiet(void) {
    check_puts(put_quiet, WORDS);
}

static void check_get(void) {
    check_gets(get, WORDS);
    if (rank == 0 && kept != (uint64_t)WORDS * (2000 + next_process()) + WORDS * (WORDS - 1) / 2)
        fail("a sum of what came is wrong");
}

static void check_bulk_put(void) {
    check_puts(bulk_put, 4096);
}

static void check_bulk_get(void) {
    check_gets(bulk_get, 4096);
}

static void check_column_put(void) {
    fill(words + DATA, ORDER * ORDER, 0, 0);
    fill(own_words, ORDER, 3000, 1);
    column_put(0, 2);
    int is_target = rank == next_process();
    if (!holds(words + DATA, is_target ? ORDER : 0, ORDER, 3000, 1) ||
        !holds(words + DATA + 1, is_target ? ORDER : 0, ORDER, 3000, 1) ||
        !holds(words + DATA + 2, is_target ? ORDER : 0, ORDER, 0, 0))
        fail("a column that was put is wrong");
}

static void check_column_get(void) {
    fill(words + DATA, ORDER * ORDER, 4000 + rank, 1);
    column_get(0, 2);
    if (!holds(own_words, rank == 0 ? ORDER : 0, 1, 4001 + next_process(), ORDER))
        fail("a column that was read is wrong");
}

#endif
