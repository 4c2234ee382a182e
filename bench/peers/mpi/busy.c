/* How long each single operation takes that waits: cobench starts this beside programs that compute.

   usage: mpirun -n N busy MILLISECONDS

   Prints a line `OPERATION 0 peer NS NS ...` for each operation: its times on process 0, for about MILLISECONDS. */

#define _POSIX_C_SOURCE 200809L

#include "world.h"

/* As often as cobench does it itself, in src/busy/job.rs. */
enum { LEAST = 200, MOST = 20000, BEFORE = 50 };

static int left, right;
static int64_t taken[MOST];

static void barrier(void) {
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each tells both of its neighbours, and waits for both. */
static void exchange(void) {
    MPI_Sendrecv(NULL, 0, MPI_BYTE, right, 0, NULL, 0, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, left, 1, NULL, 0, MPI_BYTE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A number goes round, and each adds one. */
static void ring(void) {
    static uint64_t number;
    if (rank > 0)
        MPI_Recv(&number, 1, MPI_UINT64_T, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    number++;
    MPI_Send(&number, 1, MPI_UINT64_T, right, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&number, 1, MPI_UINT64_T, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sum(void) {
    int own = rank, all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all != size * (size - 1) / 2)
        fail("a sum is wrong");
}

/* Fills in the times of so many; returns the mean. */
static double measure(void (*act)(void), int count) {
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t start = now(), before = start;
    for (int i = 0; i < count; i++) {
        act();
        int64_t after = now();
        taken[i] = after - before;
        before = after;
    }
    return (double)(before - start) / count;
}

static void tell(const char *operation, void (*act)(void), double budget) {
    double mean = measure(act, BEFORE);
    MPI_Allreduce(MPI_IN_PLACE, &mean, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double often = budget / mean;
    int count = often < LEAST ? LEAST : often > MOST ? MOST : (int)often;
    measure(act, count);
    if (rank > 0)
        return;
    printf("%s 0 peer", operation);
    for (int i = 0; i < count; i++)
        printf(" %lld", (long long)taken[i]);
    printf("\n");
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    double budget = argc > 1 ? atof(argv[1]) * 1e6 : 1e6;
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    print_title();
    tell("sync_all", barrier, budget);
    tell("event_exchange", exchange, budget);
    tell("notify_ring", ring, budget);
    tell("co_sum", sum, budget);
    MPI_Finalize();
    return 0;
}
