/* What the kernels share: their arguments, how work is divided among the PEs, the clock, and what is printed. */

#ifndef KERNEL_H
#define KERNEL_H

#include "pes.h"
#include <inttypes.h>
#include <math.h>
#include <time.h>

/* The positional argument of a number, which must be at least `least`; `otherwise` if it is missing, unless that is
   negative. To be called before begin(), as how much heap is needed depends on it. */
static inline int64_t argument(int argc, char **argv, int number, const char *name, int64_t least, int64_t otherwise) {
    if (argc <= number && otherwise >= 0)
        return otherwise;
    char *end = NULL;
    int64_t value = argc > number ? strtoll(argv[number], &end, 10) : 0;
    if (argc <= number || *end || end == argv[number] || value < least) {
        fprintf(stderr, "ERROR: argument %d must be %s, at least %" PRId64 "\n", number, name, least);
        exit(1);
    }
    return value;
}

/* Every PE must have at least so many. */
static inline void need(int64_t each, const char *what, int64_t total) {
    if (total >= each * pes)
        return;
    if (me == 0)
        printf("ERROR: %" PRId64 " %s are too few for %d PEs\n", total, what, pes);
    fflush(stdout);
    shmem_barrier_all();
    shmem_global_exit(1);
}

static inline void describe(const char *name, const char *what, int64_t value) {
    if (me != 0)
        return;
    if (name)
        printf("%s on OpenSHMEM\nPEs = %d\n", name, pes);
    printf("%s = %" PRId64 "\n", what, value);
}

/* Where the things of a PE begin, if `total` are divided so that no PE has more than one more than another. The first PE
   has as many as any. */
static inline int64_t share(int64_t total, int pe) {
    return (total * pe + pes - 1) / pes;
}

/* The sum or the greatest of the numbers of all PEs. */
static inline double reduce(double number, int is_sum) {
    double *numbers = symmetric((2 + SHMEM_REDUCE_MIN_WRKDATA_SIZE) * sizeof *numbers);
    long *sync = symmetric(SHMEM_REDUCE_SYNC_SIZE * sizeof *sync);
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    numbers[0] = number;
    shmem_barrier_all();
    if (is_sum)
        shmem_double_sum_to_all(numbers + 1, numbers, 1, 0, 0, pes, numbers + 2, sync);
    else
        shmem_double_max_to_all(numbers + 1, numbers, 1, 0, 0, pes, numbers + 2, sync);
    double result = numbers[1];
    shmem_free(sync);
    shmem_free(numbers);
    return result;
}

static inline double clock_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Starts the clock when all PEs have come here. */
static inline double clock_start(void) {
    shmem_barrier_all();
    return clock_now();
}

/* The time from the first start to the last end. Where PEs outnumber cores, one may start when another has ended: only with
   the barrier does the first one's time cover everything. */
static inline double clock_end(double start) {
    shmem_barrier_all();
    return reduce(clock_now() - start, 0);
}

/* Says whether the result is right and how fast it was made: so much work of a unit in each of the iterations. Ends the
   program. */
static inline void conclude(const char *what, double found, double expected, double tolerance, double work,
                            const char *unit, int64_t iterations, double seconds) {
    int is_right = fabs(found - expected) <= tolerance;
    if (me == 0) {
        double average = seconds / iterations;
        if (is_right)
            printf("Solution validates\nRate (%s): %.6f Avg time (s): %.9f\n", unit, work / average, average);
        else
            printf("ERROR: %s is %.17g, but it should be %.17g\n", what, found, expected);
        fflush(stdout);
    }
    shmem_finalize();
    exit(is_right ? 0 : 1);
}

#endif
