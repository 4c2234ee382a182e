/* Updates of a table that lies in the windows of all processes. */

#ifndef UPDATES_H
#define UPDATES_H

#include "../mpi/table.h"
#include "window.h"

/* RandomAccess allows a process to look ahead by 1024 numbers. A word that comes twice among them, or that another
   process wants at the same time, loses an update: the smaller the table, the more words. */
enum { MAX_LOOK_AHEAD = 1024, WORDS_FOR_EACH = 4096, SMALL = 1 << 18 };

static uint64_t pending[MAX_LOOK_AHEAD], values[MAX_LOOK_AHEAD];
static int targets[MAX_LOOK_AHEAD];
static MPI_Aint places[MAX_LOOK_AHEAD];
static int look_ahead, count, is_small;
/* The index of each process's first word. */
static long *firsts;

/* Collective. Looks ahead by at most so many numbers. */
static void open_table(int most_ahead) {
    long words_of_all = 1L << log2_size, ahead = words_of_all / WORDS_FOR_EACH;
    is_small = words_of_all < SMALL;
    look_ahead = ahead < most_ahead ? (int)ahead : most_ahead;
    firsts = allocate((size_t)size * sizeof *firsts);
    for (int process = 0; process < size; process++)
        firsts[process] = first_word(process);
    open_window((size_t)share(words_of_all, size, 1));
    table = words + DATA;
    fill();
    MPI_Win_sync(window);
}

static void close_table(void) {
    close_window();
    free(firsts);
}

static inline void find(uint64_t number) {
    uint64_t index = index_of(number);
    int target = owner_of(index);
    pending[count] = number;
    targets[count] = target;
    places[count] = DATA + ((MPI_Aint)index - firsts[target]);
}

static void update_atomically(uint64_t number) {
    find(number);
    MPI_Accumulate(&pending[count], 1, MPI_UINT64_T, targets[count], places[count], 1, MPI_UINT64_T, MPI_BXOR, window);
    if (++count == MAX_LOOK_AHEAD) {
        MPI_Win_flush_all(window);
        count = 0;
    }
}

/* Ends all updates of this process. */
static void finish(void) {
    MPI_Win_flush_all(window);
    count = 0;
}

/* Ends the updates that were begun with reading words, by writing them. */
static void write_back(void) {
    MPI_Win_flush_all(window);
    for (int i = 0; i < count; i++) {
        values[i] ^= pending[i];
        MPI_Put(&values[i], 1, MPI_UINT64_T, targets[i], places[i], 1, MPI_UINT64_T, window);
    }
    finish();
}

static inline void begin_update(uint64_t number) {
    find(number);
    MPI_Get(&values[count], 1, MPI_UINT64_T, targets[count], places[count], 1, MPI_UINT64_T, window);
    if (++count == look_ahead)
        write_back();
}

/* `finish_updates` must follow the last one. */
static inline void update(uint64_t number) {
    if (is_small)
        update_atomically(number);
    else
        begin_update(number);
}

static void finish_updates(void) {
    if (is_small)
        finish();
    else
        write_back();
}

#endif
