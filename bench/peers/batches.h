/* What the programs in C share that time single operations: the clock, how long a batch is, how many are taken, which
   operations are wanted, and what is printed.

   Their arguments are MILLISECONDS MICROSECONDS [OPERATION ...]. They print a line `OPERATION BYTES peer NS NS ...` for
   each operation and size: the time of one operation in each batch, from the first start on any process to the last end.
   Batches last about MICROSECONDS, at least five are taken, and together they last about MILLISECONDS.

   Whoever includes this file defines the three functions that are declared first. */

#ifndef BATCHES_H
#define BATCHES_H

#ifndef _POSIX_C_SOURCE
#error "define _POSIX_C_SOURCE as 200809L before the first header, for the clock"
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Waits until all processes are here. */
static void batches_barrier(void);

/* Replaces on every process each start by the least and each end by the greatest of all processes. */
static void batches_merge(int64_t *starts, int64_t *ends, int batches);

/* Says what is wrong and ends all processes with a code other than zero. */
static void fail(const char *what);

enum { MIN_BATCHES = 5, WARM_UP = 3, TRIALS = 5, MAX_TIMES = 1 << 20, MAX_SIZES = 12 };

struct operation {
    const char *name;
    /* Does it so many times, all complete at the end. Every process runs it, also those that only wait. */
    void (*run)(size_t bytes, int times);
    /* Fails if it does not do what it should; runs once before anything is timed. May be NULL. */
    void (*check)(void);
    /* How many operations one `time` is, where the processes take turns; otherwise 1. */
    int turns;
    /* At least one; after the first, a zero ends them. */
    size_t sizes[MAX_SIZES];
};

/* The nanoseconds of the clock that all processes of a machine share. */
static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void batches_one(const struct operation *operation, size_t bytes, int times, int64_t *start, int64_t *end) {
    batches_barrier();
    *start = now();
    operation->run(bytes, times);
    *end = now();
}

/* The shortest of a few batches, as one of them may be disturbed. */
static int64_t batches_length(const struct operation *operation, size_t bytes, int times) {
    int64_t starts[TRIALS], ends[TRIALS], shortest = INT64_MAX;
    for (int i = 0; i < TRIALS; i++)
        batches_one(operation, bytes, times, &starts[i], &ends[i]);
    batches_merge(starts, ends, TRIALS);
    for (int i = 0; i < TRIALS; i++)
        if (ends[i] - starts[i] < shortest)
            shortest = ends[i] - starts[i];
    return shortest;
}

static void batches_measure(const struct operation *operation, size_t bytes, int is_first, double budget,
                            double batch_length) {
    int times = 1;
    int64_t length;
    while (2 * (length = batches_length(operation, bytes, times)) <= batch_length && times < MAX_TIMES)
        times *= 2;
    /* What is new to the caches takes longer for a dozen times. Shorter operations have been repeated as often by now. */
    if (times == 1)
        operation->run(bytes, (int)(WARM_UP * budget / length));
    int batches = (int)(budget / length);
    if (batches < MIN_BATCHES)
        batches = MIN_BATCHES;
    int64_t *starts = malloc(batches * sizeof *starts);
    int64_t *ends = malloc(batches * sizeof *ends);
    if (!starts || !ends) {
        fail("out of memory");
        return;
    }
    for (int i = 0; i < batches; i++)
        batches_one(operation, bytes, times, &starts[i], &ends[i]);
    batches_merge(starts, ends, batches);
    if (is_first) {
        printf("%s %zu peer", operation->name, bytes);
        for (int i = 0; i < batches; i++)
            printf(" %.3f", (double)(ends[i] - starts[i]) / times / operation->turns);
        printf("\n");
        fflush(stdout);
    }
    free(starts);
    free(ends);
}

/* Whether the arguments name it, or nothing. */
static int is_wanted(const char *name, int argc, char **argv) {
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc == 3;
}

/* Checks and times what is wanted of so many operations. The first process prints. */
static void batches_run(const struct operation *operations, size_t count, int is_first, int argc, char **argv) {
    if (argc < 3) {
        fail("usage: operations MILLISECONDS MICROSECONDS [OPERATION ...]");
        return;
    }
    double budget = atof(argv[1]) * 1e6, batch_length = atof(argv[2]) * 1e3;
    for (size_t i = 0; i < count; i++)
        if (is_wanted(operations[i].name, argc, argv) && operations[i].check)
            operations[i].check();
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(operations[i].name, argc, argv))
            continue;
        for (int size = 0; size < MAX_SIZES && (size == 0 || operations[i].sizes[size] != 0); size++)
            batches_measure(&operations[i], operations[i].sizes[size], is_first, budget, batch_length);
    }
}

#endif
