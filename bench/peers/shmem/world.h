/* What the timed operations work on. */

#ifndef WORLD_H
#define WORLD_H

#include "pes.h"
/* Beside the folders of the peers. */
#include "../batches.h"

#define BLOCK_BYTES ((size_t)64 << 20)
enum { MAX_VALUES_BYTES = 8 << 20, MAX_PART_BYTES = 2 << 20, MERGED = 1024, WORD_COUNT = 2048 };

/* The PE whose memory PE 0 works on: itself if it is alone. */
static int other;

/* In the symmetric heap: few words, and a block for everything that is large. */
static word *words;
static void *block;

/* On each PE alone. */
static void *buffer;

/* Where results go, so that the compiler cannot leave out what makes them. */
static volatile word kept;

static long long *merged, *merged_work;
static long *merged_sync;

static void batches_barrier(void) {
    shmem_barrier_all();
}

/* Through the symmetric heap, as many at a time as there is place for. */
static void batches_merge(int64_t *starts, int64_t *ends, int batches) {
    for (int first = 0; first < batches; first += MERGED) {
        int count = batches - first < MERGED ? batches - first : MERGED;
        /* The least end is the opposite of the greatest opposite. */
        for (int i = 0; i < count; i++) {
            merged[i] = -starts[first + i];
            merged[MERGED + i] = ends[first + i];
        }
        shmem_barrier_all();
        shmem_longlong_max_to_all(merged, merged, 2 * MERGED, 0, 0, pes, merged_work, merged_sync);
        for (int i = 0; i < count; i++) {
            starts[first + i] = -merged[i];
            ends[first + i] = merged[MERGED + i];
        }
    }
    shmem_barrier_all();
}

static inline long *new_sync(size_t count) {
    long *sync = symmetric(count * SHMEM_SYNC_SIZE * sizeof *sync);
    for (size_t i = 0; i < count * SHMEM_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    return sync;
}

/* As many elements as a reduction of `count` needs to work with. */
static inline size_t work_length(size_t count) {
    size_t half = count / 2 + 1;
    return half > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? half : SHMEM_REDUCE_MIN_WRKDATA_SIZE;
}

static void prepare_world(void) {
    other = pes > 1;
    words = symmetric(WORD_COUNT * sizeof *words);
    block = symmetric(BLOCK_BYTES);
    buffer = private(BLOCK_BYTES);
    merged = symmetric(2 * MERGED * sizeof *merged);
    merged_work = symmetric(work_length(2 * MERGED) * sizeof *merged_work);
    merged_sync = new_sync(1);
}

static void release_world(void) {
    shmem_free(merged_sync);
    shmem_free(merged_work);
    shmem_free(merged);
    free(buffer);
    shmem_free(block);
    shmem_free(words);
}

#endif
