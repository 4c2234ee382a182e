/* What programs do with the values of a collective operation: they write them before it, and read the results after it. What is passed on
   again and again, and is neither written nor read, stays in the caches of whoever has fetched it once. */

#ifndef VALUES_H
#define VALUES_H

#include <stddef.h>

/* Where sums go, so that the compiler cannot leave out what makes them. */
static volatile double sum_of_values;

/* Writes blocks of so many bytes: a number, and each further block's times another. */
static void write_values(double *values, int blocks, size_t bytes, double first, double step) {
    size_t count = bytes / sizeof *values;
    for (int block = 0; block < blocks; block++)
        for (size_t i = 0; i < count; i++)
            values[block * count + i] = first + block * step;
}

/* Reads one number of each cache line of so many blocks. */
static void read_values(const double *values, int blocks, size_t bytes) {
    enum { LINE = 64 / sizeof(double) };
    double sum = 0;
    for (size_t i = 0; i < blocks * (bytes / sizeof *values); i += LINE)
        sum += values[i];
    sum_of_values = sum;
}

/* Whether they are what write_values writes. */
static int are_values(const double *values, int blocks, size_t bytes, double first, double step) {
    size_t count = bytes / sizeof *values;
    for (int block = 0; block < blocks; block++)
        for (size_t i = 0; i < count; i++)
            if (values[block * count + i] != first + block * step)
                return 0;
    return 1;
}

#endif
