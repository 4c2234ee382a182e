/* Tells a broken network from a broken library: what a coarray program needs of MPI, in C.
 *
 *     ping_mpi            each process says where it runs; messages around a ring; put, get and
 *                         fetch-and-add in windows of all others; then the word "passed"
 *     ping_mpi for ever   the same, and then rounds without end, for somebody to cut the network
 *
 * With COARRAY_PEER_TIMEOUT=SECONDS a process that comes no further for so long ends the job.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "watch.h"

static int rank, size;
static char node[MPI_MAX_PROCESSOR_NAME];

static void expect(int64_t found, int64_t expected, int other, const char *what) {
    if (found != expected) {
        fprintf(stderr, "ping: on process %d, %s process %d is %lld instead of %lld\n", rank, what, other,
                (long long)found, (long long)expected);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void abort_job(void) { MPI_Abort(MPI_COMM_WORLD, 4); }

static void ring(int64_t round) {
    int64_t sent = round * size + rank, received = -1;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Sendrecv(&sent, 1, MPI_INT64_T, next, 0, &received, 1, MPI_INT64_T, previous, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(received, round * size + previous, previous, "what came around the ring from");
}

/* The window of each process: a word from each other process, and a sum at the end. */
static void one_sided(MPI_Win window, int64_t *words, int64_t round) {
    for (int target = 0; target < size; target++) {
        int64_t put = round * 1000 + rank, got = -1, one = 1, old;
        MPI_Put(&put, 1, MPI_INT64_T, target, rank, 1, MPI_INT64_T, window);
        MPI_Win_flush(target, window);
        MPI_Get(&got, 1, MPI_INT64_T, target, rank, 1, MPI_INT64_T, window);
        MPI_Win_flush(target, window);
        expect(got, put, target, "what was put to and got again from");
        MPI_Fetch_and_op(&one, &old, MPI_INT64_T, target, size, MPI_SUM, window);
        MPI_Win_flush(target, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    for (int source = 0; source < size; source++)
        expect(words[source], round * 1000 + source, source, "the word put by");
    expect(words[size], (round + 1) * size, rank, "the sum on");
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char **arguments) {
    int provided, length;
    (void)arguments;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(node, &length);
    MPI_Comm neighbours;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &neighbours);
    int on_node;
    MPI_Comm_size(neighbours, &on_node);
    printf("process %d of %d on %s, of %d there\n", rank, size, node, on_node);
    fflush(stdout);

    int64_t *words;
    MPI_Win window;
    /* MPICH 4.0 gives processes of one host wrong addresses unless the size is a multiple of 64. */
    size_t bytes = ((size + 1) * sizeof *words + 4095) / 4096 * 4096;
    MPI_Win_allocate(bytes, sizeof *words, MPI_INFO_NULL, MPI_COMM_WORLD, &words, &window);
    for (int word = 0; word <= size; word++) words[word] = 0;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);

    watch(rank, node, abort_job);
    int rounds = 10;
    double start = MPI_Wtime();
    for (int64_t round = 0; round < rounds || count > 1; round++) {
        ring(round);
        one_sided(window, words, round);
        came_further();
        if (round == rounds - 1 && rank == 0) {
            double each = (MPI_Wtime() - start) / ((double)rounds * size * 3);
            printf("passed: %d rounds, %.0f us for each put, get or addition\n", rounds, each * 1e6);
            fflush(stdout);
        }
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&neighbours);
    /* In MPICH 4.0 over UCX's TCP a process that finalizes waits for an answer of others, who do not answer any
     * more if they are further. All have met above, so nothing is lost by leaving. */
    leave_after(2);
    MPI_Finalize();
    return 0;
}
