/* The random numbers of HPCC RandomAccess and of the Parallel Research Kernels: powers of x modulo the polynomial
   x^64 + x^2 + x + 1 over the two numbers 0 and 1. */

#ifndef LFSR_H
#define LFSR_H

#include <stdint.h>

/* Times x. */
static inline uint64_t lfsr_next(uint64_t number) {
    return number << 1 ^ (-(number >> 63) & 7);
}

/* The product of two. */
static inline uint64_t lfsr_product(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    for (; b; b >>= 1, a = lfsr_next(a))
        if (b & 1)
            product ^= a;
    return product;
}

/* x to the power n: where a generator goes on that leaves out n numbers. */
static inline uint64_t lfsr_at(uint64_t n) {
    uint64_t power = 1;
    for (uint64_t square = 2; n; n >>= 1, square = lfsr_product(square, square))
        if (n & 1)
            power = lfsr_product(power, square);
    return power;
}

#endif
