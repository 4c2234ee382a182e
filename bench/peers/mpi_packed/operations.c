/* Exchange of halos by messages of packed layers, timed as cobench times that of coarray.

   usage: mpirun -n N operations MILLISECONDS MICROSECONDS [OPERATION ...] */

#define _POSIX_C_SOURCE 200809L

#include "packed.h"

#define KIB(n) ((size_t)(n) << 10)

static const struct operation operations[] = {
    {"halo", halo, check_halo, 1, {KIB(512), KIB(4096), KIB(32768), KIB(262144)}},
    {"halo_faces", halo_faces, check_halo_faces, 1, {KIB(512), KIB(4096), KIB(32768), KIB(262144)}},
};

int main(int argc, char **argv) {
    begin(&argc, &argv);
    print_title();
    batches_run(operations, sizeof operations / sizeof *operations, rank == 0, argc, argv);
    release_halo();
    MPI_Finalize();
    return 0;
}
