/* Updates of a table that lies in the windows of all processes. */

#ifndef UPDATES_H
#define UPDATES_H

#include "../mpi/table.h"
#include "window.h"

/* RandomAccess allows a process to look ahead by 1024 numbers; in a small table the same word would come too often. */
enum { MAX_LOOK_AHEAD = 1024, WORDS_FOR_EACH = 4096 };

static uint64_t pending[MAX_LOOK_AHEAD], values[MAX_LOOK_AHEAD];
static int targets[MAX_LOOK_AHEAD];
static MPI_Aint places[MAX_LOOK_AHEAD];
static int look_ahead, count;
/* The index of each process's first word. */
static long *firsts;

static void open_table(void) {
    long most = share(1L << log2_size, size, 1), ahead = (1L << log2_size) / WORDS_FOR_EACH;
    look_ahead = ahead < 1 ? 1 : ahead < MAX_LOOK_AHEAD ? (int)ahead : MAX_LOOK_AHEAD;
    firsts = allocate((size_t)size * sizeof *firsts);
    for (int process = 0; process < size; process++)
        firsts[process] = first_word(process);
    open_window((size_t)most);
    table = words + DATA;
    fill();
    MPI_Win_sync(window);
}

static void close_table(void) {
    close_window();
    free(firsts);
}

/* Writes what was read, so that another process's update between the two is lost. */
static void write_back(void) {
    MPI_Win_flush_all(window);
    for (int i = 0; i < count; i++) {
        values[i] ^= pending[i];
        MPI_Put(&values[i], 1, MPI_UINT64_T, targets[i], places[i], 1, MPI_UINT64_T, window);
    }
    MPI_Win_flush_all(window);
    count = 0;
}

/* `write_back` must follow the last one. */
static inline void update(uint64_t number) {
    uint64_t index = index_of(number);
    int target = owner_of(index);
    MPI_Aint place = DATA + ((MPI_Aint)index - firsts[target]);
    MPI_Get(&values[count], 1, MPI_UINT64_T, target, place, 1, MPI_UINT64_T, window);
    pending[count] = number;
    targets[count] = target;
    places[count] = place;
    if (++count == look_ahead)
        write_back();
}

#endif
