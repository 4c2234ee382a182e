/* Barriers, reductions and broadcasts of MPI, timed as cobench times those of coarray.

   usage: mpirun -n N collectives MILLISECONDS MICROSECONDS [OPERATION ...]

   Prints the name of the library, then a line `OPERATION BYTES peer NS NS ...` for each operation and size: the time
   of one operation in each batch, from the first start on any process to the last end. Batches last about
   MICROSECONDS, at least five are taken, and together they last about MILLISECONDS. */

#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_BYTES = 8 << 20, MIN_BATCHES = 5, MAX_BATCH = 1 << 20 };

static const int ROOT = 0;

static int rank, size;
static double *send_buffer, *receive_buffer;

static void barrier(int count) {
    (void)count;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(int count) {
    MPI_Allreduce(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void broadcast(int count) {
    MPI_Bcast(receive_buffer, count, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*run)(int count);
    int has_sizes;
} operations[] = {
    {"sync_all", barrier, 0},
    {"co_sum", allreduce, 1},
    {"co_broadcast", broadcast, 1},
};

static void fail(const char *what) {
    fprintf(stderr, "collectives: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The nanoseconds of the clock that all processes of a machine share. */
static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void batch(void (*run)(int), int count, int times, int64_t *start, int64_t *end) {
    MPI_Barrier(MPI_COMM_WORLD);
    *start = now();
    for (int i = 0; i < times; i++)
        run(count);
    *end = now();
}

/* The first start and the last end of each of so many batches. */
static void merge(int64_t *starts, int64_t *ends, int batches) {
    MPI_Allreduce(MPI_IN_PLACE, starts, batches, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, ends, batches, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
}

static void measure(const char *name, void (*run)(int), int bytes, double budget, double batch_length) {
    int count = bytes / (int)sizeof(double);
    int times = 1;
    int64_t start, end;
    for (;; times *= 2) {
        batch(run, count, times, &start, &end);
        batch(run, count, times, &start, &end);
        merge(&start, &end, 1);
        if (2 * (end - start) > batch_length || times >= MAX_BATCH)
            break;
    }
    int batches = (int)(budget / (end - start));
    if (batches < MIN_BATCHES)
        batches = MIN_BATCHES;
    int64_t *starts = malloc(batches * sizeof *starts);
    int64_t *ends = malloc(batches * sizeof *ends);
    if (!starts || !ends)
        fail("out of memory");
    for (int i = 0; i < batches; i++)
        batch(run, count, times, &starts[i], &ends[i]);
    merge(starts, ends, batches);
    if (rank == 0) {
        printf("%s %d peer", name, bytes);
        for (int i = 0; i < batches; i++)
            printf(" %.3f", (double)(ends[i] - starts[i]) / times);
        printf("\n");
        fflush(stdout);
    }
    free(starts);
    free(ends);
}

/* The largest reduction and broadcast must be right before they are fast. */
static void check(void) {
    int count = MAX_BYTES / (int)sizeof(double);
    for (int i = 0; i < count; i++)
        send_buffer[i] = receive_buffer[i] = rank + 1;
    allreduce(count);
    for (int i = 0; i < count; i++)
        if (receive_buffer[i] != size * (size + 1.0) / 2)
            fail("a sum is wrong");
    for (int i = 0; i < count; i++)
        receive_buffer[i] = rank + 1;
    broadcast(count);
    for (int i = 0; i < count; i++)
        if (receive_buffer[i] != ROOT + 1)
            fail("a broadcast is wrong");
    for (int i = 0; i < count; i++)
        send_buffer[i] = 0;
}

static int is_wanted(const char *name, int argc, char **argv) {
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc == 3;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3)
        fail("usage: mpirun -n N collectives MILLISECONDS MICROSECONDS [OPERATION ...]");
    double budget = atof(argv[1]) * 1e6, batch_length = atof(argv[2]) * 1e3;

    send_buffer = malloc(MAX_BYTES);
    receive_buffer = malloc(MAX_BYTES);
    if (!send_buffer || !receive_buffer)
        fail("out of memory");
    check();

    if (rank == 0) {
        char library[MPI_MAX_LIBRARY_VERSION_STRING];
        int length;
        MPI_Get_library_version(library, &length);
        printf("# %.*s\n", (int)strcspn(library, ",\n"), library);
    }
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (!is_wanted(operations[i].name, argc, argv))
            continue;
        if (!operations[i].has_sizes)
            measure(operations[i].name, operations[i].run, 0, budget, batch_length);
        else
            for (int bytes = 8; bytes <= MAX_BYTES; bytes *= 4)
                measure(operations[i].name, operations[i].run, bytes, budget, batch_length);
    }
    free(send_buffer);
    free(receive_buffer);
    MPI_Finalize();
    return 0;
}
