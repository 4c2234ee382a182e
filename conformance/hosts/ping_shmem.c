/* The same as ping_mpi.c, with OpenSHMEM: see there. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "watch.h"

static int me, size;

static void expect(int64_t found, int64_t expected, int other, const char *what) {
    if (found != expected) {
        fprintf(stderr, "ping: on process %d, %s process %d is %lld instead of %lld\n", me, what, other,
                (long long)found, (long long)expected);
        shmem_global_exit(3);
    }
}

static void abort_job(void) { shmem_global_exit(4); }

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

/* Each process raises the flag of the next one and waits until its own is raised. */
static void ring(int64_t *flag, int64_t round) {
    shmem_int64_p(flag, round + 1, (me + 1) % size);
    shmem_quiet();
    shmem_int64_wait_until(flag, SHMEM_CMP_GE, round + 1);
}

/* The words of each process: one from each other process, and a sum at the end. */
static void one_sided(int64_t *words, int64_t round) {
    for (int target = 0; target < size; target++) {
        int64_t put = round * 1000 + me;
        shmem_int64_p(&words[me], put, target);
        shmem_quiet();
        expect(shmem_int64_g(&words[me], target), put, target, "what was put to and got again from");
        shmem_long_atomic_fetch_add((long *)&words[size], 1, target);
    }
    shmem_barrier_all();
    for (int source = 0; source < size; source++)
        expect(words[source], round * 1000 + source, source, "the word put by");
    expect(words[size], (round + 1) * size, me, "the sum on");
    shmem_barrier_all();
}

int main(int count, char **arguments) {
    (void)arguments;
    /* Without this, Open MPI 4.1 crashes in shmem_finalize. */
    setenv("OMPI_MCA_osc", "^rdma", 0);
    shmem_init();
    me = shmem_my_pe();
    size = shmem_n_pes();
    char node[256];
    gethostname(node, sizeof node);
    int64_t *words = shmem_calloc(size + 2, sizeof *words);
    int on_node = 0;
    for (int other = 0; other < size; other++) on_node += shmem_ptr(words, other) != NULL;
    printf("process %d of %d on %s, reaches %d by address\n", me, size, node, on_node);
    fflush(stdout);
    shmem_barrier_all();

    watch(me, node, abort_job);
    int rounds = 10;
    double start = seconds();
    for (int64_t round = 0; round < rounds || count > 1; round++) {
        ring(&words[size + 1], round);
        one_sided(words, round);
        came_further();
        if (round == rounds - 1 && me == 0) {
            double each = (seconds() - start) / ((double)rounds * size * 3);
            printf("passed: %d rounds, %.0f us for each put, get or addition\n", rounds, each * 1e6);
            fflush(stdout);
        }
    }
    shmem_free(words);
    shmem_finalize();
    return 0;
}
