/* Atomic operations on one word, and random updates of a table that all processes hold. */

#ifndef ATOMICS_H
#define ATOMICS_H

#include "../lfsr.h"
#include "transfers.h"

enum { LOG2_TABLE = 23, LOOK_AHEAD = 1024 };

/* Words beside those that signal. */
enum { ADDED = 16 * WORDS_PER_LINE, EXCHANGED = 17 * WORDS_PER_LINE };

static const size_t TABLE = (size_t)1 << LOG2_TABLE;
static uint64_t random_number;

static void fetch_add(size_t bytes, int times) {
    (void)bytes;
    if (rank != 0)
        return;
    uint64_t one = 1, before = 0;
    for (int i = 0; i < times; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, next_process(), ADDED, MPI_SUM, window);
        MPI_Win_flush(next_process(), window);
    }
    kept = before;
}

static void compare_exchange(size_t bytes, int times) {
    (void)bytes;
    /* What it put last. */
    static uint64_t expected;
    if (rank != 0)
        return;
    for (int i = 0; i < times; i++) {
        uint64_t desired = expected + 1, found;
        MPI_Compare_and_swap(&desired, &expected, &found, MPI_UINT64_T, next_process(), EXCHANGED, window);
        MPI_Win_flush(next_process(), window);
        if (found != expected)
            fail("compare and swap found what nobody put there");
        expected = desired;
    }
}

/* Where a random number goes: as often to one process as to another. */
static int target_of(uint64_t random) {
    return (int)((random >> 32) * (uint64_t)size >> 32);
}

static MPI_Aint place_of(uint64_t random) {
    return DATA + (MPI_Aint)(random & (TABLE - 1));
}

/* Reads many words, as RandomAccess allows, before it writes them. */
static void gups(size_t bytes, int times) {
    (void)bytes;
    static uint64_t randoms[LOOK_AHEAD], values[LOOK_AHEAD];
    for (int done = 0; done < times; done += LOOK_AHEAD) {
        int count = times - done < LOOK_AHEAD ? times - done : LOOK_AHEAD;
        for (int i = 0; i < count; i++) {
            uint64_t random = randoms[i] = random_number = next_random(random_number);
            MPI_Get(&values[i], 1, MPI_UINT64_T, target_of(random), place_of(random), 1, MPI_UINT64_T, window);
        }
        MPI_Win_flush_all(window);
        for (int i = 0; i < count; i++) {
            uint64_t random = randoms[i];
            values[i] ^= random;
            MPI_Put(&values[i], 1, MPI_UINT64_T, target_of(random), place_of(random), 1, MPI_UINT64_T, window);
        }
        MPI_Win_flush_all(window);
    }
}

static void gups_atomic(size_t bytes, int times) {
    (void)bytes;
    static uint64_t randoms[LOOK_AHEAD];
    for (int done = 0; done < times; done += LOOK_AHEAD) {
        int count = times - done < LOOK_AHEAD ? times - done : LOOK_AHEAD;
        for (int i = 0; i < count; i++) {
            uint64_t random = randoms[i] = random_number = next_random(random_number);
            MPI_Accumulate(&randoms[i], 1, MPI_UINT64_T, target_of(random), place_of(random), 1, MPI_UINT64_T, MPI_BXOR,
                           window);
        }
        MPI_Win_flush_all(window);
    }
}

static void check_fetch_add(void) {
    fill(words + ADDED, 1, 7, 0);
    fetch_add(sizeof(uint64_t), 100);
    if (!holds(words + ADDED, rank == next_process(), 1, 107, 0) || (rank == 0 && kept != 106))
        fail("a sum of fetch and add is wrong");
}

static void check_compare_exchange(void) {
    fill(words + EXCHANGED, 1, 0, 0);
    compare_exchange(sizeof(uint64_t), 100);
    if (!holds(words + EXCHANGED, rank == next_process(), 1, 100, 0))
        fail("a word of compare and swap is wrong");
}

/* The same updates again restore the table, but for so many in a thousand that may be lost. */
static void check_updates(void (*run)(size_t, int), int lost) {
    enum { UPDATES = 1 << 18 };
    fill(words + DATA, TABLE, 0, 1);
    uint64_t start = random_at((uint64_t)rank << 40);
    int changed = 0, wrong = 0;
    for (int pass = 0; pass < 2; pass++) {
        random_number = start;
        run(sizeof(uint64_t), UPDATES);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_sync(window);
        int differ = 0;
        for (size_t i = 0; i < TABLE; i++)
            differ += words[DATA + i] != i;
        *(pass == 0 ? &changed : &wrong) = differ;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (changed < UPDATES / 2 || wrong > (int64_t)UPDATES * lost / 1000)
        fail("updates are wrong");
}

static void check_gups(void) {
    check_updates(gups, 10);
}

static void check_gups_atomic(void) {
    check_updates(gups_atomic, 0);
}

#endif
