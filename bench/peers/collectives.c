/* Barriers, reductions and broadcasts of MPI, timed as cobench times those of coarray.

   usage: mpirun -n N collectives MILLISECONDS [OPERATION ...]

   Prints the name of the library, then a line `OPERATION BYTES peer NS NS ...` for each operation and size: the time
   of one operation in each batch, on the slowest process. Batches last about 0.1 ms, at least five are taken, and
   together they last about MILLISECONDS. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 8 << 20, MIN_BATCHES = 5, MAX_BATCH = 1 << 20 };

static const double BATCH = 100e-6;
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

/* The seconds that a batch takes on this process. */
static double batch(void (*run)(int), int count, int times) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++)
        run(count);
    return MPI_Wtime() - start;
}

static void measure(const char *name, void (*run)(int), int bytes, double budget) {
    int count = bytes / (int)sizeof(double);
    int times = 1;
    double seconds;
    for (;; times *= 2) {
        batch(run, count, times);
        seconds = batch(run, count, times);
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (2 * seconds > BATCH || times >= MAX_BATCH)
            break;
    }
    int batches = (int)(budget / seconds);
    if (batches < MIN_BATCHES)
        batches = MIN_BATCHES;
    double *taken = malloc(batches * sizeof *taken);
    if (!taken)
        fail("out of memory");
    for (int i = 0; i < batches; i++)
        taken[i] = batch(run, count, times) / times;
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : taken, taken, batches, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s %d peer", name, bytes);
        for (int i = 0; i < batches; i++)
            printf(" %.2f", taken[i] * 1e9);
        printf("\n");
        fflush(stdout);
    }
    free(taken);
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
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc == 2;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2)
        fail("usage: mpirun -n N collectives MILLISECONDS [OPERATION ...]");
    double budget = atof(argv[1]) * 1e-3;

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
            measure(operations[i].name, operations[i].run, 0, budget);
        else
            for (int bytes = 8; bytes <= MAX_BYTES; bytes *= 4)
                measure(operations[i].name, operations[i].run, bytes, budget);
    }
    free(send_buffer);
    free(receive_buffer);
    MPI_Finalize();
    return 0;
}
