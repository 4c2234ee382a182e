/* A job that does nothing but begin and end, so that its time from outside is that of launching. */

#include <shmem.h>

int main(void) {
    shmem_init();
    shmem_finalize();
    return 0;
}
