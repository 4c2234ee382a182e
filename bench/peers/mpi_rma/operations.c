/* Operations of MPI with one side, timed as cobench times those of coarray.

   usage: mpirun -n N operations MILLISECONDS MICROSECONDS [OPERATION ...]

   With Open MPI 4, set OMPI_MCA_osc=^rdma: the other way to reach memory of the same machine is slower, and compare and
   swap crashes there (https://github.com/open-mpi/ompi/issues/7027). */

#define _POSIX_C_SOURCE 200809L

#include "atomics.h"
#include "lists.h"
#include "signals.h"

#define KIB(n) ((size_t)(n) << 10)

static const struct operation operations[] = {
    {"put", put, check_put, 1, {8}},
    {"put_quiet", put_quiet, check_put_quiet, 1, {8}},
    {"get", get, check_get, 1, {8}},
    {"bulk_put", bulk_put, check_bulk_put, 1, {8, 64, KIB(1), KIB(8), KIB(64), KIB(512), KIB(4096), MAX_BULK}},
    {"bulk_get", bulk_get, check_bulk_get, 1, {8, 64, KIB(1), KIB(8), KIB(64), KIB(512), KIB(4096), MAX_BULK}},
    {"column_put", column_put, check_column_put, 1, {ORDER * sizeof(double)}},
    {"column_get", column_get, check_column_get, 1, {ORDER * sizeof(double)}},
    {"list_gather_each", list_gather_each, check_list_gather_each, 1, {LISTED * sizeof(uint64_t)}},
    {"list_gather_indexed", list_gather_indexed, check_list_gather_indexed, 1, {LISTED * sizeof(uint64_t)}},
    {"list_gather_packed", list_gather_packed, check_list_gather_packed, 1, {LISTED * sizeof(uint64_t)}},
    {"list_scatter_each", list_scatter_each, check_list_scatter_each, 1, {LISTED * sizeof(uint64_t)}},
    {"list_scatter_indexed", list_scatter_indexed, check_list_scatter_indexed, 1, {LISTED * sizeof(uint64_t)}},
    {"list_scatter_packed", list_scatter_packed, check_list_scatter_packed, 1, {LISTED * sizeof(uint64_t)}},
    {"list_add_each", list_add_each, check_list_add_each, 1, {LISTED * sizeof(uint64_t)}},
    {"list_add_indexed", list_add_indexed, check_list_add_indexed, 1, {LISTED * sizeof(uint64_t)}},
    {"list_add_packed", list_add_packed, check_list_add_packed, 1, {LISTED * sizeof(uint64_t)}},
    {"fetch_add", fetch_add, check_fetch_add, 1, {8}},
    {"compare_exchange", compare_exchange, check_compare_exchange, 1, {8}},
    {"gups", gups, check_gups, 1, {8}},
    {"gups_atomic", gups_atomic, check_gups_atomic, 1, {8}},
    {"event_pingpong", signal_pingpong, NULL, 1, {0}},
    {"event_ring", signal_ring, NULL, 1, {0}},
    {"notify_pingpong", notify_pingpong, check_notify_pingpong, 1, {8, BLOCK}},
    {"put_send_pingpong", put_send_pingpong, check_put_send_pingpong, 1, {8, BLOCK}},
};

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int is_large = is_wanted("bulk_put", argc, argv) || is_wanted("bulk_get", argc, argv) ||
                   is_wanted("gups", argc, argv) || is_wanted("gups_atomic", argc, argv);
    size_t data_words = is_large ? TABLE : LIST_WORDS;
    open_window(data_words);
    prepare_transfers(data_words * sizeof *words);
    prepare_lists();
    prepare_signals();
    print_title();
    batches_run(operations, sizeof operations / sizeof *operations, rank == 0, argc, argv);

    /* The locks have as many turns as there are processes, which is known only now. */
    const struct operation collective[] = {
        {"mutex", mutex, check_mutex, size, {0}},
        {"ticket_lock", ticket_lock, check_ticket_lock, size, {0}},
        {"alloc", alloc, NULL, 1, {KIB(4)}},
        {"open", fences, NULL, 1, {0}},
    };
    batches_run(collective, sizeof collective / sizeof *collective, rank == 0, argc, argv);
    release_signals();
    release_lists();
    release_transfers();
    close_window();
    MPI_Finalize();
    return 0;
}
