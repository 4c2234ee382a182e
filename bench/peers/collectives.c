/* Collective operations of MPI, timed as cobench times those of coarray.

   usage: mpirun -n N collectives MILLISECONDS MICROSECONDS [OPERATION ...]

   Prints the name of the library, then a line `OPERATION BYTES peer NS NS ...` for each operation and size: the time
   of one operation in each batch, from the first start on any process to the last end. BYTES are those of one process's
   values, or of one block where there is one for each process. Batches last about
   MICROSECONDS, at least five are taken, and together they last about MILLISECONDS. */

#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_BYTES = 8 << 20, MAX_BLOCK = 512 << 10, MIN_BATCHES = 5, MAX_BATCH = 1 << 20 };

static const int ROOT = 0;

static int rank, size;
static double *send_buffer, *receive_buffer;
static int *counts;

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

static void allreduce_later(int count) {
    MPI_Request request;
    MPI_Iallreduce(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void scan(int count) {
    MPI_Scan(send_buffer, receive_buffer, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(int count) {
    MPI_Gather(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
}

static void allgather(int count) {
    MPI_Allgather(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void scatter(int count) {
    MPI_Scatter(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
}

static void alltoall(int count) {
    MPI_Alltoall(send_buffer, count, MPI_DOUBLE, receive_buffer, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void reduce_scatter(int count) {
    for (int i = 0; i < size; i++)
        counts[i] = count;
    MPI_Reduce_scatter(send_buffer, receive_buffer, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The sizes grow from 8 bytes by a factor. */
static const struct {
    const char *name;
    void (*run)(int count);
    int largest, factor;
} operations[] = {
    {"sync_all", barrier, 0, 0},
    {"co_sum", allreduce, MAX_BYTES, 4},
    {"co_sum_async", allreduce_later, 8, 4},
    {"co_scan", scan, MAX_BLOCK, 16},
    {"co_broadcast", broadcast, MAX_BYTES, 4},
    {"co_gather", gather, MAX_BLOCK, 16},
    {"co_allgather", allgather, MAX_BLOCK, 16},
    {"co_scatter", scatter, MAX_BLOCK, 16},
    {"co_alltoall", alltoall, MAX_BLOCK, 16},
    {"co_reduce_scatter", reduce_scatter, MAX_BLOCK, 16},
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

/* Whether block after block of what came is a number plus the block's times another. */
static int holds(int blocks, int count, double first, double step) {
    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < count; i++)
            if (receive_buffer[block * count + i] != first + block * step)
                return 0;
    return 1;
}

/* What is fast must be right before. */
static void check(void) {
    int count = MAX_BYTES / (int)sizeof(double), block = MAX_BLOCK / (int)sizeof(double);
    double sum = size * (size + 1.0) / 2;
    for (int i = 0; i < count; i++)
        send_buffer[i] = receive_buffer[i] = rank + 1;
    allreduce(count);
    if (!holds(1, count, sum, 0))
        fail("a sum is wrong");
    allreduce_later(1);
    if (!holds(1, 1, sum, 0))
        fail("a later sum is wrong");
    for (int i = 0; i < count; i++)
        receive_buffer[i] = rank + 1;
    broadcast(count);
    if (!holds(1, count, ROOT + 1, 0))
        fail("a broadcast is wrong");

    for (int to = 0; to < size; to++)
        for (int i = 0; i < block; i++)
            send_buffer[to * block + i] = rank + 1 + size * to;
    scan(block);
    if (!holds(1, block, (rank + 1) * (rank + 2.0) / 2, 0))
        fail("a scan is wrong");
    gather(block);
    if (rank == ROOT && !holds(size, block, 1, 1))
        fail("a gathering is wrong");
    allgather(block);
    if (!holds(size, block, 1, 1))
        fail("a gathering for all is wrong");
    scatter(block);
    if (!holds(1, block, ROOT + 1 + size * rank, 0))
        fail("a scattering is wrong");
    alltoall(block);
    if (!holds(size, block, 1 + size * rank, 1))
        fail("an exchange is wrong");
    reduce_scatter(block);
    if (!holds(1, block, sum + (double)size * size * rank, 0))
        fail("a scattered sum is wrong");
    for (int i = 0; i < size * block || i < count; i++)
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

    size_t bytes_of_blocks = (size_t)size * MAX_BLOCK;
    size_t buffer = bytes_of_blocks > MAX_BYTES ? bytes_of_blocks : MAX_BYTES;
    send_buffer = malloc(buffer);
    receive_buffer = malloc(buffer);
    counts = malloc(size * sizeof *counts);
    if (!send_buffer || !receive_buffer || !counts)
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
        if (operations[i].largest == 0)
            measure(operations[i].name, operations[i].run, 0, budget, batch_length);
        for (int bytes = 8; bytes <= operations[i].largest; bytes *= operations[i].factor)
            measure(operations[i].name, operations[i].run, bytes, budget, batch_length);
    }
    free(send_buffer);
    free(receive_buffer);
    free(counts);
    MPI_Finalize();
    return 0;
}
