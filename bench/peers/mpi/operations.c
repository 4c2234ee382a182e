/* Operations of MPI with two sides or all, timed as cobench times those of coarray.

   usage: mpirun -n N operations MILLISECONDS MICROSECONDS [OPERATION ...] */

#define _POSIX_C_SOURCE 200809L

#include "collectives.h"
#include "halo_datatypes.h"
#include "messages.h"

#define KIB(n) ((size_t)(n) << 10)
#define BLOCKS {8, 128, KIB(2), KIB(32), KIB(512), KIB(2048)}
#define VALUES {8, 32, 128, 512, KIB(2), KIB(8), KIB(16), KIB(32), KIB(128), KIB(512), KIB(2048), KIB(8192)}

static const struct operation operations[] = {
    {"sync_all", barrier, NULL, 1, {0}},
    {"sync_pair", pair, NULL, 1, {0}},
    {"event_pingpong", pingpong, check_pingpong, 1, {0}},
    {"event_ring", ring, NULL, 1, {0}},
    {"notify_pingpong", pingpong, check_pingpong, 1, {8, KIB(4)}},
    {"halo", halo, check_halo, 1, {KIB(512), KIB(4096), KIB(32768), KIB(262144)}},
    {"halo_faces", halo_faces, check_halo_faces, 1, {KIB(512), KIB(4096), KIB(32768), KIB(262144)}},
    {"co_sum", allreduce, NULL, 1, VALUES},
    {"co_sum_async", allreduce_later, NULL, 1, {8}},
    {"co_sum_to", reduce, NULL, 1, VALUES},
    {"co_scan", scan, NULL, 1, VALUES},
    {"co_broadcast", broadcast, NULL, 1, VALUES},
    {"co_gather", gather, NULL, 1, BLOCKS},
    {"co_allgather", allgather, NULL, 1, BLOCKS},
    {"co_scatter", scatter, NULL, 1, BLOCKS},
    {"co_alltoall", alltoall, NULL, 1, BLOCKS},
    {"co_reduce_scatter", reduce_scatter, NULL, 1, BLOCKS},
};

int main(int argc, char **argv) {
    begin(&argc, &argv);
    prepare_collectives();
    print_title();
    batches_run(operations, sizeof operations / sizeof *operations, rank == 0, argc, argv);
    release_halo();
    release_collectives();
    MPI_Finalize();
    return 0;
}
