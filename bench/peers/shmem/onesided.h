/* Single words, blocks and columns of the memory of another PE, and atomic operations on it. PE 0 works, and the
   others wait in the next barrier. */

#ifndef ONESIDED_H
#define ONESIDED_H

#include "world.h"

enum { WORDS = 1024, ROWS = 512, COLUMNS = 512 };

static void put(size_t bytes, int times) {
    (void)bytes;
    if (me == 0) {
        for (int i = 0; i < times; i++)
            shmem_ulong_p(&words[i & (WORDS - 1)], i, other);
        shmem_quiet();
    }
}

static void put_quiet(size_t bytes, int times) {
    (void)bytes;
    if (me == 0)
        for (int i = 0; i < times; i++) {
            shmem_ulong_p(&words[i & (WORDS - 1)], i, other);
            shmem_quiet();
        }
}

static void get(size_t bytes, int times) {
    (void)bytes;
    if (me == 0) {
        word sum = 0;
        for (int i = 0; i < times; i++)
            sum += shmem_ulong_g(&words[i & (WORDS - 1)], other);
        kept = sum;
    }
}

static void bulk_put(size_t bytes, int times) {
    if (me == 0)
        for (int i = 0; i < times; i++) {
            shmem_putmem(block, buffer, bytes, other);
            shmem_quiet();
        }
}

static void bulk_get(size_t bytes, int times) {
    if (me == 0)
        for (int i = 0; i < times; i++)
            shmem_getmem(buffer, block, bytes, other);
}

/* The block holds a matrix, row by row. */
static void column_put(size_t bytes, int times) {
    (void)bytes;
    double *matrix = block;
    if (me == 0)
        for (int i = 0; i < times; i++) {
            shmem_double_iput(matrix + (i & (COLUMNS - 1)), buffer, COLUMNS, 1, ROWS, other);
            shmem_quiet();
        }
}

static void column_get(size_t bytes, int times) {
    (void)bytes;
    double *matrix = block;
    if (me == 0)
        for (int i = 0; i < times; i++)
            shmem_double_iget(buffer, matrix + (i & (COLUMNS - 1)), 1, COLUMNS, ROWS, other);
}

static void fetch_add(size_t bytes, int times) {
    (void)bytes;
    if (me == 0) {
        word sum = 0;
        for (int i = 0; i < times; i++)
            sum += shmem_ulong_atomic_fetch_add(&words[0], 1, other);
        kept = sum;
    }
}

/* Expects what the last one put there, so that all succeed. */
static void compare_exchange(size_t bytes, int times) {
    (void)bytes;
    static word last;
    if (me == 0) {
        last = shmem_ulong_g(&words[WORDS], other);
        for (int i = 0; i < times; i++) {
            if (shmem_ulong_atomic_compare_swap(&words[WORDS], last, last + 1, other) != last)
                fail("a word has changed by itself");
            last++;
        }
    }
}

/* Writes numbers into all words on this PE. */
static void fill(word *target, size_t count, word first) {
    for (size_t i = 0; i < count; i++)
        target[i] = first + i;
}

static int is_filled(const word *source, size_t count, word first) {
    for (size_t i = 0; i < count; i++)
        if (source[i] != first + i)
            return 0;
    return 1;
}

static void check_puts(void (*run)(size_t, int)) {
    fill(words, WORDS, 1);
    shmem_barrier_all();
    run(8, WORDS);
    shmem_barrier_all();
    if (!is_filled(words, WORDS, me == other ? 0 : 1))
        fail("a put is wrong");
    shmem_barrier_all();
}

static void check_put(void) {
    check_puts(put);
}

static void check_put_quiet(void) {
    check_puts(put_quiet);
}

static void check_get(void) {
    fill(words, WORDS, me);
    shmem_barrier_all();
    get(8, WORDS);
    if (me == 0 && kept != WORDS * (word)other + WORDS * (WORDS - 1) / 2)
        fail("a get is wrong");
    shmem_barrier_all();
}

static void check_bulk_put(void) {
    size_t count = BLOCK_BYTES / sizeof(word);
    fill(block, count, 2);
    fill(buffer, count, 1);
    shmem_barrier_all();
    bulk_put(BLOCK_BYTES, 1);
    shmem_barrier_all();
    if (!is_filled(block, count, me == other ? 1 : 2))
        fail("a put of many is wrong");
    shmem_barrier_all();
}

static void check_bulk_get(void) {
    size_t count = BLOCK_BYTES / sizeof(word);
    fill(block, count, me);
    fill(buffer, count, -1);
    shmem_barrier_all();
    bulk_get(BLOCK_BYTES, 1);
    if (me == 0 && !is_filled(buffer, count, other))
        fail("a get of many is wrong");
    shmem_barrier_all();
}

/* What check_columns wants where. */
static double element(int row, int column) {
    return row * COLUMNS + column;
}

static void check_column_put(void) {
    double *matrix = block, *column = buffer;
    memset(block, 0, ROWS * COLUMNS * sizeof *matrix);
    for (int row = 0; row < ROWS; row++)
        column[row] = element(row, 1);
    shmem_barrier_all();
    column_put(ROWS * sizeof *column, 2);
    shmem_barrier_all();
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < COLUMNS; i++)
            if (matrix[row * COLUMNS + i] != (me == other && i < 2 ? element(row, 1) : 0))
                fail("a put of a column is wrong");
    shmem_barrier_all();
}

static void check_column_get(void) {
    double *matrix = block, *column = buffer;
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < COLUMNS; i++)
            matrix[row * COLUMNS + i] = element(row, i) + me;
    shmem_barrier_all();
    column_get(ROWS * sizeof *column, 3);
    if (me == 0)
        for (int row = 0; row < ROWS; row++)
            if (column[row] != element(row, 2) + other)
                fail("a get of a column is wrong");
    shmem_barrier_all();
}

static void check_fetch_add(void) {
    words[0] = 7;
    shmem_barrier_all();
    fetch_add(8, 10);
    shmem_barrier_all();
    if ((me == 0 && kept != 115) || words[0] != (me == other ? 17 : 7))
        fail("an addition is wrong");
    shmem_barrier_all();
}

static void check_compare_exchange(void) {
    words[WORDS] = 40 + me;
    shmem_barrier_all();
    compare_exchange(8, 10);
    shmem_barrier_all();
    if (words[WORDS] != (word)(40 + me + (me == other ? 10 : 0)))
        fail("an exchange is wrong");
    shmem_barrier_all();
}

#endif
