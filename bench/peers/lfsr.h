/* The random numbers of RandomAccess: the powers of x modulo x^64 + x^2 + x + 1 over the field of two elements. */

#ifndef LFSR_H
#define LFSR_H

#include <stdint.h>

static inline uint64_t next_random(uint64_t random) {
    return (random << 1) ^ ((int64_t)random < 0 ? 7 : 0);
}

static uint64_t product(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    for (int bit = 63; bit >= 0; bit--) {
        sum = next_random(sum);
        if (b >> bit & 1)
            sum ^= a;
    }
    return sum;
}

/* The number at a place in the sequence that begins with 1. */
static uint64_t random_at(uint64_t place) {
    uint64_t power = 1, square = 2;
    for (; place; place >>= 1) {
        if (place & 1)
            power = product(power, square);
        square = product(square, square);
    }
    return power;
}

#endif
