/* Random updates of a table that lies on all PEs, by all of them at the same time. */

#ifndef UPDATES_H
#define UPDATES_H

#include "world.h"

#include "../lfsr.h"

/* The block holds this PE's part of the table. */
enum { TABLE_WORDS = 1 << 23 };
_Static_assert(TABLE_WORDS * sizeof(word) == BLOCK_BYTES, "the table is the block");

static word generator;

static inline int owner(word number) {
    return (int)((number >> 32) * (word)pes >> 32);
}

static inline word *place(word number) {
    return (word *)block + (number & (TABLE_WORDS - 1));
}

/* Loses an update where two PEs meet on a word, as GUPS may. */
static void gups(size_t bytes, int times) {
    (void)bytes;
    word number = generator;
    for (int i = 0; i < times; i++) {
        number = next_random(number);
        word *target = place(number);
        int pe = owner(number);
        shmem_ulong_p(target, shmem_ulong_g(target, pe) ^ number, pe);
    }
    shmem_quiet();
    generator = number;
}

static void gups_atomic(size_t bytes, int times) {
    (void)bytes;
    word number = generator;
    for (int i = 0; i < times; i++) {
        number = next_random(number);
        shmem_ulong_atomic_xor(place(number), number, owner(number));
    }
    shmem_quiet();
    generator = number;
}

/* Each PE begins at another place of one sequence. */
static void seed(int pe) {
    generator = random_at((word)pe << 40);
}

/* After as many updates by all PEs the table must be what one PE makes of it alone, but for so many words. */
static void check_updates(void (*run)(size_t, int), int allowed) {
    enum { TIMES = 10000 };
    word *table = block, *expected = buffer;
    fill(table, TABLE_WORDS, 0);
    fill(expected, TABLE_WORDS, 0);
    for (int pe = 0; pe < pes; pe++) {
        seed(pe);
        for (int i = 0; i < TIMES; i++) {
            generator = next_random(generator);
            if (owner(generator) == me)
                expected[generator & (TABLE_WORDS - 1)] ^= generator;
        }
    }
    seed(me);
    shmem_barrier_all();
    run(8, TIMES);
    shmem_barrier_all();
    int wrong = 0, changed = 0;
    for (size_t i = 0; i < TABLE_WORDS; i++) {
        wrong += table[i] != expected[i];
        changed += table[i] != i;
    }
    if (wrong > allowed)
        fail("an update is wrong");
    if (changed < TIMES / 2)
        fail("updates are missing");
    shmem_barrier_all();
}

static void check_gups(void) {
    check_updates(gups, 100);
}

static void check_gups_atomic(void) {
    check_updates(gups_atomic, 0);
}

#endif
