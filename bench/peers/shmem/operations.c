/* Operations of OpenSHMEM, timed as cobench times those of coarray.

   usage: shmemrun -n N operations MILLISECONDS MICROSECONDS [OPERATION ...]

   Open MPI 4.1 crashes in shmem_finalize unless OMPI_MCA_osc=^rdma is in the environment. No larger symmetric heap
   need be asked for: see begin() in pes.h. */

#include "collectives.h"
#include "lists.h"
#include "onesided.h"
#include "updates.h"
#include "waiting.h"

#define KIB(n) ((size_t)(n) << 10)
#define BULK {8, 64, KIB(1), KIB(8), KIB(64), KIB(512), KIB(4096), KIB(65536)}
#define VALUES {8, 32, 128, 512, KIB(2), KIB(8), KIB(16), KIB(32), KIB(128), KIB(512), KIB(2048), KIB(8192)}
#define PARTS {8, 128, KIB(2), KIB(32), KIB(512), KIB(2048)}

int main(int argc, char **argv) {
    /* Room for hundreds of PEs. */
    begin((size_t)256 << 20);
    const struct operation operations[] = {
        {"put", put, check_put, 1, {8}},
        {"put_quiet", put_quiet, check_put_quiet, 1, {8}},
        {"get", get, check_get, 1, {8}},
        {"bulk_put", bulk_put, check_bulk_put, 1, BULK},
        {"bulk_get", bulk_get, check_bulk_get, 1, BULK},
        {"column_put", column_put, check_column_put, 1, {ROWS * sizeof(double)}},
        {"column_get", column_get, check_column_get, 1, {ROWS * sizeof(double)}},
        {"list_gather_each", list_gather_each, check_list_gather_each, 1, {LISTED * sizeof(word)}},
        {"list_scatter_each", list_scatter_each, check_list_scatter_each, 1, {LISTED * sizeof(word)}},
        {"list_add_each", list_add_each, check_list_add_each, 1, {LISTED * sizeof(word)}},
        {"fetch_add", fetch_add, check_fetch_add, 1, {8}},
        {"compare_exchange", compare_exchange, check_compare_exchange, 1, {8}},
        {"gups", gups, check_gups, 1, {8}},
        {"gups_atomic", gups_atomic, check_gups_atomic, 1, {8}},
        {"event_pingpong", event_pingpong, check_pingpong, 1, {0}},
        {"event_ring", event_ring, check_ring, 1, {0}},
        {"notify_pingpong", notify_pingpong, check_notify, 1, {8, MAX_NOTIFIED}},
        {"inc_pingpong", inc_pingpong, check_inc, 1, {0}},
        {"put_inc_pingpong", put_inc_pingpong, check_put_inc, 1, {8, MAX_NOTIFIED}},
        {"mutex", mutex, check_mutex, pes, {0}},
        {"ticket_lock", ticket_lock, check_ticket_lock, pes, {0}},
        {"sync_all", sync_all, NULL, 1, {0}},
        {"sync_pair", sync_pair, check_pair, 1, {0}},
        {"alloc", alloc, check_alloc, 1, {ALLOCATED}},
        {"co_sum", sum, check_sum, 1, VALUES},
        {"co_broadcast", broadcast, check_broadcast, 1, VALUES},
        {"co_allgather", allgather, check_allgather, 1, PARTS},
        {"co_alltoall", alltoall, check_alltoall, 1, PARTS},
    };
    prepare_world();
    prepare_lists();
    prepare_waiting();
    prepare_collectives();
    if (me == 0) {
#ifdef OSHMEM_MAJOR_VERSION
        const char *name = "Open MPI";
        int major = OSHMEM_MAJOR_VERSION, minor = OSHMEM_MINOR_VERSION, release = OSHMEM_RELEASE_VERSION;
        printf("# OpenSHMEM %d.%d of %s %d.%d.%d\n", SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION, name, major, minor,
               release);
#else
        char name[SHMEM_MAX_NAME_LEN];
        shmem_info_get_name(name);
        printf("# OpenSHMEM %d.%d of %s\n", SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION, name);
#endif
    }
    batches_run(operations, sizeof operations / sizeof *operations, me == 0, argc, argv);
    release_collectives();
    release_waiting();
    release_lists();
    release_world();
    shmem_finalize();
    return 0;
}
