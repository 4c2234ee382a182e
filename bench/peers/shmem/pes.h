/* What the programs in OpenSHMEM share: the PEs, memory that all can reach, and data that announce themselves.

   Everything that others reach lies in the symmetric heap. OpenSHMEM allows static variables, too, but Open MPI has only
   the heap in memory that PEs of a machine share, and reaches the rest by system calls.

   Nothing here uses shmem_ptr: it may return NULL, so a portable program would need a second version of every
   loop. */

#ifndef PES_H
#define PES_H

#define _POSIX_C_SOURCE 200809L

#include <shmem.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The atomic operations of OpenSHMEM are of C's own types; on all that run it, this one has 64 bits. */
typedef unsigned long word;
_Static_assert(sizeof(word) == 8, "words have 8 bytes");

static int me, pes;

/* Says what is wrong and ends all PEs with a code other than zero. */
static inline void fail(const char *what) {
    fprintf(stderr, "PE %d: %s\n", me, what);
    shmem_global_exit(1);
    /* Not all implementations promise never to return. */
    exit(1);
}

/* Begins, with at least so many bytes of symmetric heap on each PE unless the environment says how many.

   Open MPI reserves 256 MiB by default. SHMEM_SYMMETRIC_SIZE is the name of the specification since 1.4, which Open MPI
   4.1 does not know. */
static inline void begin(size_t heap) {
    /* Nothing fills a heap to the last byte, and an allocator may round to powers of two. */
    size_t wanted = 2 * heap;
    if (wanted > (size_t)256 << 20) {
        char size[32];
        snprintf(size, sizeof size, "%zu", wanted);
        setenv("SHMEM_SYMMETRIC_SIZE", size, 0);
        setenv("SHMEM_SYMMETRIC_HEAP_SIZE", size, 0);
    }
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
}

/* Collective. As many bytes on each PE, all zero, which others can reach. */
static inline void *symmetric(size_t bytes) {
    void *memory = shmem_malloc(bytes ? bytes : 1);
    if (!memory)
        fail("the symmetric heap is too small; set SHMEM_SYMMETRIC_SIZE (Open MPI 4: SHMEM_SYMMETRIC_HEAP_SIZE)");
    memset(memory, 0, bytes);
    shmem_barrier_all();
    return memory;
}

static inline void *private(size_t bytes) {
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory)
        fail("out of memory");
    return memory;
}

/* Writes bytes into a PE's memory, and after them a number that the PE waits for. */
static inline void put_and_tell(void *target, const void *source, size_t bytes, uint64_t *flag, uint64_t number,
                                int pe) {
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
    shmem_putmem_signal(target, source, bytes, flag, number, SHMEM_SIGNAL_SET, pe);
#else
    shmem_putmem(target, source, bytes, pe);
    shmem_fence();
    shmem_uint64_p(flag, number, pe);
#endif
}

/* Waits for a number that another PE sends, or a greater one. */
static inline void wait_for(uint64_t *flag, uint64_t number) {
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
    shmem_signal_wait_until(flag, SHMEM_CMP_GE, number);
#else
    shmem_uint64_wait_until(flag, SHMEM_CMP_GE, number);
#endif
}

#endif
