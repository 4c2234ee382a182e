/* A table of words that is spread over the PEs, for kernels that update it at random. */

#ifndef TABLE_H
#define TABLE_H

/* First, as it says which functions of the system are wanted. */
#include "kernel.h"

#include "../lfsr.h"

/* This PE's part of it, and the index of each PE's first word. */
static word *table;
static int64_t *firsts;
static int table_bits;

/* A table of 2^bits words in which word i is i. */
static inline void new_table(int bits) {
    table_bits = bits;
    firsts = private((pes + 1) * sizeof *firsts);
    for (int pe = 0; pe <= pes; pe++)
        firsts[pe] = share((int64_t)1 << bits, pe);
    table = symmetric(firsts[1] * sizeof *table);
    for (int64_t i = firsts[me]; i < firsts[me + 1]; i++)
        table[i - firsts[me]] = i;
    shmem_barrier_all();
}

/* The PE that has the word of a random number, that of its lowest bits. */
static inline int owner(word number) {
    word index = number & (((word)1 << table_bits) - 1);
    /* As share() divides them. */
    return (int)(index * pes >> table_bits);
}

/* Where the PE has it. */
static inline word *place(word number, int pe) {
    return table + ((number & (((word)1 << table_bits) - 1)) - firsts[pe]);
}

static inline void update(word number) {
    int pe = owner(number);
    shmem_ulong_atomic_xor(place(number, pe), number, pe);
}

/* How many words are not what they were at first. */
static inline double table_errors(void) {
    int64_t errors = 0;
    for (int64_t i = firsts[me]; i < firsts[me + 1]; i++)
        errors += table[i - firsts[me]] != (word)i;
    return reduce(errors, 1);
}

#endif
