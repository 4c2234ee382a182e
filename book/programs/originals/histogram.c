/* A histogram whose bins are divided among the ranks: everyone counts into everyone's bins. */
#include <mpi.h>
#include <stdio.h>

enum { BINS = 1000, NUMBERS = 60000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    int each = (BINS + ranks - 1) / ranks;
    unsigned long long *bins;
    MPI_Win window;
    MPI_Win_allocate(each * sizeof *bins, sizeof *bins, MPI_INFO_NULL, MPI_COMM_WORLD, &bins, &window);
    for (int i = 0; i < each; ++i)
        bins[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock_all(0, window);
    const unsigned long long one = 1;
    for (unsigned long long i = me; i < NUMBERS; i += ranks) {
        int bin = i * i % 1009 % BINS;
        MPI_Accumulate(&one, 1, MPI_UNSIGNED_LONG_LONG, bin / each, bin % each, 1, MPI_UNSIGNED_LONG_LONG,
                       MPI_SUM, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, window);
    unsigned long long fullest = 0, most;
    for (int i = 0; i < each; ++i)
        if (bins[i] > fullest)
            fullest = bins[i];
    MPI_Win_unlock(me, window);
    MPI_Reduce(&fullest, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("%d numbers, %llu in the fullest of %d bins\n", NUMBERS, most, BINS);
    MPI_Win_free(&window);
    MPI_Finalize();
}
